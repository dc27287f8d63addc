package report_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func scanJSON(t *testing.T, result *scan.Result, o report.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Render(&b, report.New(tool(), inputs(), result), report.JSON, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func resumeJSON(t *testing.T, result *scan.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.RenderResume(&b, report.NewResume(tool(), inputs(), result), report.JSON, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t *testing.T, doc []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
	return v
}

// schema compiles the whole schema, or one definition of it.
func schema(t *testing.T, fragment string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertContent()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json" + fragment)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rendered(t *testing.T, render func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func timelineJSON(t *testing.T, result *scan.Result) []byte {
	t.Helper()
	return rendered(t, func(w io.Writer) error {
		return report.RenderTimeline(w, report.NewTimeline(tool(), inputs(), result), report.JSON, report.Options{})
	})
}

func repairJSON(t *testing.T, r *report.Repair) []byte {
	t.Helper()
	return rendered(t, func(w io.Writer) error { return report.RenderRepair(w, r, report.JSON, report.Options{}) })
}

func undoJSON(t *testing.T, u *report.Undo) []byte {
	t.Helper()
	return rendered(t, func(w io.Writer) error { return report.RenderUndo(w, u, report.JSON, report.Options{}) })
}

func verifyJSON(t *testing.T, v *report.Verification) []byte {
	t.Helper()
	return rendered(t, func(w io.Writer) error { return report.RenderVerification(w, v, report.JSON, report.Options{}) })
}

func documents(t *testing.T) map[string][]byte {
	all := report.Options{All: true, Timings: true}
	documents := map[string][]byte{
		"incident":        scanJSON(t, incident(), all),
		"sound":           scanJSON(t, sound(), report.Options{}),
		"hostile":         scanJSON(t, hostile(), all),
		"audited":         scanJSON(t, audited(), report.Options{}),
		"everything":      scanJSON(t, everything(), report.Options{}),
		"nothing":         scanJSON(t, &scan.Result{Verdict: scan.Verdict{Word: scan.Sound}}, all),
		"incident resume": resumeJSON(t, incident()),
		"hostile resume":  resumeJSON(t, hostile()),
		"no chats":        resumeJSON(t, &scan.Result{}),
		"timeline":        timelineJSON(t, incident()),
		"hostile events":  timelineJSON(t, hostile()),
		"no events":       timelineJSON(t, &scan.Result{}),
		"plan":            repairJSON(t, planned()),
		"repaired":        repairJSON(t, repaired()),
		"repair refused":  repairJSON(t, refusedRepair()),
		"repair failed":   repairJSON(t, failedRepair()),
		"no repair":       repairJSON(t, nothingToRepair()),
		"hostile repair":  repairJSON(t, hostileRepair()),
		"undo":            undoJSON(t, undone()),
		"taken back":      undoJSON(t, takenBack()),
		"verify":          verifyJSON(t, verified()),
		"known":           knownJSON(t),
		"cases":           casesJSON(t),
		"comparison":      comparedJSON(t, compared()),
		"no difference":   comparedJSON(t, same()),
		"unreadable":      storeLineJSON(t),
	}
	for name, b := range bundles() {
		documents[name] = rendered(t, func(w io.Writer) error { return report.RenderBundle(w, b, report.JSON, report.Options{}) })
	}
	for name, s := range salvages() {
		documents[name] = rendered(t, func(w io.Writer) error { return report.RenderSalvage(w, s, report.JSON, report.Options{}) })
	}
	for name, c := range candidates() {
		documents[name] = rendered(t, func(w io.Writer) error { return report.RenderCandidates(w, c, report.JSON, report.Options{}) })
	}
	return documents
}

func TestDocumentsFollowSchema(t *testing.T) {
	s := schema(t, "")
	for name, doc := range documents(t) {
		if err := s.Validate(decode(t, doc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var lines bytes.Buffer
	if err := report.Render(&lines, report.New(tool(), inputs(), hostile()), report.JSONLines, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := schema(t, "#/$defs/finding").Validate(decode(t, lines.Bytes())); err != nil {
		t.Errorf("a finding on a line: %v", err)
	}
}

// TestSchemaCatchesMisspeltFields renames each field of each object in turn.
func TestSchemaCatchesMisspeltFields(t *testing.T) {
	s := schema(t, "")
	renamed := 0
	for name, doc := range documents(t) {
		root := decode(t, doc)
		visit(root, "", func(at string, object map[string]any, field string) {
			v := object[field]
			delete(object, field)
			object[field+"x"] = v
			if s.Validate(root) == nil {
				t.Errorf("%s: %s.%sx passes", name, at, field)
			}
			delete(object, field+"x")
			object[field] = v
			renamed++
		})
	}
	if renamed < 500 {
		t.Errorf("only %d fields were tried", renamed)
	}
}

// TestSchemaCatchesMissingFields removes each field in turn; what may be absent is listed here.
func TestSchemaCatchesMissingFields(t *testing.T) {
	optional := []string{
		".known", ".findings.suppressed", ".findings.suppressed.reason", ".findings.suppressed.until", ".cases.reason",
		".timeline.step", ".timeline.store", ".timeline.session_id", ".timeline.session_key", ".timeline.platform",
		".b.inputs_changed", ".a.inputs_changed",
		".appeared.adoption", ".appeared.adoption.candidates.rejected_by", ".sessions.examples.session",
		".inputs_changed", ".sessions", ".checkpoints", ".findings.labelled", ".checks.ms", ".findings.adoption", ".findings.adoption.candidates.rejected_by", ".resume.runner_up",
		".held.compared", ".held.compared.candidates.rejected_by", ".held.compared.predecessor.first_message.text",
		".held.compared.orphan.first_message.text", ".notes", ".receipt", ".receipt.links", ".refusal", ".failure", ".remaining", ".remaining.session_id",
	}
	index := regexp.MustCompile(`\[\d+\]`)
	s := schema(t, "")
	for name, doc := range documents(t) {
		root := decode(t, doc)
		visit(root, "", func(at string, object map[string]any, field string) {
			at = index.ReplaceAllString(at, "")
			if _, is := root["differs"]; is && at == "" && (field == "notes" || field == "sessions" || field == "checkpoints") {
				return // optional elsewhere
			}
			if kind := root["kind"]; (kind == "salvage" || kind == "candidates") && at == "" && field == "notes" {
				return // optional elsewhere
			}
			free := strings.HasSuffix(field, "_b64") || at == ".findings.subject" || at == ".appeared.subject" || at == ".went.subject" || slices.Contains(optional, at+"."+field)
			v := object[field]
			delete(object, field)
			if ok := s.Validate(root) == nil; ok != free {
				t.Errorf("%s: without %s.%s the document passes: %v", name, at, field, ok)
			}
			object[field] = v
		})
	}
}

func visit(v any, at string, f func(at string, object map[string]any, field string)) {
	switch v := v.(type) {
	case map[string]any:
		fields := make([]string, 0, len(v))
		for k := range v {
			fields = append(fields, k)
		}
		slices.Sort(fields)
		for _, k := range fields {
			visit(v[k], at+"."+k, f)
			f(at, v, k)
		}
	case []any:
		for i, e := range v {
			visit(e, fmt.Sprintf("%s[%d]", at, i), f)
		}
	}
}

func TestNoNullArrays(t *testing.T) {
	scalars := []string{"now", "after_fix", "predecessor", "session_key", "parent", "first", "last", "started", "ended", "end_reason", "newest",
		"schema_version", "modified", "clock", "database", "value", "old", "new", "gap_seconds", "at", "first_message", "last_message", "workdir", "last_touch", "verdict", "a", "b", "before", "after",
		"rank", "store", "why", "same_as", "store_a", "store_b"}
	for name, doc := range documents(t) {
		visit(decode(t, doc), "", func(at string, object map[string]any, field string) {
			if object[field] == nil && !slices.Contains(scalars, field) {
				t.Errorf("%s: %s.%s is null", name, at, field)
			}
		})
	}
}

func TestOrderDoesNotDependOnTheScan(t *testing.T) {
	a, b := incident(), incident()
	slices.Reverse(b.Findings)
	slices.Reverse(b.Census)
	slices.Reverse(b.Resume)
	if d := cmp.Diff(string(scanJSON(t, a, report.Options{})), string(scanJSON(t, b, report.Options{}))); d != "" {
		t.Errorf("(-as found +reversed):\n%s", d)
	}
	if d := cmp.Diff(string(resumeJSON(t, a)), string(resumeJSON(t, b))); d != "" {
		t.Errorf("(-as found +reversed):\n%s", d)
	}
	if got := a.Findings[0].Check; got != "zombie-session" {
		t.Errorf("the result itself was sorted: %s comes first", got)
	}
}

func TestBytesThatAreNotText(t *testing.T) {
	result := hostile()
	want := result.Findings[0].Subject.SessionID
	doc := decode(t, scanJSON(t, result, report.Options{}))
	subject := doc["findings"].([]any)[0].(map[string]any)["subject"].(map[string]any)
	raw, err := base64.StdEncoding.DecodeString(subject["session_id_b64"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]byte(want), raw); d != "" {
		t.Errorf("session_id_b64 (-want +got):\n%s", d)
	}
	shown := strings.NewReplacer("\xff", "\ufffd", "\xed\xa0\x80", "\ufffd\ufffd\ufffd").Replace(want)
	if d := cmp.Diff(shown, subject["session_id"]); d != "" {
		t.Errorf("session_id (-want +got):\n%s", d)
	}
}

func TestNoFormatCarriesControlCharacters(t *testing.T) {
	for _, f := range []report.Format{report.SARIF, report.JUnit} {
		var b bytes.Buffer
		if err := report.Render(&b, report.New(tool(), inputs(), hostile()), f, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
				t.Errorf("%s carries %U", f, r)
			}
		}
	}
	for _, f := range report.Formats() {
		var b bytes.Buffer
		if err := report.RenderTimeline(&b, report.NewTimeline(tool(), inputs(), hostile()), report.CSV, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := report.Render(&b, report.New(tool(), inputs(), hostile()), f, report.Options{All: true}); err != nil {
			t.Fatal(err)
		}
		if err := report.Render(&b, report.New(tool(), inputs(), everything()), f, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := report.RenderResume(&b, report.NewResume(tool(), inputs(), hostile()), f, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := report.RenderTimeline(&b, report.NewTimeline(tool(), inputs(), hostile()), f, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
				t.Errorf("%s carries %U", f, r)
			}
		}
	}
}

func TestFindingWithoutEvidenceIsRefused(t *testing.T) {
	result := incident()
	result.Findings[0].Evidence = nil
	for _, f := range report.Formats() {
		err := report.Render(io.Discard, report.New(tool(), nil, result), f, report.Options{})
		if err == nil || !strings.Contains(err.Error(), "no evidence") {
			t.Errorf("%s gives %v", f, err)
		}
	}
}
