package evidence_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// A base that may not be opened is told; it does not keep what is beside it from being read.
func TestABaseWithoutPermission(t *testing.T) {
	home, err := os.MkdirTemp("", "checkpoints-") // t.TempDir lies in a folder of its owner alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(home, "checkpoints")
	initStore(t, filepath.Join(base, "store"))
	if err := os.Chmod(base, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(base, 0o700) })
	asNobody(t)
	b, err := evidence.Open(t.Context(), []string{home}, evidence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	if len(b.Checkpoints) != 1 || len(b.Checkpoints[0].Problems) != 1 || b.Checkpoints[0].Problems[0].Path != "" {
		t.Errorf("checkpoints %+v, want one base with the problem that it cannot be opened", b.Checkpoints)
	}
	if changed, err := b.Recheck(t.Context()); err != nil || len(changed) > 0 {
		t.Errorf("Recheck: %v, %v", changed, err)
	}
}
