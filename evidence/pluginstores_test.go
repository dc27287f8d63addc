package evidence_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPluginStores has databases of plug-ins in three places, and beside them what is none.
func TestPluginStores(t *testing.T) {
	home := t.TempDir()
	healthy(t, filepath.Join(home, "state.db"))
	for _, name := range []string{"lcm.db", "plugins/notes/data/store.sqlite", "plugins/recall/recall.db", "kanban.db", "state.db.bak"} {
		healthy(t, filepath.Join(home, filepath.FromSlash(name)))
	}
	write(t, filepath.Join(home, "plugins", "recall", "torn.db"), []byte("no database"))
	write(t, filepath.Join(home, "plugins", "recall", "readme.txt"), []byte("SQLite format 3\x00"))
	want := []string{"lcm.db", "plugins/notes/data/store.sqlite", "plugins/recall/recall.db"}
	if diff := cmp.Diff(want, open(t, home).Homes[0].PluginStores()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
