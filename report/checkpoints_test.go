package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/extract"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// oid is an object id of one repeated digit.
func oid(digit string) evidence.ObjectID {
	id, err := evidence.ParseObjectID(strings.Repeat(digit, 40))
	if err != nil {
		panic(err)
	}
	return id
}

func commit(digit string, at int64, message string) evidence.CommitInfo {
	sign := evidence.CommitInfo{}.Author
	sign.When, sign.Valid = at, true
	return evidence.CommitInfo{ID: oid(digit), Tree: oid("e"), Author: sign, Committer: sign, Message: []byte(message)}
}

// base is a store with a project that all is well with but for nested repositories, one whose ref is lost, and one
// whose json is, with hostile names where names come from a store.
func base() *checkpoints.Base {
	source := &evidence.CheckpointBase{Name: "checkpoints", Path: "home/checkpoints", Profile: "default", LastPrune: 1790000000.5}
	store := &evidence.CheckpointStore{Base: source, Name: "store", Version: 2, Format: "sha1", Pending: true, Absent: []string{"refs"}}
	source.Stores = []*evidence.CheckpointStore{store}
	good := &evidence.CheckpointProject{
		Store: store, ID: "55e8fbffcaa6d84b", Workdir: "/home/you/project", WorkdirFrom: "json", CreatedAt: 1789990000, LastTouch: 1790009999,
		JSON: evidence.Present, Tip: oid("a"), RefState: evidence.RefSound,
		Chain: []evidence.CommitInfo{commit("a", 1790000100, "before patch"), commit("b", 1790000000, "before \x1b[2J\xff")},
	}
	noRef := &evidence.CheckpointProject{Store: store, ID: "0000000000000001", Workdir: "/odd\u202e\xff", WorkdirFrom: "json", JSON: evidence.Present, RefState: evidence.RefAbsent}
	noJSON := &evidence.CheckpointProject{
		Store: store, ID: "0000000000000002", JSON: evidence.Absent, Tip: oid("c"), RefState: evidence.RefPacked,
		Chain: []evidence.CommitInfo{commit("c", 1790000200, "auto")}, ChainErr: &evidence.ObjectError{ID: oid("d"), Fault: evidence.ObjectMissing},
	}
	store.Projects = []*evidence.CheckpointProject{noRef, noJSON, good}
	out := &checkpoints.Store{Source: store, Unreachable: &evidence.Unreachable{Commits: []evidence.CommitInfo{commit("f", 1789999000, "dropped")}, Objects: 3}}
	for _, p := range store.Projects {
		project := &checkpoints.Project{Source: p}
		for i := range p.Chain {
			c := checkpoints.Checkpoint{
				N: i + 1, Commit: &p.Chain[i], At: float64(p.Chain[i].Author.When), Reason: string(p.Chain[i].Message), Label: checkpoints.NoLabel,
				Count: evidence.TreeCount{Files: 12, Links: 1, Folders: 3}, Whole: true,
			}
			if p == good && i == 0 {
				c.Label, c.Total, c.Whole = checkpoints.Predates, 2, false
				c.Nested = []checkpoints.Nested{{Path: "tool", Commit: oid("1"), Since: 2}, {Path: "\xffodd", Commit: oid("2"), InStore: true, Since: 1}}
			}
			project.Checkpoints = append(project.Checkpoints, c)
		}
		out.Projects = append(out.Projects, project)
	}
	out.Damage = []checkpoints.Damage{{
		Project: out.Projects[2], Err: &evidence.ObjectError{ID: oid("9"), Fault: evidence.ObjectEmpty, Where: "objects/99"}, Kind: evidence.KindBlob,
		Newest: 1, Oldest: 2, Number: 2, Path: "lost.txt",
	}}
	return &checkpoints.Base{Source: source, Stores: []*checkpoints.Store{out}}
}

func found() *scan.Result {
	return &scan.Result{
		Checks: []scan.CheckStatus{{ID: "nested-repo-uncaptured", Status: scan.Ran}, {ID: "store-alternates", Status: scan.Skipped, Reason: "no-input"}},
		Findings: []scan.Finding{{
			Check: "nested-repo-uncaptured", Severity: scan.Warning, Message: "checkpoint 1 holds nothing of tool", Advice: "Update before rolling back.",
			Subject:  scan.Subject{Store: "checkpoints", Path: "tool"},
			Evidence: []evidence.Item{{At: evidence.Ref{Path: "checkpoints/store"}, Saw: "160000 tool"}},
		}},
	}
}

func point(n int) report.Point {
	return report.Point{Base: "checkpoints", Project: "55e8fbffcaa6d84b", Workdir: "/home/you/project", ID: oid("a").String(), Number: n, At: 1790000100, Reason: "before patch"}
}

