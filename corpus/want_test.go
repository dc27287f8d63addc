package corpus_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
)

func TestDescribe(t *testing.T) {
	r := &scan.Result{
		Verdict: scan.Verdict{Word: scan.Damaged, Sentence: "not compared"},
		Findings: []scan.Finding{
			{Check: "b", Severity: scan.Warning, Subject: scan.Subject{Store: "state.db", Source: "cli", Table: "messages", RowID: 7}},
			{Check: "b", Severity: scan.Notice, Subject: scan.Subject{Store: "profiles/x/state.db"}},
			{Check: "a", Severity: scan.Error, Subject: scan.Subject{SessionID: "s 1", SessionKey: "k", Source: "cli", Table: "sessions", Path: "a/b"}},
			{Check: "orphan-session", Severity: scan.Error, Subject: scan.Subject{SessionID: "o\xff"}, Adoption: &scan.Adoption{
				Decision: adopt.Refuse, Evidence: []string{"lineage"}, Refusals: []scan.Refusal{{Code: "contested", Text: "x"}, {Code: "ended"}}}},
			{Check: "orphan-session", Severity: scan.Error, Subject: scan.Subject{SessionID: "p"}, Adoption: &scan.Adoption{
				Decision: adopt.Adopt, Predecessor: "d", Evidence: []string{"recorded", "contiguity"}}},
		},
		Checks: []scan.CheckStatus{{ID: "c", Status: scan.Failed, Reason: "no fts5"}, {ID: "d", Status: scan.Skipped, Reason: "deep"}},
		Resume: []scan.ResumeLine{{Store: "state.db", Resolver: "v0.21", Source: "telegram", SessionKey: "k", AfterFix: "s"},
			{Store: "profiles/x/state.db", Resolver: "v0.18", Source: "-", SessionKey: "k", Now: "s", AfterFix: "s"}},
		Census: []scan.CensusLine{{Store: "state.db", Source: "cli", Verdict: scan.Healthy, Sessions: 2, Messages: 9}},
	}
	want := corpus.Want{
		Findings: []string{
			"a error \"s\\x201\" key=k path=a/b",
			"b notice - store=profiles/x/state.db",
			"b warning source=cli table=messages rowid=7",
			`c failed "no\x20fts5"`,
			`orphan-session error "o\xff": refuse - lineage -contested -ended`,
			"orphan-session error p: adopt d recorded contiguity",
		},
		Resume:  []string{`v0.18 "-" k s -> s store=profiles/x/state.db`, "v0.21 telegram k - -> s"},
		Census:  []string{"cli healthy 2 9"},
		Verdict: "damaged",
	}
	if diff := cmp.Diff(want, corpus.Describe(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
