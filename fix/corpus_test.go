package fix_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestCorpus repairs every case of one database: what the scan said of each chat after the repair must come true, and
// an undo must give every row back. It is not parallel: building a case may start processes, see proveRerun, which is
// in the tests that kill.
func TestCorpus(t *testing.T) {
	files, err := corpus.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := corpus.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	repaired := map[bool]int{}
	for _, c := range cases {
		for _, accept := range []bool{false, true} {
			name := c.Name
			if accept {
				name += ", all accepted"
			}
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(scratch(t), "home")
				if err := corpus.BuildTo(t.Context(), c, dir); err != nil {
					t.Skip(err)
				}
				if repairCase(t, c, c.Path(dir), accept) {
					repaired[accept]++
				}
			})
		}
	}
	if repaired[false] < 30 || repaired[true] < 15 {
		t.Errorf("only %d cases were repaired by default, and %d more with consent", repaired[false], repaired[true])
	}
}

func repairCase(t *testing.T, c corpus.Case, path string, accept bool) bool {
	o := scan.Options{Plan: true, Now: c.Now, Zone: c.Zone}
	b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir(), Damaged: true})
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = b.Close() }()
	r, err := scan.Run(t.Context(), b, checks.All(), o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Home() {
		path = filepath.Join(path, "state.db")
	}
	p, err := fix.NewPlan(r, fix.Options{})
	if err != nil {
		if code(err) == "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if !accept {
		proveAdvice(t, r, p, path)
	}
	if accept {
		var all []string
		for _, h := range p.Held {
			all = append(all, h.Finding)
		}
		if len(all) == 0 {
			return false
		}
		p = plan(t, r, fix.Options{Accept: all})
		if len(p.Held) > 0 {
			t.Errorf("held although it was accepted: %+v", p.Held)
		}
	}
	if p.Empty() {
		return false
	}
	before := dump(t, path)
	k, err := fix.VerifyBackup(t.Context(), b, fix.BackupOptions{Dir: t.TempDir(), TempDir: t.TempDir(), Now: at})
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	out, err := k.Apply(t.Context(), p, fix.ApplyOptions{Checks: checks.All(), Scan: o, AllowForeignKeys: true})
	if err != nil {
		t.Fatal(err)
	}
	if !accept {
		proveDefault(t, r, out, path, o)
	}
	u, err := fix.Undo(t.Context(), out.Journal, fix.UndoOptions{Apply: true, Backup: fix.BackupOptions{Dir: t.TempDir(), Now: at}})
	if err != nil || len(u.Kept) > 0 {
		t.Fatalf("undo: %+v, %v", u, err)
	}
	if diff := cmp.Diff(before, dump(t, path)); diff != "" {
		t.Errorf("undo gave back something else (-want +got):\n%s", diff)
	}
	return true
}

// proveDefault compares the answers of a default repair with those that the scan gave for after it.
func proveDefault(t *testing.T, r *scan.Result, out *fix.Outcome, path string, o scan.Options) {
	t.Helper()
	promised, kept := map[string]string{}, resumes(out.After)
	for _, l := range r.Resume {
		promised[l.Source+" "+l.SessionKey+" "+l.Resolver] = l.AfterFix
	}
	if diff := cmp.Diff(promised, kept); diff != "" {
		t.Errorf("the scan said what each chat would resume (-said +does):\n%s", diff)
	}
	if again, err := fix.NewPlan(again(t, path, o), fix.Options{}); err != nil || !again.Empty() {
		t.Errorf("a second run: %+v, %v", again, err)
	}
}

func again(t *testing.T, path string, o scan.Options) *scan.Result {
	t.Helper()
	b := open(t, path)
	r, err := scan.Run(t.Context(), b, checks.All(), o)
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}
