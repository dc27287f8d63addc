package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// planned is a plan with a step of each kind of value, and with what it leaves.
func planned() *report.Repair {
	r := incident()
	steps := []fix.Step{
		{ID: "0123456789ab", Finding: "aaaaaaaaaaaa", Table: "sessions", Key: newID, Column: "session_key", New: key, Because: "the predecessor's key"},
		{ID: "0123456789ac", Finding: "aaaaaaaaaaaa", Table: "sessions", Key: oldID, Column: "ended_at", Old: "", New: 1786032242.5, Because: "its last activity"},
	}
	row := r.Sessions[1]
	row.ID = "held_row"
	return &report.Repair{
		Tool: tool(), Inputs: inputs(), Result: r, Database: "backup/state.db",
		Plan: &fix.Plan{
			Digest: strings.Repeat("d", 64), Store: "state.db", Steps: steps,
			Adoptions: []fix.Link{{Finding: "aaaaaaaaaaaa", SessionID: newID, Predecessor: oldID, SessionKey: key, Evidence: []string{"contiguity"}}},
			Held: []fix.Held{
				{Finding: "bbbbbbbbbbbb", Check: "orphan-session", SessionID: "held_row", Why: []string{"only time speaks for it"}, With: []string{"cccccccccccc"}, Steps: steps[:1]},
				{Finding: "cccccccccccc", Check: "orphan-session", SessionID: "held_too", With: []string{"bbbbbbbbbbbb"}, Steps: steps[1:]},
			},
			Refused: []fix.Refused{{Finding: "dddddddddddd", Check: "orphan-session", SessionID: "stray", Code: "several-predecessors", Text: "two keys fit"}},
			Advice: []fix.Advice{{Finding: "eeeeeeeeeeee", Check: "count-below-rows", SessionID: oldID, Message: "row " + oldID + " counts 1 message and has 2 that are active",
				Statement: "UPDATE sessions SET message_count = 2 WHERE id = '" + oldID + "'"}},
			Routes: []scan.RouteLine{{Store: "state.db", Source: "telegram", SessionKey: key, Resolver: "v0.21", Names: oldID, AfterFix: newID,
				Does: "the entry does not hold, because the plan ends the row that it names", At: evidence.Ref{Path: "sessions/sessions.json", Key: key}}},
		},
		Resume: r.Resume,
		Compared: map[string]*report.Comparison{"bbbbbbbbbbbb": {
			Predecessor: report.Side{Row: r.Sessions[0], First: &report.Message{ID: "1", At: 1785752100, Role: "user", Text: "hello\nthere", HasText: true},
				Last: &report.Message{ID: "212", At: 1786032242, Role: "assistant"}},
			Orphan: report.Side{Row: row, First: &report.Message{ID: "213", At: nan, Role: "user"}}, Gap: 874.25,
			Candidates: []scan.Candidate{{SessionID: oldID}, {SessionID: "20260702_080000_ffff", RejectedBy: "older row of the same chat"}},
			Others:     []report.Side{{Row: r.Sessions[2]}},
		}},
		Apply: "hermes-doctor fix --apply backup/state.db",
		Accept: func(ids []string) string {
			return "hermes-doctor fix --accept=" + strings.Join(ids, " --accept=") + " backup/state.db"
		},
	}
}

func outcome() *fix.Outcome {
	sum := strings.Repeat("5", 64)
	return &fix.Outcome{
		Applied: 2, Target: "backup/state.db", Backup: "b/state.db.bak", Journal: "b/state.db.undo.json", ReceiptPath: "b/state.db.receipt.json",
		After: &scan.Result{Findings: []scan.Finding{zombie()}},
		Notes: []string{"1 row names a row that is not there; it did so before"},
		Receipt: &fix.Receipt{
			Schema: 1, Kind: "hermes-doctor receipt", Of: "fix", Made: "2026-08-09T10:00:00Z", Database: "backup/state.db", Result: "backup/state.db",
			Digest: sum, Before: sum, After: sum, RowsNow: sum, Files: []fix.FileSum{{Path: "backup/state.db", Bytes: 4096, SHA256: sum}},
			Backup: fix.ReceiptBackup{Path: "b/state.db.bak", SHA256: sum, Integrity: "ok", RowsEqual: true,
				Files: []fix.FileSum{{Path: "b/state.db.bak", Bytes: 4096, SHA256: sum}, {Path: "b/state.db.bak-wal", Bytes: 32, SHA256: sum}}},
			Journal: "b/state.db.undo.json", JournalS: sum, Plan: sum, Applied: 2, Steps: []string{"0123456789ab", "0123456789ac"},
			Links:    []fix.Link{{Finding: "aaaaaaaaaaaa", SessionID: newID, Predecessor: oldID, SessionKey: key, Evidence: []string{"contiguity"}}},
			Verified: true,
		},
	}
}

