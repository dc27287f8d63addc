package report_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schema", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// knownOf judges the incident's findings by a baseline that has the zombie and an ignore file that has the orphan.
func knownOf(t *testing.T, result *scan.Result, ignores string) *report.Judged {
	t.Helper()
	k := &report.Known{}
	z := zombie()
	if err := k.ReadBaseline(strings.NewReader(z.ID() + "\n0123456789ab\n")); err != nil {
		t.Fatal(err)
	}
	c := check()
	if err := k.ReadIgnores(strings.NewReader(ignores), []*scan.Check{&c}); err != nil {
		t.Fatal(err)
	}
	return k.Judge(result.Findings, result.Now)
}

func TestSARIFFollowsStandard(t *testing.T) {
	s, c := sarifSchema(t), check()
	for name, result := range map[string]*scan.Result{
		"incident": incident(), "sound": sound(), "hostile": hostile(), "audited": audited(), "everything": everything(),
		"nothing": {Verdict: scan.Verdict{Word: scan.Sound}},
	} {
		for _, o := range []report.Options{{}, {Checks: []*scan.Check{&c}, Known: knownOf(t, result, "orphan-session: as it <is>")}} {
			doc := rendered(t, func(w io.Writer) error {
				return report.Render(w, report.New(tool(), inputs(), result), report.SARIF, o)
			})
			if err := s.Validate(decode(t, doc)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := s.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}); err == nil {
		t.Error("the schema takes a run without a tool")
	}
}

func TestCIGolden(t *testing.T) {
	c := check()
	for name, make := range map[string]func() *scan.Result{"incident": incident, "hostile": hostile} {
		for _, f := range []report.Format{report.SARIF, report.JUnit} {
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error {
				return report.Render(w, report.New(tool(), inputs(), make()), f, report.Options{Checks: []*scan.Check{&c}})
			})
		}
	}
	for _, f := range append(report.Formats(), report.SARIF, report.JUnit) {
		golden(t, "known."+string(f), func(w *bytes.Buffer) error {
			r := incident()
			o := report.Options{Known: knownOf(t, r, "orphan-session until 2026-08-08: the owner knows")}
			return report.Render(w, report.New(tool(), inputs(), r), f, o)
		})
	}
	for _, f := range append(report.Formats(), report.JUnit) {
		golden(t, "cases."+string(f), func(w *bytes.Buffer) error { return report.RenderCases(w, ran(), f, report.Options{}) })
	}
}

func ran() *report.Cases {
	all := &report.Cases{}
	all.Add(report.Case{Name: "good", About: "all is well", Status: "passed"})
	all.Add(report.Case{Name: "bad", About: "<it> is \x1b[31m not", Status: "failed", Problems: []string{"want.txt: -a", "want.txt: +b ]]> \xff"}})
	all.Add(report.Case{Name: "not here", About: "needs git", Status: "skipped", Reason: "there is no git"})
	return all
}

func casesJSON(t *testing.T) []byte {
	return rendered(t, func(w io.Writer) error { return report.RenderCases(w, ran(), report.JSON, report.Options{}) })
}

func knownJSON(t *testing.T) []byte {
	r := incident()
	return scanJSON(t, r, report.Options{Known: knownOf(t, r, "orphan-session until 2026-08-08: the owner knows")})
}

func storeLineJSON(t *testing.T) []byte {
	l := report.NewStoreLine(3, "a\xff/state.db", "0123456789ab")
	l.Exit, l.Error = 2, &report.LineError{What: "no such file", Try: "another"}
	return rendered(t, func(w io.Writer) error { return l.Render(w, report.JSONLines) })
}

func TestKnown(t *testing.T) {
	c := check()
	o, z := orphan(), zombie()
	findings := []scan.Finding{o, z}
	const day = 86400
	tests := []struct {
		name, baseline, ignores string
		clock                   float64
		known, notes            int
	}{
		{"nothing said", "", "", 1, 0, 0},
		{"by id", o.ID(), "", 1, 1, 0},
		{"by a report", `{"findings":[{"id":"` + o.ID() + `"},{"id":"` + z.ID() + `"}]}`, "", 1, 2, 0},
		{"by lines", `{"id":"` + o.ID() + `","check":"a"}` + "\n" + `{"id":"` + z.ID() + `","check":"b"}`, "", 1, 2, 0},
		{"by lines of many", `{"n":1,"report":{"findings":[{"id":"` + o.ID() + `"}]}}` + "\n" + `{"n":2,"error":{}}`, "", 1, 1, 0},
		{"gone", "0123456789ab", "", 1, 0, 1},
		{"ignored by check", "", "orphan-session: why", 1, 1, 0},
		{"ignored on its last second", "", "orphan-session until 1970-01-02: why", 2*day - 1, 1, 0},
		{"expired", "", "orphan-session until 1970-01-02: why", 2 * day, 0, 1},
		{"expired, and in the baseline", o.ID(), "orphan-session until 1970-01-02: why", 2 * day, 1, 1},
		{"no clock", "", "orphan-session until 1970-01-02: why", 0, 0, 1},
		{"fits nothing", "", "0123456789ab: why", 1, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &report.Known{}
			if err := k.ReadBaseline(strings.NewReader(tt.baseline)); err != nil {
				t.Fatal(err)
			}
			if err := k.ReadIgnores(strings.NewReader(tt.ignores), []*scan.Check{&c}); err != nil {
				t.Fatal(err)
			}
			j := k.Judge(findings, tt.clock)
			if d := cmp.Diff([]int{tt.known, tt.notes}, []int{len(j.Suppressed), len(j.Notes)}); d != "" {
				t.Errorf("known and notes (-want +got):\n%s\n%q", d, j.Notes)
			}
		})
	}
	for _, bad := range []string{"orphan", "[]", `{"a":1}`, `{"findings":[`, "0123456789abc"} {
		if err := new(report.Known).ReadBaseline(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is a baseline", bad)
		}
	}
	for _, bad := range []string{"orphan-session", "orphan-session:", ": why", "orphan-session till 2026-01-01: why", "orphan-session until never: why", "nosuch: why"} {
		if err := new(report.Known).ReadIgnores(strings.NewReader(bad), []*scan.Check{&c}); err == nil {
			t.Errorf("%q is an entry", bad)
		}
	}
}
