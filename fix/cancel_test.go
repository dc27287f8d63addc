package fix_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// TestCancelled ends the context at each stage: before the commit nothing is left of the repair, after it all of it is
// verified and written down.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]func() string{
		"no sidecar": func() string { return build(t, schema(), incident()) },
		"wal":        func() string { return buildWAL(t, incident(), schema()) },
	} {
		finished := false
		for stage := 1; !finished; stage++ {
			t.Run(fmt.Sprint(name, " ", stage), func(t *testing.T) {
				finished = cancelAt(t, made(), stage)
			})
			if stage > 20 {
				t.Fatal("it never comes to an end")
			}
		}
	}
}

// cancelAt repairs a file, ends the context when the given stage begins, and says whether the repair came about.
func cancelAt(t *testing.T, path string, stage int) (done bool) {
	p, before, bytesBefore := plan(t, look(t, path), fix.Options{}), dump(t, path), read(t, path)
	beside := names(t, filepath.Dir(path))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := 0
	o := fix.BackupOptions{Dir: t.TempDir(), TempDir: t.TempDir(), Now: at, Progress: func(string, int64, int64) {
		if begun++; begun == stage {
			cancel()
		}
	}}
	b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var out *fix.Outcome
	k, err := fix.VerifyBackup(ctx, b, o)
	if cerr := b.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	if err == nil {
		out, err = k.Apply(ctx, p, applyOptions())
	}
	if err == nil {
		proveVerify(t, out)
		proveWinner(t, path)
		return true
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !bytes.Equal(bytesBefore, read(t, path)) || !cmp.Equal(before, dump(t, path)) {
		t.Error("the file changed")
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, beside) {
		t.Errorf("left behind: %q", got)
	}
	return false
}
