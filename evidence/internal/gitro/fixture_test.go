package gitro_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

// git is gittest.Run.
func git(t testing.TB, dir string, input []byte, args ...string) []byte {
	t.Helper()
	return gittest.Run(t, dir, input, args...)
}

// history is a fast-import stream of a few commits with everything that a tree may hold. The ids of its objects are
// the same in every run.
func history(commits int) []byte {
	var b bytes.Buffer
	for c := range commits {
		fmt.Fprintf(&b, "commit refs/hermes/0123456789abcdef\ncommitter Hermes Checkpoint <hermes@local> %d +0200\ndata 18\nbefore write_file\n\n", 1760000000+60*c)
		if c == 0 {
			fmt.Fprintf(&b, "M 120000 inline link\ndata 9\nnotes.txt\n")
			fmt.Fprintf(&b, "M 160000 %040d deep/er/tool\n", 7)
			fmt.Fprintf(&b, "M 100755 inline run.sh\ndata 2\nx\n\n")
			fmt.Fprintf(&b, "M 100644 inline \"caf\\351\\n.txt\"\ndata 5\nlatin\n")
			for i := range 60 {
				fmt.Fprintf(&b, "M 100644 inline src/d%d/f%d.txt\ndata %d\n%s\n", i%7, i, 4+i*30, strings.Repeat("line of text, again and again\n", i+1)[:4+i*30])
			}
		}
		body := strings.Repeat("a line that stays\n", 300) + fmt.Sprintf("edit %d\n", c)
		fmt.Fprintf(&b, "M 100644 inline src/d%d/changing.txt\ndata %d\n%s\n", c%7, len(body), body)
	}
	return b.Bytes()
}

// layout is a way to store the same history.
type layout struct {
	name string
	init []string
	make func(t testing.TB, dir string)
}

func layouts() []layout {
	pack := func(args ...string) func(t testing.TB, dir string) {
		return func(t testing.TB, dir string) {
			git(t, dir, history(12), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
			git(t, dir, nil, args...)
		}
	}
	return []layout{
		{"loose", nil, func(t testing.TB, dir string) {
			git(t, dir, history(12), "-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet")
		}},
		{"gc", nil, pack("gc", "-q", "--prune=now")},
		{"deep deltas", nil, pack("repack", "-q", "-adf", "--depth=200", "--window=250")},
		{"deltas by name", nil, pack("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-adf")},
		{"index version 1", nil, pack("-c", "pack.indexVersion=1", "repack", "-q", "-adf")},
		{"wide offsets", nil, func(t testing.TB, dir string) {
			pack("repack", "-q", "-adf")(t, dir)
			rewriteIndex(t, dir, "--index-version=2,0x40")
		}},
		{"sha256 loose", []string{"--object-format=sha256"}, func(t testing.TB, dir string) {
			git(t, dir, sha256History(), "-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet")
		}},
		{"sha256 packed", []string{"--object-format=sha256"}, func(t testing.TB, dir string) {
			git(t, dir, sha256History(), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
			git(t, dir, nil, "gc", "-q", "--prune=now")
		}},
		{"several packs and loose", nil, func(t testing.TB, dir string) {
			for n := 3; n <= 12; n += 3 {
				limit := "fastimport.unpackLimit=1"
				if n == 12 {
					limit = "fastimport.unpackLimit=100000"
				}
				git(t, dir, history(n), "-c", limit, "fast-import", "--quiet", "--force")
			}
		}},
	}
}

// sha256History is history with a gitlink of the other length.
func sha256History() []byte {
	return bytes.Replace(history(12), fmt.Appendf(nil, "%040d", 7), fmt.Appendf(nil, "%064d", 7), 1)
}

// rewriteIndex makes the index of the only pack anew with another option of index-pack.
func rewriteIndex(t testing.TB, dir, option string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("want one pack, have %v (%v)", packs, err)
	}
	idx := strings.TrimSuffix(packs[0], ".pack") + ".idx"
	if err := os.Remove(idx); err != nil {
		t.Fatal(err)
	}
	git(t, dir, nil, "index-pack", option, "-o", idx, packs[0])
}

// build makes a repository in a new folder.
func build(t testing.TB, l layout) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	git(t, dir, nil, append([]string{"init", "-q", "--bare"}, l.init...)...)
	l.make(t, dir)
	return dir
}

// open opens a repository until the test ends.
func open(t testing.TB, dir string, limits gitro.Limits) (*gitro.Repo, *gitro.Reader) {
	t.Helper()
	folder, err := gitro.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	repo, err := gitro.Open(folder, "", limits)
	if err != nil {
		t.Fatal(err)
	}
	r := repo.Reader()
	t.Cleanup(func() { _, _, _ = r.Close(), repo.Close(), folder.Close() })
	return repo, r
}

// tip is the commit of the history's ref.
func tip(t testing.TB, dir string) gitro.ID {
	t.Helper()
	return parse(t, strings.TrimSpace(string(git(t, dir, nil, "rev-parse", "refs/hermes/0123456789abcdef"))))
}

func parse(t testing.TB, text string) gitro.ID {
	t.Helper()
	id, err := gitro.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
