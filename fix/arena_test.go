//go:build unix

package fix_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

// arena is one damaged database with what it looks like before and after a repair.
type arena struct {
	name             string
	path             string // never changed; clones are worked on
	old, repaired    []string
	oldBytes, newest []byte // of the main file
	sidecars         bool
	ops              []string
}

// arenas makes the two cases: a file without sidecars and one whose newest rows stand in the -wal.
func arenas(t *testing.T) []*arena {
	t.Helper()
	list := []*arena{
		{name: "no sidecar", path: build(t, schema(), incident())},
		{name: "wal", path: buildWAL(t, incident(), schema()), sidecars: true},
	}
	for _, a := range list {
		a.old, a.oldBytes = dump(t, a.path), read(t, a.path)
		e := a.errand(t)
		d := e.run(t.Context())
		if d.Error != "" {
			t.Fatal(d.Error)
		}
		a.ops, a.repaired, a.newest = d.Ops, dump(t, e.Path), read(t, e.Path)
		if cmp.Equal(a.old, a.repaired) {
			t.Fatal("the repair changed nothing")
		}
	}
	return list
}

// errand makes a fresh copy to be repaired.
func (a *arena) errand(t *testing.T) errand {
	t.Helper()
	root := scratch(t)
	e := errand{Path: filepath.Join(root, "copy", "state.db"), Dir: filepath.Join(root, "backups"), Temp: filepath.Join(root, "temp")}
	for _, dir := range []string{filepath.Dir(e.Path), e.Dir, e.Temp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	clone(t, a.path, e.Path)
	return e
}

// state says whether the file holds the old rows or the repaired ones, and that it is one of the two.
func (a *arena) state(t *testing.T, path string) (repaired bool) {
	t.Helper()
	got := dump(t, path)
	switch {
	case cmp.Equal(got, a.old):
	case cmp.Equal(got, a.repaired):
		repaired = true
	default:
		t.Fatalf("the rows are neither the old ones nor the repaired ones (-old +got):\n%s", cmp.Diff(a.old, got))
	}
	if data := read(t, path); !a.sidecars && !bytes.Equal(data, a.oldBytes) && !bytes.Equal(data, a.newest) {
		t.Error("byte for byte the file is neither the old one nor the repaired one")
	}
	return repaired
}

// proveTold looks whether backup and journal tell which it is: whoever has repaired rows has an untouched backup and a
// journal that names every cell.
func (a *arena) proveTold(t *testing.T, e errand, repaired bool) {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(e.Dir, "*.undo.json"))
	if err != nil {
		t.Fatal(err)
	}
	if repaired && len(journals) == 0 {
		t.Fatal("the rows are repaired and no journal says how to take it back")
	}
	for _, j := range journals {
		if !bytes.Equal(read(t, strings.TrimSuffix(j, ".undo.json")+".bak"), a.oldBytes) {
			t.Error("the backup is not the file as it was")
		}
		if diff := cmp.Diff(a.old, dump(t, strings.TrimSuffix(j, ".undo.json")+".bak")); diff != "" {
			t.Errorf("the backup shows other rows:\n%s", diff)
		}
		u, err := fix.Undo(t.Context(), j, fix.UndoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if repaired != (len(u.Restored) > 0) || repaired == (len(u.Kept) > 0) {
			t.Errorf("repaired %v, and undo would restore %d cells and keep %d", repaired, len(u.Restored), len(u.Kept))
		}
	}
}

// proveRerun repairs what the accident left, which must work, and must end with one good file. A test with children
// does that in a child too: while a process is being started it has the files of this one open, and a repair sees that.
func (a *arena) proveRerun(t *testing.T, e errand, inChild bool) {
	t.Helper()
	e.At = 0
	var d done
	if inChild {
		// A process that another test begins has, until it runs, the files that this one had open a moment ago.
		for range 20 {
			if d, _ = e.send(t); !strings.HasSuffix(d.Error, " has it open") {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	} else {
		d = e.run(t.Context())
	}
	if d.Error != "" {
		t.Fatalf("a rerun: %s", d.Error)
	}
	if !a.state(t, e.Path) {
		t.Error("a rerun repaired nothing")
	}
}

// proveFault holds a run to its word: refused means the old rows, and anything else the repaired ones.
func (a *arena) proveFault(t *testing.T, e errand, d done, inChild bool) {
	t.Helper()
	repaired := a.state(t, e.Path)
	switch {
	case d.Unverified && !repaired:
		t.Errorf("it said that the change is in the file, and it is not: %s", d.Error)
	case d.Refused && !d.Unverified && repaired:
		t.Errorf("it said that nothing was written, and the rows are repaired: %s", d.Error)
	case d.Error == "" && !repaired:
		t.Error("it said that all is well, and nothing is repaired")
	case d.Error != "" && !d.Refused && !d.Unverified:
		t.Errorf("an error of no kind: %s", d.Error)
	}
	left := slices.DeleteFunc(names(t, filepath.Dir(e.Path)), func(name string) bool { return strings.HasPrefix(name, "state.db") })
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if !repaired && d.Refused {
		a.proveUntouched(t, e)
		a.proveLeft(t, e, d)
	}
	a.proveTold(t, e, repaired)
	a.proveRerun(t, e, inChild)
}

// proveLeft holds a refusal to its list of what it left: no more and no less, and a backup only with its journal.
func (a *arena) proveLeft(t *testing.T, e errand, d done) {
	t.Helper()
	var said []string
	journal := false
	for _, path := range d.Left {
		said = append(said, filepath.Base(path))
		journal = journal || strings.HasSuffix(path, ".undo.json")
	}
	slices.Sort(said)
	there := names(t, e.Dir)
	if !slices.Equal(said, there) {
		t.Errorf("it said that it left %q, and there are %q", said, there)
	}
	if len(there) > 0 && !journal {
		t.Errorf("left without a journal that needs it: %q", there)
	}
}

// proveUntouched compares the files byte by byte with what they were, and looks for new ones beside them. A commit that
// failed may leave frames at the end of a -wal, which no reader takes.
func (a *arena) proveUntouched(t *testing.T, e errand) {
	t.Helper()
	want := []string{"state.db"}
	if a.sidecars {
		want = append(want, "state.db-wal")
	}
	if got := names(t, filepath.Dir(e.Path)); !slices.Equal(got, want) {
		t.Errorf("after a refusal the folder holds %q", got)
	}
	for _, name := range want {
		now, was := read(t, filepath.Join(filepath.Dir(e.Path), name)), read(t, filepath.Join(filepath.Dir(a.path), name))
		if name == "state.db-wal" && bytes.HasPrefix(now, was) {
			continue
		}
		if !bytes.Equal(now, was) {
			t.Errorf("after a refusal %s is not what it was", name)
		}
	}
}
