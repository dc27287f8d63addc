package report_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/salvage"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
	"github.com/seed-4d3eb737/hermes-doctor/scan/dossier"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
	"github.com/seed-4d3eb737/hermes-doctor/scan/preflight"
)

// evil is a name that would move, hide or color what stands around it.
const evil = "a\x1b[31m\u202e|`<b>\n# x"

func bundles() map[string]*report.Bundle {
	return map[string]*report.Bundle{
		"bundle": {Tool: tool(), Output: "b.zip", Left: []string{"the full text search index"}, Files: 4, Words: 1204, Kept: []string{"agent", "telegram"}, Whole: true},
		"bundle-differs": {Tool: tool(), Output: evil, Left: []string{"damage to the file's own pages"},
			Differences: []string{"the finding " + evil + " is not there"}, Files: 4, Words: 1 << 20},
	}
}

func salvages() map[string]*report.Salvage {
	at := 1786035516.5
	whole := &salvage.Manifest{Schema: 1, Output: "new.db", SHA256: strings.Repeat("ab", 32), Bytes: 4096, Version: 31, Source: 25,
		Inputs: []salvage.Input{{Path: "state.db", Bytes: 4096, SHA256: strings.Repeat("cd", 32)}},
		Images: []salvage.Image{{Name: "state.db", Rows: 941, Taken: 941, Notes: []string{}}},
		Tables: []salvage.Table{{Name: "messages", Rows: 934, Tree: 934, Digest: "e0"}, {Name: "sessions", Rows: 7, Tree: 7, Digest: "e1"}},
		Account: salvage.Account{HighWater: 934, Recovered: []salvage.Range{{1, 934}}, Elsewhere: []salvage.Range{}, Torn: []salvage.Range{}, Deleted: []salvage.Range{},
			Lost: []salvage.Range{}, Known: []salvage.LostRow{}, How: "nothing is missing below the highest id"},
		Made: []salvage.Made{}, Left: []salvage.Left{}, Notes: []string{}, Complete: true, Proved: []string{"integrity_check: ok"}}
	part := *whole
	part.Complete, part.Output = false, evil
	part.Tables = []salvage.Table{{Name: "messages", Rows: 900, Tree: 700, Torn: 2, Index: 100, Shape: 60, Frame: 40, Digest: "e0", Lost: 3}}
	part.Images = []salvage.Image{{Name: "state.db with " + evil, Rows: 900, Taken: 860, Notes: []string{"page 7 is not a page"}}, {Name: "state.db.retired-wal-1", Rows: 80, Taken: 40, Notes: []string{}}}
	part.Account = salvage.Account{HighWater: 1204, Recovered: []salvage.Range{{1, 700}}, Elsewhere: []salvage.Range{{701, 898}}, Torn: []salvage.Range{{899, 900}},
		Deleted: []salvage.Range{{1000, 1203}}, Lost: []salvage.Range{{901, 999}, {1204, 1204}}, Known: []salvage.LostRow{{ID: 901, Session: evil, At: &at}}, How: "by the free list"}
	part.Made = []salvage.Made{{Table: "sessions", Key: evil, Why: "messages name it, and no row is left"}}
	part.Left, part.LeftAll = []salvage.Left{{Table: "messages", RowID: 12, Image: "state.db", Found: "shape", Why: "its session is " + evil}}, 1
	part.Notes = []string{"the source was cut behind page 90"}
	return map[string]*report.Salvage{"salvage": {Tool: tool(), Manifest: whole}, "salvage-part": {Tool: tool(), Manifest: &part}}
}

