package gitro_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// Every object, every tree of every commit, and the chain are what git says they are, however they are stored.
func TestReadsWhatGitReads(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.name, func(t *testing.T) {
			dir := build(t, l)
			repo, r := open(t, dir, gitro.Limits{})
			if p := repo.Problems(); len(p) > 0 {
				t.Errorf("problems in a sound store: %v", p)
			}
			n := 0
			for rest := git(t, dir, nil, "cat-file", "--batch-all-objects", "--batch"); len(rest) > 0; n++ {
				var name, kind string
				var size int
				head, data, _ := bytes.Cut(rest, []byte("\n"))
				if _, err := fmt.Sscan(string(head), &name, &kind, &size); err != nil {
					t.Fatal(err)
				}
				sameObject(t, r, name, kind, data[:size])
				rest = data[size+1:]
			}
			if n < 50 {
				t.Fatalf("git lists %d objects, too few to prove anything", n)
			}
			chain, err := r.Chain(tip(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, c := range chain {
				ids = append(ids, c.ID.String())
				sameTree(t, dir, r, c)
			}
			if diff := cmp.Diff(strings.Fields(string(git(t, dir, nil, "rev-list", "--all"))), ids); diff != "" {
				t.Errorf("chain (-git +read)\n%s", diff)
			}
		})
	}
}

