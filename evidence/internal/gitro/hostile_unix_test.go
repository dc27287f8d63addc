//go:build unix

package gitro_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// A pipe in any place is never waited for, and what is readable is read.
func TestPipesAreNotOpened(t *testing.T) {
	for _, name := range []string{
		"HEAD", "packed-refs", "refs/hermes/fifo", "objects/aa/" + idA[2:], "objects/pack/pack-x.pack", "objects/pack/pack-x.idx",
	} {
		t.Run(name, func(t *testing.T) {
			dir := build(t, layoutNamed(t, "gc"))
			commit := tip(t, dir)
			path := filepath.Join(dir, name)
			_ = os.Remove(path) // it may not be there
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
			done := make(chan int)
			go func() {
				folder, err := gitro.OpenFolder(dir)
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = folder.Close() }()
				repo, err := gitro.Open(folder, "", gitro.Limits{})
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = repo.Close() }()
				gitro.ReadRefs(folder, gitro.Limits{}, repo.Format())
				r := repo.Reader()
				chain, err := r.Chain(commit)
				_, _, _ = r.Object(parse(t, idA))
				if err != nil {
					t.Error(err)
				}
				done <- len(chain)
			}()
			select {
			case n := <-done:
				if n != 12 {
					t.Errorf("%d commits, want 12", n)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for the pipe")
			}
		})
	}
}

// Links that lead out of the store are not followed, and neither are alternates.
func TestNothingOutsideIsRead(t *testing.T) {
	for _, name := range []string{"objects", "objects/pack", "objects/xx", "alternates"} {
		t.Run(name, func(t *testing.T) {
			layout := "gc"
			if name == "objects/xx" {
				layout = "loose"
			}
			outside := build(t, layoutNamed(t, layout))
			commit := tip(t, outside)
			dir := filepath.Join(t.TempDir(), "store")
			git(t, dir, nil, "init", "-q", "--bare")
			switch name {
			case "alternates":
				plant(t, filepath.Join(dir, "objects/info/alternates"), filepath.Join(outside, "objects")+"\n")
			case "objects/xx":
				fan := "objects/" + commit.String()[:2]
				if err := os.Symlink(filepath.Join(outside, fan), filepath.Join(dir, fan)); err != nil {
					t.Skip(err)
				}
			default:
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(outside, name), filepath.Join(dir, name)); err != nil {
					t.Skip(err)
				}
			}
			repo, r := open(t, dir, gitro.Limits{})
			if _, err := r.Commit(commit); gitro.FaultOf(err) != gitro.FaultMissing {
				t.Errorf("reading through %s: %v, want a missing object", name, err)
			}
			if name != "alternates" && !strings.Contains(joined(repo.Problems()), name[:7]) {
				t.Errorf("problems %v, want one about %s", repo.Problems(), name)
			}
		})
	}
}

func joined(problems []gitro.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Path + ": " + p.What + "\n")
	}
	return b.String()
}
