package gitro_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// resolve gives an object of the newest commit: "" its tree, else a path in it.
func resolve(t *testing.T, dir, path string) gitro.ID {
	t.Helper()
	return parse(t, strings.TrimSpace(string(git(t, dir, nil, "rev-parse", "refs/hermes/0123456789abcdef:"+path))))
}

func looseFile(dir string, id gitro.ID) string {
	return filepath.Join(dir, "objects", id.String()[:2], id.String()[2:])
}

func overwrite(t *testing.T, path string, change func(data []byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func layoutNamed(t *testing.T, name string) layout {
	t.Helper()
	for _, l := range layouts() {
		if l.name == name {
			return l
		}
	}
	t.Fatalf("no layout %q", name)
	return layout{}
}

// census reads all trees of the newest commit.
func newest(t *testing.T, repo *gitro.Repo, r *gitro.Reader, commit gitro.ID) (gitro.ID, *gitro.Census) {
	t.Helper()
	info, err := r.Commit(commit)
	if err != nil {
		t.Fatal(err)
	}
	c, err := repo.Census(t.Context(), []gitro.ID{info.Tree}, gitro.CensusOptions{Blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	return info.Tree, c
}

// Every damage to an object is told with the object's name, its place and what is wrong; the rest is read.
func TestDamagedLooseObjects(t *testing.T) {
	tests := []struct {
		name, path string
		damage     func(t *testing.T, file string)
		want       gitro.Fault
	}{
		{"tree gone", "src/d3", func(t *testing.T, file string) { remove(t, file) }, gitro.FaultMissing},
		{"tree empty", "src/d3", func(t *testing.T, file string) { overwrite(t, file, func([]byte) []byte { return nil }) }, gitro.FaultEmpty},
		{"tree cut short", "src/d3", func(t *testing.T, file string) {
			overwrite(t, file, func(b []byte) []byte { return b[:len(b)/2] })
		}, gitro.FaultCorrupt},
		{"tree with a tail", "src/d3", func(t *testing.T, file string) {
			overwrite(t, file, func(b []byte) []byte { return append(b, "tail"...) })
		}, gitro.FaultCorrupt},
		{"tree with garbage", "src/d3", func(t *testing.T, file string) {
			overwrite(t, file, func(b []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(b)) })
		}, gitro.FaultCorrupt},
		{"blob gone", "run.sh", func(t *testing.T, file string) { remove(t, file) }, gitro.FaultMissing},
		{"blob is another", "run.sh", func(t *testing.T, file string) {
			other, err := os.ReadFile(looseFile(filepath.Dir(filepath.Dir(filepath.Dir(file))), parse(t, otherBlob)))
			if err != nil {
				t.Fatal(err)
			}
			overwrite(t, file, func([]byte) []byte { return other })
		}, gitro.FaultMismatch},
		{"blob is a folder", "run.sh", func(t *testing.T, file string) {
			remove(t, file)
			if err := os.Mkdir(file, 0o700); err != nil {
				t.Fatal(err)
			}
		}, gitro.FaultMissing},
		{"blob is a link to a sound copy", "run.sh", func(t *testing.T, file string) {
			if err := os.Rename(file, file+".moved"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(file+".moved", file); err != nil {
				t.Skip(err)
			}
		}, gitro.FaultMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := build(t, layoutNamed(t, "loose"))
			commit, id := tip(t, dir), resolve(t, dir, tt.path)
			tt.damage(t, looseFile(dir, id))
			repo, r := open(t, dir, gitro.Limits{})
			_, _, err := r.Object(id)
			if got := gitro.FaultOf(err); got != tt.want {
				t.Fatalf("Object: %v, want the fault %q", err, tt.want)
			}
			if !strings.Contains(err.Error(), id.String()) {
				t.Errorf("%v does not name the object", err)
			}
			root, c := newest(t, repo, r, commit)
			if tt.path == "run.sh" {
				if tt.want == gitro.FaultMissing && (len(c.LostBlobs()) != 1 || c.LostBlobs()[0].ID != id || string(c.LostBlobs()[0].Name) != "run.sh") {
					t.Errorf("lost blobs %v, want %s as run.sh", c.LostBlobs(), id)
				}
				return
			}
			damage := c.Damage()
			if len(damage) != 1 || damage[0].ID != id || damage[0].Err.Fault != tt.want {
				t.Fatalf("census damage %v, want %s %s", damage, id, tt.want)
			}
			from, path, ok := c.Path(r, id)
			if diff := cmp.Diff(fmt.Sprint(root, tt.path), fmt.Sprint(from, string(path))); !ok || diff != "" {
				t.Errorf("place of the damage (-want +got)\n%s", diff)
			}
			if n, ok := c.Count(r, root); !ok || !n.Damaged || n.Files < 50 {
				t.Errorf("count of the rest: %+v %v", n, ok)
			}
		})
	}
}

// otherBlob is the target of the link in the history.
const otherBlob = "d669de961167dee328d2efe8d93d2f54e39ae72d"

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// A pack that is damaged, cut short, alone or gone loses only what cannot be read elsewhere.
func TestDamagedPacks(t *testing.T) {
	tests := []struct {
		name    string
		damage  func(t *testing.T, pack, idx string)
		problem string // of what the store's problems speak
		some    bool   // some objects must still read
	}{
		{"trailer", func(t *testing.T, pack, _ string) { flip(t, pack, -5) }, "expects", true},
		{"version", func(t *testing.T, pack, _ string) { flip(t, pack, 7) }, "version 2 or 3", true},
		{"count", func(t *testing.T, pack, _ string) { flip(t, pack, 11) }, "its index", true},
		{"cut short", func(t *testing.T, pack, _ string) { overwrite(t, pack, func(b []byte) []byte { return b[:len(b)/2] }) }, "cut short", true},
		{"empty", func(t *testing.T, pack, _ string) { overwrite(t, pack, func([]byte) []byte { return nil }) }, "ends inside its head", false},
		{"pack gone", func(t *testing.T, pack, _ string) { remove(t, pack) }, "has no pack", false},
		{"index gone", func(t *testing.T, _, idx string) { remove(t, idx) }, "has no index", false},
		{"index cut short", func(t *testing.T, _, idx string) { overwrite(t, idx, func(b []byte) []byte { return b[:len(b)-100] }) }, "head makes it", false},
		{"index empty", func(t *testing.T, _, idx string) { overwrite(t, idx, func([]byte) []byte { return nil }) }, "ends inside its head", false},
		{"index goes down", func(t *testing.T, _, idx string) { overwrite(t, idx, func(b []byte) []byte { b[8] = 0xff; return b }) }, "go down", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := build(t, layoutNamed(t, "gc"))
			objects := strings.Fields(string(git(t, dir, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")))
			packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
			if err != nil || len(packs) != 1 {
				t.Fatal(packs, err)
			}
			tt.damage(t, packs[0], strings.TrimSuffix(packs[0], ".pack")+".idx")
			repo, r := open(t, dir, gitro.Limits{})
			if got := fmt.Sprint(repo.Problems()); !strings.Contains(got, tt.problem) {
				t.Errorf("problems %s, want one about %q", got, tt.problem)
			}
			read := 0
			for _, name := range objects {
				_, _, err := r.Object(parse(t, name))
				if err == nil {
					read++
				} else if gitro.FaultOf(err) == "" || !strings.Contains(err.Error(), name) {
					t.Errorf("%v is not an error about %s", err, name)
				}
			}
			if (read > 0) != tt.some {
				t.Errorf("%d of %d objects were read", read, len(objects))
			}
		})
	}
}

// flip changes one byte; a negative offset counts from the end.
func flip(t *testing.T, file string, at int) {
	t.Helper()
	overwrite(t, file, func(b []byte) []byte {
		b[(at+len(b))%len(b)] ^= 0x55
		return b
	})
}

// A damaged copy in a pack is no loss where a loose one is sound.
func TestASecondCopyIsUsed(t *testing.T) {
	dir := build(t, layoutNamed(t, "loose"))
	git(t, dir, nil, "repack", "-q", "-a") // keeps the loose ones
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	overwrite(t, packs[0], func(b []byte) []byte {
		for i := 100; i < len(b)-20; i++ {
			b[i] = 0xff
		}
		return b
	})
	_, r := open(t, dir, gitro.Limits{})
	if chain, err := r.Chain(tip(t, dir)); err != nil || len(chain) != 12 {
		t.Errorf("%d commits, %v; want 12", len(chain), err)
	}
}

// A chain of commits that ends early gives what is before the gap and names what is missing.
func TestChainStopsAtAGap(t *testing.T) {
	dir := build(t, layoutNamed(t, "loose"))
	newest := tip(t, dir)
	gap := parse(t, strings.TrimSpace(string(git(t, dir, nil, "rev-parse", newest.String()+"~4"))))
	remove(t, looseFile(dir, gap))
	_, r := open(t, dir, gitro.Limits{})
	chain, err := r.Chain(newest)
	if len(chain) != 4 || gitro.FaultOf(err) != gitro.FaultMissing || !strings.Contains(err.Error(), gap.String()) {
		t.Errorf("%d commits, %v; want 4 and the missing %s", len(chain), err, gap)
	}
}
