package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func TestExit(t *testing.T) {
	warning := []scan.Finding{{Severity: scan.Warning}}
	ran := []scan.CheckStatus{{Status: scan.Ran}, {Status: scan.Skipped, Reason: "no-input"}, {Status: scan.Skipped, Reason: "deep"}}
	failed := append([]scan.CheckStatus{{Status: scan.Failed, Reason: "budget"}}, ran...)
	tests := []struct {
		name   string
		result scan.Result
		least  scan.Severity
		want   int
	}{
		{"nothing found, some skipped", scan.Result{Unchanged: true, Checks: ran}, scan.Notice, 0},
		{"found above", scan.Result{Unchanged: true, Findings: warning}, scan.Notice, 1},
		{"found at", scan.Result{Unchanged: true, Findings: warning}, scan.Warning, 1},
		{"found below", scan.Result{Unchanged: true, Findings: warning}, scan.Error, 0},
		{"a check failed", scan.Result{Unchanged: true, Checks: failed}, scan.Notice, 3},
		{"incomplete wins over found", scan.Result{Unchanged: true, Checks: failed, Findings: warning}, scan.Notice, 3},
		{"incomplete wins over --fail-on", scan.Result{Unchanged: true, Checks: failed, Findings: warning}, scan.Error, 3},
		{"source changed", scan.Result{Findings: warning}, scan.Notice, 3},
		{"a store could not be read", scan.Result{Unchanged: true, Partial: true}, scan.Notice, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := exitClean
			if err := (examination{result: &tt.result}).exit(tt.least.Rank(), nil); err != nil {
				var status exitStatus
				if !errors.As(err, &status) {
					t.Fatal(err)
				}
				got = int(status)
			}
			if got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}

func TestNarrow(t *testing.T) {
	result := scan.Result{
		Sessions: []scan.SessionLine{
			{Store: "state.db", ID: "old", SessionKey: "chat"}, {Store: "state.db", ID: "orphan"},
			{Store: "state.db", ID: "other", SessionKey: "room"}, {Store: "profiles/p/state.db", ID: "orphan", SessionKey: "room"},
		},
		Resume: []scan.ResumeLine{
			{Store: "state.db", SessionKey: "chat", Now: "old", AfterFix: "orphan"}, {Store: "state.db", SessionKey: "room", Now: "other"},
		},
		Stories: []scan.Story{{Store: "state.db", SessionKey: "chat"}, {Store: "state.db", SessionKey: "room"}},
		Findings: []scan.Finding{
			{Check: "orphan", Subject: scan.Subject{Store: "state.db", SessionID: "orphan"}, Adoption: &scan.Adoption{Predecessor: "old", SessionKey: "chat"}},
			{Check: "zombie", Subject: scan.Subject{Store: "state.db", SessionID: "old"}},
			{Check: "foreign", Subject: scan.Subject{Store: "state.db", SessionID: "other"}},
			{Check: "file", Subject: scan.Subject{Store: "state.db"}},
		},
	}
	type left struct{ Findings, Sessions, Chats, Stories []string }
	tests := []struct {
		name, chat, session string
		want                left
	}{
		{"neither", "", "", left{[]string{"orphan", "zombie", "foreign", "file"}, []string{"old", "orphan", "other", "orphan"}, []string{"chat", "room"}, []string{"chat", "room"}}},
		{"chat", "chat", "", left{[]string{"orphan", "zombie"}, []string{"old", "orphan"}, []string{"chat"}, []string{"chat"}}},
		{"other chat", "room", "", left{[]string{"foreign"}, []string{"other", "orphan"}, []string{"room"}, []string{"room"}}},
		{"session", "", "old", left{[]string{"orphan", "zombie"}, []string{"old", "orphan"}, []string{"chat"}, []string{"chat"}}},
		{"both", "chat", "orphan", left{[]string{"orphan"}, []string{"old", "orphan", "orphan"}, []string{"chat"}, []string{"chat"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := examination{result: &result}
			if err := x.narrow(tt.chat, tt.session); err != nil {
				t.Fatal(err)
			}
			var got left
			for _, f := range x.result.Findings {
				got.Findings = append(got.Findings, f.Check)
			}
			for _, s := range x.result.Sessions {
				got.Sessions = append(got.Sessions, s.ID)
			}
			for _, l := range x.result.Resume {
				got.Chats = append(got.Chats, l.SessionKey)
			}
			for _, s := range x.result.Stories {
				got.Stories = append(got.Stories, s.SessionKey)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("left over (-want +got):\n%s", diff)
			}
		})
	}
	for _, tt := range []struct{ chat, session string }{{"nosuch", ""}, {"", "nosuch"}} {
		if err := (&examination{result: &result}).narrow(tt.chat, tt.session); err == nil {
			t.Errorf("narrow(%q, %q) gives no error", tt.chat, tt.session)
		}
	}
}