func repaired() *report.Repair {
	r := planned()
	r.Outcome, r.Undo = outcome(), "hermes-doctor undo --apply b/state.db.undo.json"
	return r
}

func refusedRepair() *report.Repair {
	r := planned()
	r.Refused = &fix.RefusedError{Code: fix.CodeForeignKeys, Path: "backup/state.db", Reason: "3 rows name a session that is not there", Next: "look at messages-without-session", Left: []string{"b/state.db.bak"}}
	return r
}

func failedRepair() *report.Repair {
	r := repaired()
	r.Outcome.Receipt = nil
	r.Failed = &fix.UnverifiedError{Reason: "the receipt could not be written: no space", Journal: "b/state.db.undo.json", Backup: "b/state.db.bak"}
	return r
}

func nothingToRepair() *report.Repair {
	return &report.Repair{Tool: tool(), Inputs: inputs(), Result: sound(), Plan: &fix.Plan{Digest: strings.Repeat("d", 64), Store: "state.db"}, Resume: sound().Resume}
}

// hostileRepair has attacks in every place that a database can fill.
func hostileRepair() *report.Repair {
	const evil = "\x1b[2J\r\nx\u202e|`@octocat #1 <img src=x> \xff\xed\xa0\x80\u200b\u009b31m"
	r := repaired()
	r.Plan.Store, r.Inputs[0].Path = evil, evil
	r.Plan.Steps = []fix.Step{{ID: "0123456789ab", Finding: "aaaaaaaaaaaa", Table: "sessions", Key: evil, Column: "session_key", Old: evil, New: evil, Because: evil},
		{ID: "0123456789ac", Finding: "aaaaaaaaaaaa", Table: "sessions", Key: evil, Column: "ended_at", New: nan, Because: evil}}
	r.Plan.Adoptions = []fix.Link{{Finding: "aaaaaaaaaaaa", SessionID: evil, Predecessor: evil, SessionKey: evil, Evidence: []string{"lineage"}}}
	r.Plan.Held[0].SessionID, r.Plan.Held[0].Why, r.Plan.Held[0].Steps = evil, []string{evil}, r.Plan.Steps
	r.Plan.Refused[0].SessionID, r.Plan.Refused[0].Text = evil, evil
	r.Plan.Advice[0] = fix.Advice{Finding: "eeeeeeeeeeee", Check: "count-below-rows", SessionID: evil, Message: evil, Statement: evil}
	r.Plan.Routes[0] = scan.RouteLine{Store: evil, Source: evil, SessionKey: evil, Resolver: "v0.21", Names: evil, AfterFix: evil, Does: evil, At: evidence.Ref{Path: evil, Key: evil}}
	c := r.Compared["bbbbbbbbbbbb"]
	c.Orphan.Row.ID, c.Orphan.Row.EndReason, c.Candidates[1].SessionID, c.Candidates[1].RejectedBy = evil, evil, evil, evil
	c.Orphan.First = &report.Message{ID: evil, At: 1, Role: evil, Text: evil, HasText: true}
	r.Resume = []scan.ResumeLine{{Store: evil, Source: evil, SessionKey: evil, Resolver: "v0.21", Now: evil, AfterFix: evil + "x"}}
	r.Outcome.After.Findings[0].Message, r.Outcome.After.Findings[0].Subject.SessionID = evil, evil
	r.Outcome.Target, r.Outcome.ReceiptPath, r.Outcome.Notes = evil, evil, []string{evil}
	r.Outcome.Receipt.Journal, r.Outcome.Receipt.Backup.Files[0].Path = evil, evil
	r.Apply, r.Undo, r.Database = evil, evil, evil
	return r
}

func undone() *report.Undo {
	p := planned().Plan
	return &report.Undo{
		Tool: tool(), Journal: "b/state.db.undo.json", Apply: "hermes-doctor undo --apply b/state.db.undo.json",
		Undone: &fix.Undone{Target: "backup/state.db", Inputs: inputs(), Of: "fix", Restored: p.Steps[:1], Kept: []fix.Kept{{Step: p.Steps[1], Code: fix.KeptChanged, Reason: "it was changed since"}}},
	}
}

