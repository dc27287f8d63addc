package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

const projectOne, projectTwo = "0123456789abcdef", "fedcba9876543210"

// history makes a base whose v2 store has a history for each project: checkpoint n of it holds one file. shift moves the
// time of each, and from is the number of the first: the product's trimming commits anew what it keeps.
type history struct {
	id              string
	from, to, shift int
}

func base(t *testing.T, list ...history) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkpoints")
	store := filepath.Join(dir, "store")
	gittest.Init(t, store, "--template=")
	if err := os.Mkdir(filepath.Join(store, "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, h := range list {
		if err := os.WriteFile(filepath.Join(store, "projects", h.id+".json"), fmt.Appendf(nil, `{"workdir": "/home/you/%s"}`, h.id[:4]), 0o600); err != nil {
			t.Fatal(err)
		}
		for n := h.from; n <= h.to; n++ {
			message := fmt.Sprintf("before turn %d", n)
			fmt.Fprintf(&b, "commit refs/hermes/%s\ncommitter Hermes Checkpoint <hermes@local> %d +0200\ndata %d\n%s\nM 100644 inline f%d\ndata 2\n%d\n\n",
				h.id, 1786352400+60*n+h.shift, len(message), message, n%3, n%10)
		}
	}
	gittest.Run(t, store, []byte(b.String()), "-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet")
	return dir
}

// rewritten commits the newest trees of a history anew, oldest first and without a parent, as trimming does; the old
// commits stay as loose objects. reset gives all of them one time, as older builds do.
func rewritten(t *testing.T, dir, id string, keep int, reset bool) {
	t.Helper()
	store := filepath.Join(dir, "store")
	var parent string
	list := strings.Split(gittest.Line(t, store, nil, "log", "-n", fmt.Sprint(keep), "--format=%T,%at,%s", "refs/hermes/"+id), "\n")
	for i := len(list) - 1; i >= 0; i-- {
		part := strings.SplitN(list[i], ",", 3)
		at := part[1]
		if reset {
			at = "1790000000"
		}
		text := fmt.Sprintf("tree %s\n%sauthor Hermes Checkpoint <hermes@local> %s +0200\ncommitter Hermes Checkpoint <hermes@local> %s +0200\n\n%s\n", part[0], parent, at, at, part[2])
		parent = "parent " + gittest.Line(t, store, []byte(text), "hash-object", "-t", "commit", "-w", "--stdin") + "\n"
	}
	gittest.Run(t, store, nil, "update-ref", "refs/hermes/"+id, strings.Fields(parent)[1])
}

