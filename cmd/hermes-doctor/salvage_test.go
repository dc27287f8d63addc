package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCapturesOfAHome names a home as people name folders; what lies beside its database is read whatever the name is.
func TestCapturesOfAHome(t *testing.T) {
	for _, name := range []string{"home", "old [copy]"} {
		home := filepath.Join(t.TempDir(), name)
		want := filepath.Join(home, "state.db.retired-wal-20260101")
		if err := os.MkdirAll(want, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "state.db.retired-wal-file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		path, more, err := wreckPaths(home, []string{"given"})
		if err != nil || path != filepath.Join(home, "state.db") || !slices.Equal(more, []string{"given", want}) {
			t.Errorf("%q: %q, captures %q, %v", name, path, more, err)
		}
	}
}
