package evidence_test

import (
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// TestCandidatesWithTheirWAL ranks two copies whose database files are the same bytes, of which one has a -wal with more.
func TestCandidatesWithTheirWAL(t *testing.T) {
	t.Parallel()
	live := filepath.Join(t.TempDir(), "live.db")
	connect(t, live, join([]string{"PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"}, schema(), talk("s1", 1785000000, 50), []string{"PRAGMA wal_checkpoint(TRUNCATE)"}, talk("s2", 1785001000, 30))...)
	home := t.TempDir()
	write(t, filepath.Join(home, "state.db"), make([]byte, 8192))
	for _, name := range []string{"1-alone", "2-too", "3-with"} {
		write(t, filepath.Join(home, "state-snapshots", name, "state.db"), read(t, live))
	}
	write(t, filepath.Join(home, "state-snapshots", "3-with", "state.db-wal"), read(t, live+"-wal"))
	b, err := evidence.Open(t.Context(), []string{home}, evidence.Options{TempDir: t.TempDir(), Damaged: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	list, read, err := b.Homes[0].Candidates(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %+v, %v", list, read, err)
	}
	if c := list[0]; filepath.Base(filepath.Dir(c.Path)) != "3-with" || c.Messages != 80 || c.Same != "" || c.View != evidence.ViewWAL {
		t.Errorf("first %+v", c)
	}
	for k, same := range []string{"", list[1].Path} {
		if c := list[k+1]; c.Messages != 50 || c.Same != same || c.View != evidence.ViewMain {
			t.Errorf("number %d: %+v", k+1, c)
		}
	}
}