func candidates() map[string]*report.Candidates {
	of := func(path, profile, kind string) backups.Candidate {
		return backups.Candidate{Nearby: evidence.Nearby{Path: path, Profile: profile, Kind: kind, Bytes: 3_194_880, Modified: 1786255516.25}, View: "main",
			Rank: 1, Whole: true, Verdict: scan.Verdict{Word: scan.Sound, Sentence: "sound here"}, Sessions: 7, Messages: 934, Newest: 1786208561}
	}
	best, same, cut, dead, other := of("home/state.db", "default", "database"), of("home/state.db.bak", "default", "copy"), of("home/backups/a.zip", "default", "archive"),
		of("home/"+evil, "default", "zeroed"), of("home/profiles/p/state.db", "p", "database")
	best.Alone = backups.Alone{Sessions: 1, Messages: 4, IDs: []string{"one", "two", "three", evil}}
	same.Rank, same.Same = 2, best.Path
	cut.Rank, cut.Whole, cut.Store, cut.Flaws, cut.Newest, cut.Messages = 3, false, "state.db", []string{"page 7 is not a page"}, math.NaN(), 0
	dead.Rank, dead.Why = 0, "it holds nothing but NUL bytes"
	all := &backups.Ranking{Candidates: []backups.Candidate{best, same, cut, dead, other}, Inputs: inputs(), Notes: []string{"home/old was not looked into"}, Limited: true}
	return map[string]*report.Candidates{"candidates": {Tool: tool(), Ranking: all}, "candidates-none": {Tool: tool(), Ranking: &backups.Ranking{}}}
}

func homeFiles() map[string]*report.Files {
	lines := []inventory.Line{
		{Path: "home/state.db", What: "the database", Profile: "default", Files: 1, Bytes: 3_194_880, Modified: 1786255516.25, Judgement: inventory.Keep, Why: "it is the database", Travel: inventory.With},
		{Path: "home/state.db.bak", What: "a copy", Profile: "default", Files: 1, Bytes: 4096, Modified: 1786255516, Judgement: inventory.MayGo, After: "the install runs", Why: "the database has all of it", Travel: inventory.Optional},
		{Path: "home/" + evil, What: "not known", Profile: "default", Files: 3, Bytes: 12, Modified: 1786255516, Judgement: inventory.Unknown, Why: evil, Travel: inventory.Leave},
	}
	return map[string]*report.Files{"files": {Tool: tool(), Inputs: inputs(), List: &inventory.List{Lines: lines, Notes: []string{"home/old was not looked into"}, Limited: true}}}
}

func dossiers() map[string]*report.Dossier {
	list := &dossier.Dossier{Limited: true, Notes: []string{"only the first rows are given"}, Sections: []dossier.Section{
		{Title: "structure", Store: "state.db", Items: []dossier.Item{
			{Asked: "integrity_check", State: dossier.Filled, Answers: []string{"ok"}, How: "PRAGMA integrity_check"},
			{Asked: "root pages", State: dossier.Filled, Answers: []string{"2 table a", "3 table " + evil}},
			{Asked: "foreign_key_check", State: dossier.Nothing, How: "PRAGMA foreign_key_check"},
			{Asked: "the index's own check", State: dossier.ByHand, How: "sqlite3 copy/state.db"},
		}},
		{Title: "checkpoints", Items: []dossier.Item{{Asked: "the checkpoint stores", State: dossier.NotGiven, How: "run this on the whole home"}}},
		{Title: "only the machine can tell", Items: []dossier.Item{{Asked: "locks", State: dossier.Machine, How: "cat /proc/locks"}}},
	}}
	return map[string]*report.Dossier{"issue": {Tool: tool(), Inputs: inputs(), Verdict: "sound here", List: list}}
}

func preflights() map[string]*report.Preflight {
	files := homeFiles()["files"].List.Lines
	points := []preflight.Point{
		{Kind: preflight.Leaving, Severity: scan.Error, Path: "home/" + evil, Profile: "default", Saw: "it is a link to " + evil, Advice: "bring it along"},
		{Kind: preflight.Bound, Severity: scan.Warning, Path: "home/config.yaml", Profile: "default", Saw: "a path of this machine", Advice: "write it anew"},
		{Kind: preflight.Version, Severity: scan.Notice, Path: "home/state.db", Profile: "default", Saw: "schema 25", Advice: "the same build"},
	}
	full := &preflight.Check{Points: points, Files: files, Notes: []string{"home/old was not looked into"}, Total: evidence.Survey{Files: 1204, Bytes: 3_194_880},
		Losses: []preflight.Loss{{Path: "home/state.db-wal", What: "4 messages and 1 session row"}},
		Databases: []preflight.Database{
			{Store: "state.db", Path: "home/state.db", Schema: 25, Products: "v0.20.0 to v0.20.5", View: "main+wal", Sessions: 7, Messages: 934, Readable: true, Alone: &scan.View{Name: "main", Sessions: 6, Messages: 930}},
			{Store: "profiles/p/state.db", Path: "home/profiles/p/state.db"},
		}}
	ready := &preflight.Check{Files: files[:1], Total: evidence.Survey{Files: 1, Bytes: 3_194_880}, Points: points[2:],
		Databases: []preflight.Database{{Store: "state.db", Path: "home/state.db", Schema: 99, View: "main", Sessions: 7, Messages: 934, Readable: true}}}
	return map[string]*report.Preflight{"preflight": {Tool: tool(), Inputs: inputs(), Home: "home", Check: full}, "preflight-ready": {Tool: tool(), Inputs: inputs(), Home: "home", Check: ready}}
}

