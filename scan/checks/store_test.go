package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// gitStore makes an empty bare repository below a home and gives a function that runs git in it.
func gitStore(t *testing.T, dir string) func(input string, args ...string) string {
	t.Helper()
	run := func(input string, args ...string) string {
		t.Helper()
		return gittest.Line(t, dir, []byte(input), args...)
	}
	gittest.Init(t, dir, "--template=")
	for _, set := range [][2]string{{"user.name", "Hermes Checkpoint"}, {"user.email", "hermes@local"}} {
		run("", "config", set[0], set[1])
	}
	return run
}

func run(t *testing.T, path string, o scan.Options) *scan.Result {
	t.Helper()
	b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r, err := scan.Run(t.Context(), b, checks.All(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func status(r *scan.Result, id string) scan.CheckStatus {
	i := slices.IndexFunc(r.Checks, func(c scan.CheckStatus) bool { return c.ID == id })
	if i < 0 {
		return scan.CheckStatus{}
	}
	s := r.Checks[i]
	s.Millis = 0
	return s
}

// nestedStore is a store whose one checkpoint misses a nested repository.
func nestedStore(t *testing.T, dir, project string) {
	t.Helper()
	git := gitStore(t, dir)
	tree := git("160000 commit "+strings.Repeat("a", 40)+"\tlib\n", "mktree", "--missing")
	git("", "update-ref", "refs/hermes/"+project, git("", "commit-tree", "-m", "before patch", tree))
}

// What a store holds too much of is not silently left out.
func TestStoreTooLarge(t *testing.T) {
	base := filepath.Join(t.TempDir(), "checkpoints")
	git := gitStore(t, filepath.Join(base, "store"))
	tree, mode, kind := strings.Repeat("a", 40), "160000", "commit"
	for range 4 { // 200 in each of 200 in each of 200 …
		var lines strings.Builder
		for i := range 200 {
			fmt.Fprintf(&lines, "%s %s %s\td%03d\n", mode, kind, tree, i)
		}
		tree, mode, kind = git(lines.String(), "mktree", "--missing"), "040000", "tree"
	}
	git("", "update-ref", "refs/hermes/0123456789abcdef", git("", "commit-tree", "-m", "before patch", tree))
	r := run(t, base, scan.Options{})
	for _, id := range []string{"nested-repo-uncaptured", "nested-label-mismatch", "blob-missing", "tree-missing"} {
		want := scan.CheckStatus{ID: id, Status: scan.Failed, Reason: "limit"}
		if diff := cmp.Diff(want, status(r, id)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if r.Verdict.Word != scan.Inconclusive {
		t.Errorf("verdict %s, want %s", r.Verdict.Word, scan.Inconclusive)
	}
}

// The bases of a home and of its profiles are told apart, and each is checked.
func TestStoresOfProfiles(t *testing.T) {
	home := t.TempDir()
	nestedStore(t, filepath.Join(home, "checkpoints", "store"), "0123456789abcdef")
	nestedStore(t, filepath.Join(home, "profiles", "coder", "checkpoints", "store"), "0123456789abcdef")
	r := run(t, home, scan.Options{Only: []string{"nested-repo-uncaptured"}})
	var stores, ids []string
	for _, f := range r.Findings {
		stores, ids = append(stores, f.Subject.Store), append(ids, f.ID())
	}
	if diff := cmp.Diff([]string{"checkpoints/store", "profiles/coder/checkpoints/store"}, stores); diff != "" {
		t.Errorf("stores of the findings (-want +got):\n%s", diff)
	}
	if len(ids) == 2 && ids[0] == ids[1] {
		t.Errorf("both findings have the id %s", ids[0])
	}
	if len(r.Checkpoints) != 2 || len(r.Bases) != 2 {
		t.Errorf("%d projects of %d bases, want 2 of 2", len(r.Checkpoints), len(r.Bases))
	}
}

// Stores are left alone when no check that looks at one is wanted.
func TestStoreNotWanted(t *testing.T) {
	base := filepath.Join(t.TempDir(), "checkpoints")
	nestedStore(t, filepath.Join(base, "store"), "0123456789abcdef")
	r := run(t, base, scan.Options{Only: []string{"orphan-session"}})
	if len(r.Bases) != 0 || len(r.Checkpoints) != 0 || len(r.Findings) != 0 {
		t.Errorf("%d bases, %d projects, %d findings; want none", len(r.Bases), len(r.Checkpoints), len(r.Findings))
	}
	want := scan.CheckStatus{ID: "nested-repo-uncaptured", Status: scan.Skipped, Reason: "deselected"}
	if diff := cmp.Diff(want, status(r, want.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A link in the place of the folder is not followed, and nothing found behind it is not "clean".
func TestStoreBehindLink(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	nestedStore(t, filepath.Join(elsewhere, "store"), "0123456789abcdef")
	if err := os.Symlink(elsewhere, filepath.Join(home, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	r := run(t, home, scan.Options{})
	if len(r.Findings) != 0 || r.Verdict.Word != scan.Inconclusive {
		t.Errorf("%d findings, verdict %s; want none, %s", len(r.Findings), r.Verdict.Word, scan.Inconclusive)
	}
}