func takenBack() *report.Undo {
	u := undone()
	u.Undone.Outcome, u.Undo = outcome(), "hermes-doctor undo --apply b/state.db.undo.2.json"
	u.Undone.Outcome.Receipt.Of = "undo"
	return u
}

func verified() *report.Verification {
	return &report.Verification{Tool: tool(), Path: "b/state.db.receipt.json", Verified: &fix.Verified{Receipt: outcome().Receipt, Checks: []fix.Verification{
		{Name: "backup", Path: "b/state.db.bak", OK: true, Text: "its bytes are those of the receipt"},
		{Name: "rows", Path: "backup/state.db", Text: "it shows other rows than the repair left"},
	}}}
}

func TestGoldenRepair(t *testing.T) {
	repairs := map[string]func() *report.Repair{
		"plan": planned, "repaired": repaired, "repair-refused": refusedRepair, "repair-failed": failedRepair, "repair-nothing": nothingToRepair,
		"repair-hostile": hostileRepair,
	}
	for _, f := range report.Formats() {
		for name, make := range repairs {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderRepair(w, make(), f, report.Options{}) })
		}
		golden(t, "undo."+string(f), func(w *bytes.Buffer) error { return report.RenderUndo(w, undone(), f, report.Options{}) })
		golden(t, "taken-back."+string(f), func(w *bytes.Buffer) error { return report.RenderUndo(w, takenBack(), f, report.Options{}) })
		golden(t, "verify."+string(f), func(w *bytes.Buffer) error { return report.RenderVerification(w, verified(), f, report.Options{}) })
	}
	golden(t, "consent.table", func(w *bytes.Buffer) error {
		return report.RenderHeld(w, planned(), []string{"bbbbbbbbbbbb", "cccccccccccc"}, report.Options{})
	})
}

// TestPlanAsSQL runs no statement: package fix tests what its text does.
func TestPlanAsSQL(t *testing.T) {
	var got bytes.Buffer
	r := planned()
	if err := report.RenderRepair(&got, r, report.SQL, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r.Plan.SQL("backup/state.db"), got.String()); d != "" {
		t.Errorf("(-plan +rendered):\n%s", d)
	}
	if err := report.Render(io.Discard, report.New(tool(), nil, sound()), report.SQL, report.Options{}); err == nil {
		t.Error("a scan is rendered as sql")
	}
}

func TestSQLIsAFormatWhereItIsAsked(t *testing.T) {
	if _, err := report.ParseFormat("sql"); err == nil {
		t.Error("sql is a format of every command")
	}
	if f, err := report.ParseFormat("sql", report.SQL); f != report.SQL || err != nil {
		t.Errorf("ParseFormat gives %q, %v", f, err)
	}
	if f, err := report.FormatOf("by-hand.SQL", report.SQL); f != report.SQL || err != nil {
		t.Errorf("FormatOf gives %q, %v", f, err)
	}
	if _, err := report.FormatOf("by-hand.sql"); err == nil {
		t.Error("the ending .sql tells a format of every command")
	}
}

// TestStepsThatWereShownAreNotShownAgain is about the answer to a question that stood under the steps.
func TestStepsThatWereShownAreNotShownAgain(t *testing.T) {
	for _, shown := range []bool{false, true} {
		r := repaired()
		r.Shown = shown
		var got bytes.Buffer
		if err := report.RenderRepair(&got, r, report.Table, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(got.String(), "\nsteps (2)\n"); has == shown {
			t.Errorf("shown %v: the steps are in the table: %v", shown, has)
		}
	}
}

func TestNoRepairCarriesControlCharacters(t *testing.T) {
	for _, f := range report.Formats() {
		var b bytes.Buffer
		if err := report.RenderRepair(&b, hostileRepair(), f, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
				t.Errorf("%s carries %U", f, r)
			}
		}
	}
}

func TestFailedReceiptHasNoWayBackIn(t *testing.T) {
	var got bytes.Buffer
	if err := report.RenderRepair(&got, failedRepair(), report.Table, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.String(), "how to put it back") || !strings.Contains(got.String(), "hermes-doctor undo --apply") {
		t.Errorf("a repair that is not verified is told like this:\n%s", got.String())
	}
}
