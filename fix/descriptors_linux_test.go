package fix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// A descriptor that is left open is closed by the collector at any moment, and with it go the locks that SQLite holds on
// the same file.
func TestNoDescriptorIsLeftOpen(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"no sidecar": build(t, schema(), incident()), "wal": buildWAL(t, incident(), schema()), "hot journal": buildHot(t, "UPDATE sessions SET title = 'x'", schema(), incident()),
	} {
		if _, err := repair(t, path, plan(t, look(t, path), fix.Options{}), applyOptions()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		for _, e := range entries {
			target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
			if err == nil && strings.HasPrefix(target, filepath.Dir(path)+"/") {
				t.Errorf("%s: %s is open", name, target)
			}
		}
	}
}
