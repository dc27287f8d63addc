package gitro_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// What is more than the limits allow is an error of that kind, not memory.
func TestLimits(t *testing.T) {
	tests := []struct {
		name   string
		layout string
		limits gitro.Limits
	}{
		{"size, loose", "loose", gitro.Limits{Object: 1000}},
		{"size, packed", "gc", gitro.Limits{Object: 1000}},
		{"chain", "deep deltas", gitro.Limits{Chain: 1, DeltaBases: 1}},
		{"work", "gc", gitro.Limits{Work: 3000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := build(t, layoutNamed(t, tt.layout))
			limited := 0
			_, r := open(t, dir, tt.limits)
			for _, name := range strings.Fields(string(git(t, dir, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))) {
				if _, _, err := r.Object(parse(t, name)); err != nil {
					if gitro.FaultOf(err) != gitro.FaultLimit {
						t.Fatal(err)
					}
					limited++
				}
			}
			if limited == 0 {
				t.Error("no object met the limit")
			}
		})
	}
	for _, limits := range []gitro.Limits{{Depth: 1}, {Trees: 2}, {Entries: 3}} {
		t.Run(fmt.Sprintf("census %+v", limits), func(t *testing.T) {
			dir := build(t, layoutNamed(t, "gc"))
			repo, r := open(t, dir, limits)
			root, c := newest(t, repo, r, tip(t, dir))
			n, ok := c.Count(r, root)
			if !ok || !n.Damaged {
				t.Errorf("count %+v %v, want one that says it is not whole", n, ok)
			}
			limited := c.Stopped() != nil && c.Stopped().Fault == gitro.FaultLimit
			for _, d := range c.Damage() {
				limited = limited || d.Err.Fault == gitro.FaultLimit
			}
			if !limited {
				t.Errorf("no limit was told: %v %v", c.Stopped(), c.Damage())
			}
		})
	}
}

// The commits of all refs together, and what all readers inflate together, are bounded: a store can lead to the same
// history by a hundred thousand refs.
func TestLimitsOfAllTogether(t *testing.T) {
	dir := build(t, layoutNamed(t, "gc"))
	_, r := open(t, dir, gitro.Limits{History: 64 << 10})
	for i := 0; ; i++ {
		chain, err := r.Chain(tip(t, dir))
		if i == 0 && (err != nil || len(chain) == 0) {
			t.Fatalf("%d commits, %v, want a whole history at first", len(chain), err)
		}
		if gitro.FaultOf(err) == gitro.FaultLimit {
			break
		}
		if err != nil || i > 1000 {
			t.Fatalf("round %d: %v, want a limit in the end", i, err)
		}
	}
	repo, one := open(t, dir, gitro.Limits{Work: 1 << 20, DeltaBases: 1})
	other := repo.Reader()
	defer func() { _ = other.Close() }()
	id := tip(t, dir)
	for i := 0; ; i++ {
		if _, _, err := one.Object(id); gitro.FaultOf(err) == gitro.FaultLimit {
			break
		} else if err != nil || i > 1<<20 {
			t.Fatalf("round %d: %v, want a limit in the end", i, err)
		}
	}
	for i := 0; ; i++ { // what the first has not told yet is a sixteenth
		if _, _, err := other.Object(id); gitro.FaultOf(err) == gitro.FaultLimit {
			return
		} else if err != nil || i > 1<<10 {
			t.Fatalf("another reader, round %d: %v, want that the work of the first counts", i, err)
		}
	}
}

// A tree or commit has a limit of its own, far below that of a blob.
func TestLimitOfTrees(t *testing.T) {
	dir := build(t, layoutNamed(t, "gc"))
	content := strings.Repeat("x", 5000)
	blob := parse(t, strings.TrimSpace(string(git(t, dir, []byte(content), "hash-object", "-w", "--stdin"))))
	var list strings.Builder
	for i := range 200 {
		fmt.Fprintf(&list, "100644 blob %s\tf%d\n", blob, i)
	}
	tree := parse(t, strings.TrimSpace(string(git(t, dir, []byte(list.String()), "mktree"))))
	_, r := open(t, dir, gitro.Limits{Steering: 4000})
	if _, err := r.Expect(blob, gitro.Blob); err != nil {
		t.Errorf("a blob of 5000 bytes: %v", err)
	}
	if _, err := r.Tree(tree); gitro.FaultOf(err) != gitro.FaultLimit {
		t.Errorf("a tree of 6 KiB: %v, want a limit", err)
	}
}

// A hundred thousand refs are not all read.
func TestLimitOfRefs(t *testing.T) {
	dir := build(t, layoutNamed(t, "gc"))
	var b strings.Builder
	id := tip(t, dir)
	for i := range 100_000 {
		fmt.Fprintf(&b, "%s refs/hermes/%016x\n", id, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "packed-refs"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := gitro.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	refs := gitro.ReadRefs(folder, gitro.Limits{}, gitro.SHA1)
	told := slices.ContainsFunc(refs.Problems, func(p gitro.Problem) bool { return p.Fault == gitro.FaultLimit })
	if len(refs.All) > 1<<14 || len(refs.All) < 1000 || !told {
		t.Errorf("%d refs, problems %v; want a limit that is told", len(refs.All), refs.Problems)
	}
}

// A delta bomb: each object is ten MiB and costs a few bytes. Reading all of them ends at the limit of work, and the
// memory is that of two objects.
func TestDeltaBomb(t *testing.T) {
	dir := build(t, layoutNamed(t, "gc"))
	base := strings.Repeat("\x00", 10<<20)
	var ids []gitro.ID
	for i := range 12 {
		ids = append(ids, parse(t, strings.TrimSpace(string(git(t, dir, []byte(base+fmt.Sprint(i)), "hash-object", "-w", "--stdin")))))
	}
	var list strings.Builder
	for _, id := range ids {
		fmt.Fprintln(&list, id)
	}
	git(t, dir, []byte(list.String()), "pack-objects", "-q", "--depth=50", "--window=20", filepath.Join(dir, "objects", "pack", "pack"))
	git(t, dir, nil, "prune-packed")
	_, r := open(t, dir, gitro.Limits{Work: 64 << 20})
	read, limited := 0, 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, id := range ids {
		switch _, _, err := r.Object(id); {
		case err == nil:
			read++
		case gitro.FaultOf(err) == gitro.FaultLimit:
			limited++
		default:
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if read == 0 || limited == 0 {
		t.Errorf("%d objects were read, %d met the limit; want some of both", read, limited)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 48<<20 {
		t.Errorf("%d MiB were allocated, want the memory of two objects used again", got>>20)
	}
}
