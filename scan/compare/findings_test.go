package compare_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

func TestFindings(t *testing.T) {
	f := func(check, session string) scan.Finding {
		return scan.Finding{Check: check, Subject: scan.Subject{SessionID: session}, Message: session}
	}
	both, old, fresh := f("x", "both"), f("x", "old"), f("y", "new")
	changed := both
	changed.Message = "told otherwise"
	a := &scan.Result{Findings: []scan.Finding{old, both}}
	tests := []struct {
		name           string
		b              scan.Result
		appeared, went []scan.Finding
	}{
		{"one of each", scan.Result{Findings: []scan.Finding{changed, fresh}}, []scan.Finding{fresh}, []scan.Finding{old}},
		{"its check failed in B", scan.Result{Findings: []scan.Finding{fresh}, Checks: []scan.CheckStatus{{ID: "x", Status: scan.Failed}}}, []scan.Finding{fresh}, nil},
		{"B could not be read", scan.Result{Findings: []scan.Finding{fresh}, Partial: true}, []scan.Finding{fresh}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			appeared, went := compare.Findings(a, &tt.b)
			if d := gocmp.Diff([][]scan.Finding{tt.appeared, tt.went}, [][]scan.Finding{appeared, went}, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("appeared, went (-want +got):\n%s", d)
			}
		})
	}
}

func TestResumes(t *testing.T) {
	a := []scan.ResumeLine{{Store: "s", SessionKey: "same", Now: "1"}, {Store: "s", SessionKey: "other", Now: "1"}, {Store: "s", SessionKey: "old", Now: "1"}, {Store: "broken", SessionKey: "k", Now: "1"}}
	b := []scan.ResumeLine{{Store: "s", SessionKey: "same", Now: "1"}, {Store: "s", SessionKey: "other"}, {Store: "s", SessionKey: "new", Now: "2"}}
	want := []compare.Resumed{
		{Store: "s", SessionKey: "other", Before: "1", OnlyIn: compare.Both}, {Store: "s", SessionKey: "new", After: "2", OnlyIn: compare.B},
		{Store: "s", SessionKey: "old", Before: "1", OnlyIn: compare.A},
	}
	if d := gocmp.Diff(want, compare.Resumes(a, b, func(store string) bool { return store == "s" })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