func storeLines(t *testing.T) map[string]*report.StoreLine {
	t.Helper()
	seen, gone := report.NewStoreLine(1, "a/state.db", "0123456789ab"), report.NewStoreLine(2, evil, "0123456789ab")
	if err := seen.SetReport(report.New(tool(), inputs(), incident()), report.Options{}); err != nil {
		t.Fatal(err)
	}
	seen.Exit, gone.Exit, gone.Error = 1, 2, &report.LineError{What: evil + ": no such file", Try: "another"}
	return map[string]*report.StoreLine{"storeline": &seen, "storeline-gone": &gone}
}

func TestGoldenOthers(t *testing.T) {
	for _, f := range report.Formats() {
		for name, b := range bundles() {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderBundle(w, b, f, report.Options{}) })
		}
		for name, s := range salvages() {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderSalvage(w, s, f, report.Options{}) })
		}
		for name, c := range candidates() {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderCandidates(w, c, f, report.Options{}) })
		}
		for name, v := range homeFiles() {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderFiles(w, v, f, report.Options{}) })
		}
		for name, v := range dossiers() {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderDossier(w, v, f, report.Options{}) })
		}
		for name, v := range preflights() {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderPreflight(w, v, f, report.Options{}) })
		}
		golden(t, "looks-like."+string(f), func(w *bytes.Buffer) error {
			return report.RenderLooksLike(w, scan.AllLooksLike()[0], f, report.Options{})
		})
	}
	for name, l := range storeLines(t) {
		for _, f := range []report.Format{report.Table, report.JSONLines} {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error { return l.Render(w, f) })
		}
	}
}

// Every function that renders something is called by a test that keeps what it writes as a golden.
func TestEveryRenderingHasAGolden(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	rendering, kept := regexp.MustCompile(`(?m)^func (Render\w*)\(w io\.Writer`), regexp.MustCompile(`return report\.(Render\w*)\(`)
	var all []string
	golden := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rendering.FindAllSubmatch(text, -1) {
			all = append(all, string(m[1]))
		}
		if !strings.HasSuffix(name, "_test.go") || !bytes.Contains(text, []byte("golden(t, ")) {
			continue
		}
		for _, m := range kept.FindAllSubmatch(text, -1) {
			golden[string(m[1])] = true
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d functions that render were found", len(all))
	}
	for _, name := range all {
		if !golden[name] {
			t.Errorf("%s has no golden", name)
		}
	}
}

// Every page for people names the file that it is about at its head and at its foot, so that one that was torn off can be
// told from that of another file.
func TestEveryPageNamesWhatWasExamined(t *testing.T) {
	// What is about no examined file, has a line for each, or names each file in what it lists.
	about := regexp.MustCompile(`^(checks|explain(-..)?|version|looks-like|cases|consent|storeline(-gone)?|candidates(-none)?|bundle(-differs)?|salvage(-part)?|verify|[a-z]+-timeline)\.`)
	pages := 0
	for _, ending := range []string{"table", "markdown"} {
		files, err := filepath.Glob(filepath.Join("testdata", "*."+ending+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if about.MatchString(filepath.Base(path)) {
				continue
			}
			pages++
			named := regexp.MustCompile(`(?m)^(examined: |examiné : |检查对象：).*sha256`).FindAllIndex(text, -1)
			if len(named) != 2 || bytes.Count(text[:named[0][0]], []byte("\n")) > 12 || bytes.Contains(text[named[1][0]:], []byte("\n\n")) {
				t.Errorf("%s does not name the examined file at its head and its foot", path)
			}
		}
	}
	if pages < 60 {
		t.Errorf("only %d pages were looked at", pages)
	}
}
