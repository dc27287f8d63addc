package evidence_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// TestSecretIsOfTheContent names the same home in every way that people do: the key is that of its content, and never one that
// can be had without it.
func TestSecretIsOfTheContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"home", "logs", "objects"} {
		write(t, filepath.Join(dir, name, "state.db"), []byte("what only the owner has"))
	}
	if err := os.Symlink(filepath.Join(dir, "home"), filepath.Join(dir, "link")); err != nil {
		t.Logf("no links here: %v", err)
	}
	key := func(path string) [32]byte {
		t.Helper()
		k, err := evidence.Secret(t.Context(), "test", []string{path})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	want := key(filepath.Join(dir, "home"))
	for _, name := range []string{"logs", "objects", "link"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && key(filepath.Join(dir, name)) != want {
			t.Errorf("%s: another key than that of the same content", name)
		}
	}
	if k, err := evidence.Secret(t.Context(), "test", []string{t.TempDir()}); err == nil {
		t.Errorf("a folder without a file gives the key %x, which anybody can make", k)
	}
}