func bases(t *testing.T, paths ...string) []*evidence.CheckpointBase {
	t.Helper()
	b, err := evidence.Open(t.Context(), paths, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b.Checkpoints
}

func TestBases(t *testing.T) {
	five := history{id: projectOne, from: 1, to: 5}
	type project struct {
		ID      string
		Changes []compare.Change
		Points  compare.Points
	}
	tests := []struct {
		name     string
		a, b     []history
		change   func(t *testing.T, dir string) // to B
		want     []project
		lossless bool
	}{
		{"the same", []history{five}, []history{five}, nil, nil, true},
		{"one more checkpoint", []history{five}, []history{{id: projectOne, from: 1, to: 6}}, nil, []project{{projectOne, []compare.Change{compare.Grown}, compare.Points{Same: 5, Added: 1}}}, true},
		{"one more project", []history{five}, []history{five, {id: projectTwo, from: 1, to: 2}}, nil, []project{{projectTwo, []compare.Change{compare.Added}, compare.Points{Added: 2}}}, true},
		{"a project is lost", []history{five, {id: projectTwo, from: 11, to: 12}}, []history{five}, nil, []project{{projectTwo, []compare.Change{compare.Lost}, compare.Points{Lost: 2}}}, false},
		{"the newest are lost", []history{five}, []history{{id: projectOne, from: 1, to: 3}}, nil, []project{{projectOne, []compare.Change{compare.Shrunk}, compare.Points{Same: 3, Lost: 2}}}, false},
		{"a ref that went back, the commits are still there", []history{five}, []history{five}, func(t *testing.T, dir string) {
			gittest.Run(t, filepath.Join(dir, "store"), nil, "update-ref", "refs/hermes/"+projectOne, "refs/hermes/"+projectOne+"~2")
		}, []project{{projectOne, []compare.Change{compare.Shrunk}, compare.Points{Same: 3, Lost: 2, InStore: 2}}}, false},
		{"a ref is lost, the json is there", []history{five}, []history{five}, func(t *testing.T, dir string) {
			gittest.Run(t, filepath.Join(dir, "store"), nil, "update-ref", "-d", "refs/hermes/"+projectOne)
		}, []project{{projectOne, []compare.Change{compare.Shrunk}, compare.Points{Lost: 5, InStore: 5}}}, false},
		{"trimmed, times kept", []history{five}, []history{five}, func(t *testing.T, dir string) { rewritten(t, dir, projectOne, 3, false) },
			[]project{{projectOne, []compare.Change{compare.Shrunk, compare.ReCommitted}, compare.Points{ReCommitted: 3, Lost: 2, Trimmed: 2, InStore: 2}}}, false},
		{"trimmed, times reset", []history{five}, []history{five}, func(t *testing.T, dir string) { rewritten(t, dir, projectOne, 3, true) },
			[]project{{projectOne, []compare.Change{compare.Shrunk, compare.ReStamped}, compare.Points{ReStamped: 3, Lost: 2, Trimmed: 2, InStore: 2}}}, false},
		{"trimmed and swept", []history{five}, []history{five}, func(t *testing.T, dir string) {
			rewritten(t, dir, projectOne, 3, false)
			gittest.Run(t, filepath.Join(dir, "store"), nil, "gc", "--quiet", "--prune=now")
		}, []project{{projectOne, []compare.Change{compare.Shrunk, compare.ReCommitted}, compare.Points{ReCommitted: 3, Lost: 2, Trimmed: 2}}}, false},
		{"another project in the same place", []history{five}, []history{{id: projectTwo, from: 1, to: 5}}, nil,
			[]project{{projectOne, []compare.Change{compare.Lost}, compare.Points{Lost: 5, InStore: 5}}, {projectTwo, []compare.Change{compare.Added}, compare.Points{Added: 5}}}, false},
		{"another history of the same length", []history{five}, []history{{id: projectOne, from: 11, to: 15}}, nil,
			[]project{{projectOne, []compare.Change{compare.Shrunk, compare.Grown}, compare.Points{Lost: 5, Added: 5}}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := base(t, tt.a...), base(t, tt.b...)
			if tt.change != nil {
				tt.change(t, b)
			}
			got := compare.Bases(bases(t, a), bases(t, b))
			if len(got) != 1 || len(got[0].Unread) > 0 {
				t.Fatalf("%+v", got)
			}
			var list []project
			for _, p := range got[0].Projects {
				list = append(list, project{p.ID, p.Changes, p.Points})
			}
			if diff := gocmp.Diff(tt.want, list, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got[0].Lossless() != tt.lossless {
				t.Errorf("lossless: %v", got[0].Lossless())
			}
			if back := compare.Bases(bases(t, b), bases(t, a))[0]; back.Points.Lost != got[0].Points.Added || back.Points.Added != got[0].Points.Lost || back.Same != got[0].Same {
				t.Errorf("the other way: %+v, %+v", back.Points, got[0].Points)
			}
		})
	}
}

// TestBasesNameWhatIsLost looks at the commits themselves, and at a repository that moved into an archive.
func TestBasesNameWhatIsLost(t *testing.T) {
	a, b := base(t, history{id: projectOne, from: 1, to: 3}), base(t, history{id: projectOne, from: 1, to: 2})
	got := compare.Bases(bases(t, a), bases(t, b))[0].Projects
	want := gittest.Line(t, filepath.Join(a, "store"), nil, "rev-parse", "refs/hermes/"+projectOne)
	if len(got) != 1 || len(got[0].Lost) != 1 || got[0].Lost[0] != (compare.Point{ID: want, N: 1, At: 1786352400 + 180, Subject: "before turn 3"}) {
		t.Errorf("%+v, want commit %s", got, want)
	}
	if got[0].Workdir != "/home/you/0123" {
		t.Errorf("workdir %q", got[0].Workdir)
	}
}

// TestBasesLeaveOutWhatCannotBeRead: a history behind a folder that nobody may read is neither lost nor the same.
func TestBasesLeaveOutWhatCannotBeRead(t *testing.T) {
	a, b := base(t, history{id: projectOne, from: 1, to: 3}), base(t, history{id: projectOne, from: 1, to: 3})
	for _, name := range []string{"refs", "projects"} {
		if err := os.RemoveAll(filepath.Join(b, "store", name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(t.TempDir(), filepath.Join(b, "store", name)); err != nil {
			t.Fatal(err)
		}
	}
	got := compare.Bases(bases(t, a), bases(t, b))[0]
	if len(got.Unread) == 0 || len(got.Projects) > 0 || got.Same > 0 {
		t.Errorf("%+v", got)
	}
}

// TestBasesOfOneSide: a folder that one copy has alone.
func TestBasesOfOneSide(t *testing.T) {
	a := bases(t, base(t, history{id: projectOne, from: 1, to: 3}))
	if got := compare.Bases(a, nil)[0]; got.In != compare.A || got.Lossless() || got.Points != (compare.Points{Lost: 3}) || got.A.Checkpoints != 3 {
		t.Errorf("%+v", got)
	}
	if got := compare.Bases(nil, a)[0]; got.In != compare.B || !got.Lossless() || got.Points != (compare.Points{Added: 3}) {
		t.Errorf("%+v", got)
	}
}
