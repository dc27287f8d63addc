package checkpoints_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// listing is what a tree holds, by git or by the audit.
type listing struct {
	Files, Links, Folders int64
	Gitlinks              []string // path and commit, in the order of the tree
}

// byGit lists a commit with git ls-tree.
func (s *store) byGit(commit string) listing {
	var l listing
	for _, line := range strings.Split(strings.TrimSuffix(s.git("", "ls-tree", "-r", "-t", "-z", commit), "\x00"), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		words := strings.Fields(head)
		switch words[0] {
		case "040000":
			l.Folders++
		case "120000":
			l.Links++
		case "160000":
			l.Gitlinks = append(l.Gitlinks, path+" "+words[2])
		default:
			l.Files++
		}
	}
	return l
}

func byAudit(c *checkpoints.Checkpoint) listing {
	l := listing{Files: c.Count.Files, Links: c.Count.Links, Folders: c.Count.Folders}
	for _, n := range c.Nested {
		l.Gitlinks = append(l.Gitlinks, n.Path+" "+n.Commit.String())
	}
	return l
}

// The audit of every commit must equal git ls-tree, whatever the hash, the packing and the names.
func TestAuditEqualsGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s packed=%v", format, packed), func(t *testing.T) {
				s := newStore(t, format)
				s.take(history(map[string]int{"sha1": 40, "sha256": 64}[format])...)
				if packed {
					s.git("", "repack", "-a", "-d", "-q")
					s.git("", "pack-refs", "--all")
				}
				audit := s.read(checkpoints.Options{Objects: true, Deep: true})
				checked := 0
				for _, p := range audit.Stores[0].Projects {
					ids := strings.Fields(s.git("", "rev-list", "refs/hermes/"+p.Source.ID))
					if len(ids) != len(p.Checkpoints) {
						t.Fatalf("%d checkpoints, git has %d", len(p.Checkpoints), len(ids))
					}
					for i := range p.Checkpoints {
						c := &p.Checkpoints[i]
						if c.Commit.ID.String() != ids[i] || c.N != i+1 || !c.Whole {
							t.Errorf("checkpoint %d is number %d, %s, whole %v; git says %s", i+1, c.N, c.Commit.ID, c.Whole, ids[i])
						}
						if diff := cmp.Diff(s.byGit(ids[i]), byAudit(c)); diff != "" {
							t.Errorf("checkpoint %d of %s (-git +audit):\n%s", c.N, p.Source.ID, diff)
						}
						checked++
					}
				}
				if checked != 12 {
					t.Errorf("%d checkpoints were compared, want 12", checked)
				}
				if n := len(audit.Stores[0].Damage); n > 0 {
					t.Errorf("%d losses in a sound store", n)
				}
			})
		}
	}
}

// history is two projects with all kinds of entries: nested repositories at depth, names that are no UTF-8 or look like
// Windows paths, a gitlink that becomes a file and a gitlink again, trees that both projects share.
func history(digits int) []commit {
	a, b := strings.Repeat("a", digits), strings.Repeat("b", digits)
	var list []commit
	for _, ref := range []string{"refs/hermes/0000000000000001", "refs/hermes/0000000000000002"} {
		list = append(list,
			commit{ref, "before write_file", file("100644", "a.txt", "1") + file("100755", "bin/run", "x") + file("120000", "to", "a.txt")},
			commit{ref, "before patch", link("deep/er/and/deeper/still/lib", a) + file("100644", "deep/er/plain", "p")},
			commit{ref, "before patch", link("caf\xe9/\xff", b) + file("100644", "C:\\Users\\you\\x", "w") + file("100644", "tab\tand\nline", "n")},
			commit{ref, "before patch", remove("deep/er/and/deeper/still/lib") + file("100644", "deep/er/and/deeper/still/lib", "now a file")},
			commit{ref, "before patch", link("deep/er/and/deeper/still/lib", b) + link("lib.d", a) + link("lib", a)},
			commit{ref, "before terminal: rm", remove("deep") + file("100644", "new/x", ref)},
		)
	}
	return list
}

func TestSince(t *testing.T) {
	s := newStore(t, "sha1")
	ref, id := "refs/hermes/0000000000000001", strings.Repeat("a", 40)
	s.take(
		commit{ref, "1", link("x", id) + file("100644", "f", "1")},
		commit{ref, "2", remove("x")},
		commit{ref, "3", link("x", id)},
		commit{ref, "4", link("y", strings.Repeat("b", 40))},
		commit{ref, "5", ""},
	)
	got := map[int]map[string]int{}
	for _, c := range s.read(checkpoints.Options{}).Stores[0].Projects[0].Checkpoints {
		got[c.N] = map[string]int{}
		for _, n := range c.Nested {
			got[c.N][n.Path] = n.Since
		}
	}
	want := map[int]map[string]int{1: {"x": 3, "y": 2}, 2: {"x": 3, "y": 2}, 3: {"x": 3}, 4: {}, 5: {"x": 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("since (-want +got):\n%s", diff)
	}
}

// A recorded commit that is an object of the store is unusual, and told.
func TestRecordedCommitInStore(t *testing.T) {
	s := newStore(t, "sha1")
	s.take(commit{"refs/hermes/0000000000000001", "1", file("100644", "f", "1")})
	tip := strings.TrimSpace(s.git("", "rev-parse", "refs/hermes/0000000000000001"))
	s.take(commit{"refs/hermes/0000000000000002", "1", link("own", tip) + link("other", strings.Repeat("a", 40))})
	got := map[string]bool{}
	for _, n := range s.read(checkpoints.Options{}).Stores[0].Projects[1].Checkpoints[0].Nested {
		got[n.Path] = n.InStore
	}
	if diff := cmp.Diff(map[string]bool{"own": true, "other": false}, got); diff != "" {
		t.Errorf("in the store (-want +got):\n%s", diff)
	}
}

// Trees that name more nested repositories than can be held are counted, not listed, and the limit is told.
func TestTooManyNested(t *testing.T) {
	s := newStore(t, "sha1")
	id := strings.Repeat("a", 40)
	var leaf strings.Builder
	for i := range 200 {
		fmt.Fprintf(&leaf, "160000 commit %s\tr%03d\n", id, i)
	}
	tree := strings.TrimSpace(s.git(leaf.String(), "mktree", "--missing"))
	for range 3 { // 200 below 200 below … without 200 times the objects
		var level strings.Builder
		for i := range 200 {
			fmt.Fprintf(&level, "040000 tree %s\td%03d\n", tree, i)
		}
		tree = strings.TrimSpace(s.git(level.String(), "mktree"))
	}
	tip := strings.TrimSpace(s.git("", "-c", "user.name=x", "-c", "user.email=x", "commit-tree", "-m", "before patch", tree))
	s.git("", "update-ref", "refs/hermes/0000000000000001", tip)
	audit := s.read(checkpoints.Options{Objects: true}).Stores[0]
	c := &audit.Projects[0].Checkpoints[0]
	if c.Total != 200*200*200*200 || int64(len(c.Nested)) >= c.Total || len(c.Nested) == 0 {
		t.Errorf("%d nested repositories, %d listed", c.Total, len(c.Nested))
	}
	if audit.Limit == "" {
		t.Error("the limit is not told")
	}
}
