package contents_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// forty is a store of forty projects with twenty checkpoints each. Some files are the same in all of a project, some in
// several projects, and some in one checkpoint only; a folder appears twice in one tree, and one goes and comes back.
func forty(t *testing.T) *store {
	s := newStore(t)
	var all commits
	for p := range 40 {
		id := fmt.Sprintf("%016x", p+1)
		for n := range 20 {
			own := fmt.Sprintf("p%d n%d %s", p, n, strings.Repeat("x", 10*p+n))
			files := []file{
				{"100644", "shared/by/groups.txt", fmt.Sprintf("group %d", p/4)}, {"100644", "of/the/project.txt", fmt.Sprintf("project %d", p)},
				{"100755", "now.sh", own}, {"100644", "twice/a/x", own + "!"}, {"100644", "twice/b/x", own + "!"}, {"120000", "link", "/etc/passwd"},
			}
			if n%3 == 0 {
				files = append(files, file{"100644", "comes/and/goes", fmt.Sprintf("p%d", p)}, file{"160000", "tool", nestedCommit})
			}
			all.add(id, n, files...)
		}
	}
	s.load(&all)
	return s
}

// Sizes are those that come of asking git for every object and counting each checkpoint by itself.
func TestWeigh(t *testing.T) {
	s := forty(t)
	cp, _ := s.open()
	sizes, err := contents.Weigh(t.Context(), cp)
	if err != nil {
		t.Fatal(err)
	}
	size, holds := s.objects()
	type holder struct{ project, n int }
	inCheckpoint, inProject := map[string]map[holder]bool{}, map[string]map[int]bool{}
	listed := map[holder][]string{}
	for p, project := range cp.Projects {
		for n, c := range project.Chain {
			h := holder{p, n}
			for id := range below(c.Tree.String(), holds) {
				if inCheckpoint[id] == nil {
					inCheckpoint[id], inProject[id] = map[holder]bool{}, map[int]bool{}
				}
				inCheckpoint[id][h], inProject[id][p] = true, true
				listed[h] = append(listed[h], id)
			}
		}
	}
	for p, project := range cp.Projects {
		var whole contents.Size
		seen := map[string]bool{}
		for n := range project.Chain {
			var want contents.Size
			for _, id := range listed[holder{p, n}] {
				want.Bytes += size[id]
				if len(inCheckpoint[id]) == 1 {
					want.Unique += size[id]
				}
				if seen[id] {
					continue
				}
				seen[id] = true
				whole.Bytes += size[id]
				if len(inProject[id]) == 1 {
					whole.Unique += size[id]
				}
			}
			want.Shared = want.Bytes - want.Unique
			if d := cmp.Diff(want, sizes.Checkpoint(project, n)); d != "" {
				t.Fatalf("checkpoint %d of %s (-git +got):\n%s", n+1, project.ID, d)
			}
		}
		whole.Shared = whole.Bytes - whole.Unique
		if d := cmp.Diff(whole, sizes.Project(project)); d != "" {
			t.Fatalf("project %s (-git +got):\n%s", project.ID, d)
		}
	}
}

// objects gives the size of every object, and what each tree names but for gitlinks.
func (s *store) objects() (size map[string]int64, holds map[string][]string) {
	size, holds = map[string]int64{}, map[string][]string{}
	out := s.git(nil, "cat-file", "--batch-all-objects", "--batch")
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		f := strings.Fields(string(head))
		n, err := strconv.Atoi(f[2])
		if err != nil {
			s.t.Fatal(err)
		}
		size[f[0]] = int64(n)
		for content := rest[:n]; f[1] == "tree" && len(content) > 0; {
			entry, after, _ := bytes.Cut(content, []byte("\x00"))
			if !bytes.HasPrefix(entry, []byte("160000 ")) {
				holds[f[0]] = append(holds[f[0]], hex.EncodeToString(after[:20]))
			}
			content = after[20:]
		}
		out = rest[n+1:]
	}
	return size, holds
}

// below are an object and all that it holds, each once.
func below(id string, holds map[string][]string) map[string]bool {
	out := map[string]bool{}
	for todo := []string{id}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !out[id] {
			out[id] = true
			todo = append(todo, holds[id]...)
		}
	}
	return out
}

// What is lost weighs nothing and is counted.
func TestWeighMissing(t *testing.T) {
	s := newStore(t)
	s.checkpoint(project, 0, file{"100644", "a", "aa"}, file{"100644", "b", "bbb"})
	s.lose(s.id("refs/hermes/" + project + ":b").String())
	cp, _ := s.open()
	sizes, err := contents.Weigh(t.Context(), cp)
	if err != nil {
		t.Fatal(err)
	}
	tree := int64(2 * len("100644 a\x0001234567890123456789"))
	want := contents.Size{Bytes: tree + 2, Unique: tree + 2, Missing: 1}
	if d := cmp.Diff(want, sizes.Project(projectOf(t, cp, project))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
