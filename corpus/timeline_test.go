package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestSteps holds which steps of the incident are named: each only where its own evidence is there.
func TestSteps(t *testing.T) {
	tests := map[string]string{
		"reference-incident-logs":         "fork silent-growth crash jump", // the log has the crash, the old row the message after it
		"reference-incident":              "fork silent-growth jump-ahead", // no log, and nobody has written since
		"adopt-used-again":                "fork silent-growth jump",
		"adopt-touching-900":              "fork jump-ahead", // both rows hold messages of the same time
		"adopt-chain-by-time":             "fork silent-growth fork silent-growth jump-ahead",
		"adopt-after-reset":               "fork silent-growth", // the former row was reset: no restart resumes it
		"adopt-route-names-orphan":        "",                   // a restart finds the row all the same
		"adopt-contested":                 "",                   // refused: nobody knows whose row it is
		"orphan-session-near-before-keys": "",
		"crash-marker":                    "",
		"messages-elsewhere":              "",
		"live-past-boundary":              "",
		"healthy-chats":                   "",
		"census-delegates-and-branches":   "",
		"orphan-session-near-look-alikes": "",
		"compression-without-child":       "",
		"duplicate-live-sessions":         "",
	}
	for _, c := range load(t) {
		want, ok := tests[c.Name]
		if !ok {
			continue
		}
		delete(tests, c.Name)
		var got []string
		for e := range outcome(t, checks.All(), c).Result.Timeline.Events() {
			if e.Step != "" {
				got = append(got, string(e.Step))
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: steps %q, want %q", c.Name, got, want)
		}
	}
	for name := range tests {
		t.Errorf("no case is called %s", name)
	}
}
