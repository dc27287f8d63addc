package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// simulations are one of each verdict, with hostile names where names come from a store.
func simulations() map[string]*report.Simulation {
	base := report.Simulation{
		Tool: tool(), Inputs: inputs(), Base: "checkpoints", Project: "55e8fbffcaa6d84b", Workdir: "/home/you/project",
		Checkpoint: "9f2c4b6a8d0e1f2a3b4c5d6e7f8091a2b3c4d5e6", Number: 1, At: 1790000000, Reason: "before write_file",
		Request: rollback.Request{Platform: rollback.POSIX},
	}
	refused, failed, restores, unknown := base, base, base, base
	refused.Outcome = &rollback.Outcome{
		Verdict: rollback.Refused, Stage: rollback.Inspect, Message: "refused before anything is changed",
		Nested: []string{"packages/nested", "odd\x1b[2Jname", "\xff\xfe"}, BeforeFix: rollback.Restores,
		Assumes: []string{"no symbolic link of today leads out"},
	}
	failed.Number, failed.At, failed.Workdir, failed.Reason = 0, math.NaN(), "", "r\xe9sum\xe9 #12\n@you"
	failed.Request.Selection = ":!\xff"
	failed.Outcome = &rollback.Outcome{
		Verdict: rollback.Failed, Class: rollback.MissingObject, Stage: rollback.Checkout, Message: "1 of 2 files is missing",
		Missing: []rollback.Missing{{Path: "b", ID: "1111111111111111111111111111111111111111"}, {Path: "", ID: "2222222222222222222222222222222222222222"}},
		Deleted: []string{"b"}, Restored: []string{"a"}, BeforeFix: rollback.Failed,
	}
	restores.Request.Today = &rollback.Today{}
	restores.Outcome = &rollback.Outcome{
		Verdict: rollback.Restores, Message: "40 files come back", BeforeFix: rollback.Restores, Written: []string{"f00"},
		Kept: []rollback.Kept{{Path: "mine", Why: rollback.HandEdited}},
	}
	for i := range 40 {
		restores.Outcome.Restored = append(restores.Outcome.Restored, "f"+string(rune('0'+i/10))+string(rune('0'+i%10)))
	}
	unknown.Request.Selection = ":(attr:x)*"
	unknown.Outcome = &rollback.Outcome{Verdict: rollback.Unknown, Message: "attributes decide", BeforeFix: rollback.Unknown}
	return map[string]*report.Simulation{"refused": &refused, "failed": &failed, "restores": &restores, "unknown": &unknown}
}

func TestGoldenSimulation(t *testing.T) {
	for name, s := range simulations() {
		for _, f := range report.Formats() {
			golden(t, "simulate-"+name+"."+string(f), func(w *bytes.Buffer) error { return report.RenderSimulation(w, s, f, report.Options{}) })
		}
	}
}

// Both forms of JSON hold the same, and it is what the schema says.
func TestSimulationJSON(t *testing.T) {
	whole := schema(t, "")
	for name, s := range simulations() {
		var docs [2]any
		for i, f := range []report.Format{report.JSON, report.JSONLines} {
			var b bytes.Buffer
			if err := report.RenderSimulation(&b, s, f, report.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(b.Bytes(), &docs[i]); err != nil {
				t.Fatalf("%s as %s: %v", name, f, err)
			}
			if err := whole.Validate(docs[i]); err != nil {
				t.Errorf("%s as %s: %v", name, f, err)
			}
		}
		if !reflect.DeepEqual(docs[0], docs[1]) {
			t.Errorf("%s: json and jsonl differ (-json +jsonl):\n%s", name, cmp.Diff(docs[0], docs[1]))
		}
	}
}