func sameObject(t *testing.T, r *gitro.Reader, name, kind string, want []byte) {
	t.Helper()
	got, data, err := r.Object(parse(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != kind || !bytes.Equal(data, want) {
		t.Fatalf("%s is a %s of %d bytes, git reads a %s of %d", name, got, len(data), kind, len(want))
	}
	st, err := r.Stat(parse(t, name))
	if err != nil || st.Kind != got || st.Size != int64(len(want)) {
		t.Errorf("Stat(%s) = %v %d, %v; want %v %d", name, st.Kind, st.Size, err, got, len(want))
	}
	if kind == "blob" {
		var b bytes.Buffer
		if _, err := r.Blob(parse(t, name), &b); err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("Blob(%s): %d bytes, %v; want %d", name, b.Len(), err, len(want))
		}
	}
	found, err := r.Prefix(name[:12], 10)
	if diff := cmp.Diff([]string{name}, names(found)); err != nil || diff != "" {
		t.Errorf("Prefix(%s): %v\n%s", name[:12], err, diff)
	}
}

func names(ids []gitro.ID) []string {
	var out []string
	for _, id := range ids {
		out = append(out, id.String())
	}
	return out
}

func sameTree(t *testing.T, dir string, r *gitro.Reader, c gitro.CommitInfo) {
	t.Helper()
	want := strings.Split(strings.TrimSuffix(string(git(t, dir, nil, "ls-tree", "-r", "-t", "-z", c.ID.String())), "\x00"), "\x00")
	if diff := cmp.Diff(want, lsTree(t, r, c.Tree)); diff != "" {
		t.Errorf("ls-tree -r -t %s (-git +read)\n%s", c.ID, diff)
	}
	head := fmt.Sprintf("%s %d %s %s", c.Tree, c.Committer.When, c.Committer.Zone, c.Message)
	if want := git(t, dir, nil, "show", "-s", "--format=tformat:%T %cd %B", "--date=raw", c.ID.String()); strings.TrimSpace(string(want)) != strings.TrimSpace(head) {
		t.Errorf("commit %s reads as %q, git says %q", c.ID, head, want)
	}
}

// lsTree spells a tree as `git ls-tree -r -t -z` does.
func lsTree(t *testing.T, r *gitro.Reader, tree gitro.ID) []string {
	t.Helper()
	var lines []string
	err := r.Walk(t.Context(), tree, gitro.WalkOptions{}, func(path []byte, e gitro.TreeEntry, err error) error {
		kind := "blob"
		switch e.Mode.Canonical() {
		case gitro.ModeTree:
			kind = "tree"
		case gitro.ModeGitlink:
			kind = "commit"
		}
		lines = append(lines, fmt.Sprintf("%06o %s %s\t%s", uint32(e.Mode.Canonical()), kind, e.ID, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// The census counts what git lists, in every layout and with any number of workers.
func TestCensusCountsWhatGitLists(t *testing.T) {
	for _, l := range layouts() {
		dir := build(t, l)
		for _, workers := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%s, %d workers", l.name, workers), func(t *testing.T) {
				repo, r := open(t, dir, gitro.Limits{})
				chain, err := r.Chain(tip(t, dir))
				if err != nil {
					t.Fatal(err)
				}
				var roots []gitro.ID
				for _, c := range chain {
					roots = append(roots, c.Tree)
				}
				seen := make([]map[gitro.ID]int, workers)
				for i := range seen {
					seen[i] = map[gitro.ID]int{}
				}
				c, err := repo.Census(t.Context(), roots, gitro.CensusOptions{Workers: workers, Blobs: true,
					Visit: func(worker int, tree gitro.ID, _ func(func(gitro.Mode, []byte, []byte) bool)) { seen[worker][tree]++ }})
				if err != nil {
					t.Fatal(err)
				}
				listed := strings.Fields(string(git(t, dir, nil, "rev-list", "--objects", "--no-object-names", "--all", "--filter=object:type=tree", "--filter-provided-objects")))
				var visited []string
				for _, m := range seen {
					for id, n := range m {
						if n != 1 {
							t.Errorf("tree %s was visited %d times", id, n)
						}
						visited = append(visited, id.String())
					}
				}
				slices.Sort(listed)
				slices.Sort(visited)
				if diff := cmp.Diff(listed, visited); diff != "" {
					t.Errorf("trees (-git +visited)\n%s", diff)
				}
				for _, root := range roots {
					sameCount(t, c, r, root)
				}
				if len(c.Damage()) > 0 || len(c.LostBlobs()) > 0 || c.Stopped() != nil {
					t.Errorf("damage in a sound store: %v %v %v", c.Damage(), c.LostBlobs(), c.Stopped())
				}
			})
		}
	}
}

func sameCount(t *testing.T, c *gitro.Census, r *gitro.Reader, root gitro.ID) {
	t.Helper()
	var want gitro.Count
	var links []string
	for _, line := range lsTree(t, r, root) {
		switch line[:6] {
		case "040000":
			want.Folders++
		case "160000":
			want.Gitlinks++
			links = append(links, line[strings.IndexByte(line, '\t')+1:])
		case "120000":
			want.Links++
		default:
			want.Files++
		}
	}
	got, ok := c.Count(r, root)
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("count of %s (-listed +counted)\n%s", root, diff)
	}
	var found []string
	err := c.Gitlinks(t.Context(), r, root, func(path []byte, _ gitro.ID) error {
		found = append(found, string(path))
		return nil
	})
	if diff := cmp.Diff(links, found); err != nil || diff != "" {
		t.Errorf("gitlinks of %s: %v\n%s", root, err, diff)
	}
}

// A store that lost everything but its objects still reads.
func TestObjectsAloneAreEnough(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.name, func(t *testing.T) {
			dir := build(t, l)
			want := tip(t, dir)
			for _, name := range []string{"HEAD", "config", "refs", "packed-refs", "info", "hooks", "description"} {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			repo, r := open(t, dir, gitro.Limits{})
			wantFormat := gitro.SHA1
			if l.init != nil {
				wantFormat = gitro.SHA256
			}
			if repo.Format() != wantFormat {
				t.Fatalf("format %s, want %s", repo.Format(), wantFormat)
			}
			chain, err := r.Chain(want)
			if err != nil || len(chain) != 12 {
				t.Errorf("chain of %d commits, %v; want 12", len(chain), err)
			}
		})
	}
}

// What no ref leads to is found, and what one does is not told.
func TestUnreached(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.name, func(t *testing.T) {
			dir := build(t, l)
			old := tip(t, dir)
			kept := parse(t, strings.TrimSpace(string(git(t, dir, nil, "rev-parse", old.String()+"~3"))))
			repo, r := open(t, dir, gitro.Limits{})
			chain, err := r.Chain(kept)
			if err != nil {
				t.Fatal(err)
			}
			var roots, commits []gitro.ID
			for _, c := range chain {
				roots, commits = append(roots, c.Tree), append(commits, c.ID)
			}
			c, err := repo.Census(t.Context(), roots, gitro.CensusOptions{Blobs: true})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			err = r.Unreached(t.Context(), r.Mark(c.Reached(), commits), 0, func(id gitro.ID, _ gitro.ObjectStat, err error) error {
				got = append(got, id.String())
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(string(git(t, dir, nil, "rev-list", "--objects", "--no-object-names", "--all", "^"+kept.String())))
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("unreached (-git +read)\n%s", diff)
			}
		})
	}
}