// checkpointDocuments are one of each that the commands about checkpoints write.
func checkpointDocuments() map[string]func(io.Writer, report.Format) error {
	b := base()
	good := b.Stores[0].Projects[2]
	inventory := func(v report.Inventory) func(io.Writer, report.Format) error {
		v.Tool, v.Inputs, v.Bases = tool(), inputs(), []*checkpoints.Base{b}
		return func(w io.Writer, f report.Format) error { return report.RenderInventory(w, &v, f, report.Options{}) }
	}
	gitlink := contents.Entry{Path: "tool", Mode: evidence.ModeGitlink, ID: oid("1")}
	plain := contents.Entry{Path: "\xff\n", Mode: evidence.ModeFile, ID: oid("3")}
	return map[string]func(io.Writer, report.Format) error{
		"list":     inventory(report.Inventory{}),
		"audit":    inventory(report.Inventory{Audit: found(), Changed: []string{"home/checkpoints"}}),
		"show":     inventory(report.Inventory{Detail: true, Project: good}),
		"show-one": inventory(report.Inventory{Detail: true, Project: good, Number: 1, Entries: []contents.Entry{gitlink, plain}}),
		"why": func(w io.Writer, f report.Format) error {
			a := &contents.Answer{
				File: "tool/\xff", Outcome: contents.Elsewhere, Versions: 1,
				Reasons: []contents.Reason{{Step: 3, Code: contents.NestedRepo, Text: "tool is a nested repository"}, {Step: 4, Code: contents.Dropped, Text: "1 commit"}},
				Chain: []contents.Sighting{
					{Commit: good.Source.Chain[0], Number: 1, Place: contents.Place{State: contents.InNested, Entry: gitlink}},
					{Commit: good.Source.Chain[1], Number: 2, Place: contents.Place{State: contents.Unknown}},
				},
				Loose: []contents.Sighting{{Commit: b.Stores[0].Unreachable.Commits[0], Stray: true,
					Place: contents.Place{State: contents.Recorded, Size: 12, Entry: contents.Entry{Path: "tool/\xff", Mode: evidence.ModeFile, ID: oid("3")}}}},
			}
			return report.RenderWhy(w, &report.Why{Tool: tool(), Inputs: inputs(), Project: good.Source, Answer: a, Next: []string{"hermes-doctor checkpoints extract x"}}, f, report.Options{})
		},
		"extract": func(w io.Writer, f report.Format) error {
			plan := &contents.Plan{Nested: []contents.Entry{gitlink}, Items: []contents.Item{{Entry: plain, Target: "\xff\n"}, {Entry: contents.Entry{Path: "..", Mode: evidence.ModeFile, ID: oid("3")}, Target: "%2E%2E", Why: "the name leads to another folder"}}}
			out := &extract.Outcome{Files: 1, Links: 1, Folders: 2, Bytes: 3_500_000, Failed: []contents.Failure{
				{Path: "lost\xff", ID: oid("9"), Fault: &evidence.ObjectError{ID: oid("9"), Fault: evidence.ObjectMissing}}, {Path: "nosuch", Why: "the checkpoint does not have it"},
			}}
			return report.RenderExtraction(w, &report.Extraction{Tool: tool(), Inputs: inputs(), Point: point(1), Output: "new.tar", Archive: true, Plan: plan, Outcome: out}, f, report.Options{})
		},
		"diff": func(w io.Writer, f report.Format) error {
			to := point(0)
			moved := gitlink
			moved.ID = oid("2")
			d := &contents.FolderDifference{Difference: contents.Difference{
				Changes: []contents.Change{
					{Path: "\xff\n", Kind: contents.Added, To: &plain}, {Path: "gone", Kind: contents.Removed, From: &plain},
					{Path: "tool", Kind: contents.Modified, From: &gitlink, To: &moved}, {Path: "tool2", Kind: contents.Retyped, From: &gitlink, To: &plain},
				},
				Unread: []contents.Unread{{Path: "lost", Fault: &evidence.ObjectError{ID: oid("9"), Fault: evidence.ObjectCorrupt}}},
			}}
			return report.RenderTreeDiff(w, &report.TreeDiff{Tool: tool(), Inputs: inputs(), From: point(2), To: &to, Found: d}, f, report.Options{})
		},
		"diff-folder": func(w io.Writer, f report.Format) error {
			d := &contents.FolderDifference{Unlike: []string{"unreadable"}, Skipped: []string{"tool"}, Left: 3}
			return report.RenderTreeDiff(w, &report.TreeDiff{Tool: tool(), Inputs: inputs(), From: point(1), Folder: "work", Found: d}, f, report.Options{})
		},
	}
}

func TestGoldenCheckpoints(t *testing.T) {
	for name, render := range checkpointDocuments() {
		for _, f := range report.Formats() {
			golden(t, "checkpoints-"+name+"."+string(f), func(w *bytes.Buffer) error { return render(w, f) })
		}
		if slices.Contains([]string{"list", "show", "audit"}, name) {
			goldenPage(t, "checkpoints-"+name+".html", func(w *bytes.Buffer) error { return render(w, report.HTML) })
		}
	}
}

// Every document is what the schema says, and no format carries what drives a terminal.
func TestCheckpointsJSON(t *testing.T) {
	whole := schema(t, "")
	for name, render := range checkpointDocuments() {
		var b bytes.Buffer
		if err := render(&b, report.JSON); err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := whole.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, f := range report.Formats() {
			b.Reset()
			if err := render(&b, f); err != nil {
				t.Fatal(err)
			}
			if i := bytes.IndexFunc(b.Bytes(), func(r rune) bool {
				return r < 0x20 && r != '\n' || r == 0x7F || r == 0x202E || r == 0xFFFD && f != report.JSON && f != report.JSONLines
			}); i >= 0 {
				t.Errorf("%s as %s: %q", name, f, b.Bytes()[max(i-20, 0):i+4])
			}
		}
	}
}
