package rollback_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

// realGit asks the git in PATH what a pathspec selects, in a repository of its own with nothing of the user's
// settings. Every file it records is the same empty blob.
type realGit struct {
	t     *testing.T
	dir   string
	blob  string
	index string
}

func newRealGit(t *testing.T) *realGit {
	t.Helper()
	g := &realGit{t: t, dir: t.TempDir()}
	if err := os.Mkdir(g.work(), 0o755); err != nil {
		t.Fatal(err)
	}
	g.must("", "init", "-q")
	g.blob = strings.TrimSpace(string(g.must("", "hash-object", "-w", "-t", "blob", "--stdin")))
	return g
}

// run gives stdout and the exit code; every other failure ends the test.
func (g *realGit) run(stdin string, args ...string) (out []byte, code int) {
	g.t.Helper()
	cmd := gittest.Command(g.t, filepath.Join(g.dir, "repo"), args...)
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = g.work()
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+g.work(), "GIT_INDEX_FILE="+g.index)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out, exit.ExitCode()
	}
	if err != nil {
		g.t.Fatalf("git %q: %v", args, err)
	}
	return out, 0
}

func (g *realGit) must(stdin string, args ...string) []byte {
	g.t.Helper()
	out, code := g.run(stdin, args...)
	if code != 0 {
		g.t.Fatalf("git %q: exit %d", args, code)
	}
	return out
}

func (g *realGit) work() string { return filepath.Join(g.dir, "work") }

// record makes an index and a tree of the leaves and gives the tree's id.
func (g *realGit) record(n int, leaves []leaf) string {
	g.t.Helper()
	g.index = filepath.Join(g.dir, fmt.Sprintf("index-%d", n))
	var lines strings.Builder
	for _, l := range leaves {
		fmt.Fprintf(&lines, "%o %s\t%s\x00", l.mode, g.blob, l.path)
	}
	g.must(lines.String(), "update-index", "-z", "--index-info")
	return strings.TrimSpace(string(g.must("", "write-tree", "--missing-ok")))
}

// answer is what a pathspec selects: paths, or why there are none.
type answer struct {
	Paths []string
	Error string // "", "no match" or "bad pathspec"
}

func answerOf(code int) string {
	switch code {
	case 0:
		return ""
	case 1:
		return "no match"
	}
	return "bad pathspec"
}

// lsFiles asks the index of the latest record.
func (g *realGit) lsFiles(spec string) answer {
	g.t.Helper()
	out, code := g.run("", "ls-files", "-z", "--error-unmatch", "--", spec)
	if code != 0 {
		return answer{Error: answerOf(code)}
	}
	return answer{Paths: split(out)}
}

// checkout takes a tree out into a new folder and lists what came.
func (g *realGit) checkout(tree string, specs ...string) answer {
	g.t.Helper()
	if err := errors.Join(os.RemoveAll(g.work()), os.Mkdir(g.work(), 0o755)); err != nil {
		g.t.Fatal(err)
	}
	kept := g.index
	defer func() { g.index = kept }()
	g.index = filepath.Join(g.dir, "index-checkout")
	if err := os.Remove(g.index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.t.Fatal(err)
	}
	if _, code := g.run("", append([]string{"checkout", "-q", tree, "--"}, specs...)...); code != 0 {
		return answer{Error: answerOf(code)}
	}
	return answer{Paths: g.listWork()}
}

// listWork lists files, and the empty folders that stand for nested repositories.
func (g *realGit) listWork() []string {
	g.t.Helper()
	var out []string
	err := filepath.WalkDir(g.work(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == g.work() {
			return err
		}
		if d.IsDir() {
			inside, err := os.ReadDir(path)
			if err != nil || len(inside) > 0 {
				return err
			}
		}
		out = append(out, strings.TrimPrefix(path, g.work()+"/"))
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func split(out []byte) []string {
	var paths []string
	for p := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(p) > 0 {
			paths = append(paths, string(p))
		}
	}
	return paths
}
