package report_test

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

const (
	project  = "55e8fbffcaa6d84b"
	badPath  = "vendor/\xff\x1b[2J\u202e|`@octocat"
	storeDir = "checkpoints/store"
)

func object(digit string) string { return strings.Repeat(digit, 40) }

// audited is a checkpoints/ folder alone: a project whose nested repositories are told once and twice not, and one whose
// path is not recorded.
func audited() *scan.Result {
	nested := func(since int) []checkpoints.NestedLine {
		return []checkpoints.NestedLine{{Path: badPath, Commit: object("a"), Since: since}, {Path: "lib", Commit: object("b"), InStore: true, Since: since}}
	}
	r := &scan.Result{
		Verdict: scan.Verdict{Word: scan.Sound, Sentence: "sound here: every checkpoint can be read, but 3 checkpoints hold nothing of nested repositories"},
		Checks:  []scan.CheckStatus{{ID: "nested-repo-uncaptured", Status: scan.Ran}, {ID: "orphan-session", Status: scan.Skipped, Reason: "no-input"}},
		Bases:   []scan.Base{{Name: "checkpoints", Projects: 2, Checkpoints: 4, Nested: 3, Notes: []string{"legacy|stray is nothing that the product makes"}}},
		Checkpoints: []checkpoints.ProjectLine{
			{Base: "checkpoints", Store: "store", ID: project, Workdir: "/home/you/project", LastTouch: 1786352700, Checkpoints: []checkpoints.Line{
				{ID: object("3"), N: 1, At: 1786352640, Reason: "before patch", Files: 3, Whole: true, Nested: nested(3), Labelled: true, Label: checkpoints.Labelled},
				{ID: object("2"), N: 2, At: 1786352520, Reason: "before terminal: rm \x1b[2J", Files: 3, Whole: true, Nested: nested(3), Label: checkpoints.Predates},
				{ID: object("1"), N: 3, Reason: "auto \xff", Files: 1204, Nested: nested(3), Label: checkpoints.Predates},
			}},
			{Base: "checkpoints", Store: "store", ID: "5d41f145f832487b", Checkpoints: []checkpoints.Line{
				{ID: object("4"), N: 1, At: 1786352400, Reason: "before write_file", Files: 1, Whole: true, Nested: []checkpoints.NestedLine{}, Label: checkpoints.NoLabel},
			}},
		},
		Unchanged: true, Now: 1786352700,
	}
	for i, c := range r.Checkpoints[0].Checkpoints {
		f := scan.Finding{
			Check: "nested-repo-uncaptured", Severity: scan.Warning, Issues: []string{"#127073"},
			Message: "checkpoint " + string('1'+rune(i)) + " holds nothing of 2 nested repositories: " + badPath + ", lib",
			Advice:  "Restore by a selection that avoids the path.",
			Subject: scan.Subject{Store: storeDir, Project: project, Checkpoint: c.ID}, Labelled: &c.Labelled, Group: string(c.Label),
			Evidence: []evidence.Item{{At: evidence.Ref{Path: storeDir, Key: "commit " + c.ID}, Saw: "mode 160000", How: "git --git-dir=" + storeDir + " ls-tree -r " + c.ID}},
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// everything is a home with a database and a checkpoints/ folder in which a file is lost.
func everything() *scan.Result {
	r := incident()
	r.Bases, r.Checkpoints = audited().Bases, audited().Checkpoints
	r.Checkpoints[1].Base = "profiles/coder/checkpoints"
	r.Ends = append(r.Ends, scan.EndLine{Store: "state.db", Source: "cron", Reason: "cron_complete", Sessions: 1275, Ages: [scan.Ages]int{40, 300, 935}},
		scan.EndLine{Store: "state.db", Source: "cron", Sessions: 3, Ages: [scan.Ages]int{3}}, scan.EndLine{Store: "state.db", Source: "cron", Open: true, Reason: "recovered", Sessions: 1, Ages: [scan.Ages]int{4: 1}})
	r.Findings = append(r.Findings, scan.Finding{
		Check: "blob-missing", Severity: scan.Error, Issues: []string{}, Message: "the file a of project " + project + " is lost",
		Subject:  scan.Subject{Store: storeDir, Project: project, Checkpoint: object("3"), Path: badPath},
		Evidence: []evidence.Item{{At: evidence.Ref{Path: storeDir, Key: "blob " + object("9")}, Saw: "missing", How: "git --git-dir=" + storeDir + " cat-file -e " + object("9")}},
	})
	return r
}
