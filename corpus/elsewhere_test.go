package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestRouteAcrossFiles holds that a routing entry to a row in another file says which file that is, and shows the row there.
func TestRouteAcrossFiles(t *testing.T) {
	t.Parallel()
	for _, c := range load(t) {
		if c.Name != "route-to-row-of-another-profile" {
			continue
		}
		r := outcome(t, checks.All(), c).Result
		i := slices.IndexFunc(r.Findings, func(f scan.Finding) bool { return f.Check == "route-to-missing-session" })
		if i < 0 || !strings.HasSuffix(r.Findings[i].Message, "; a row of this id lies in state.db") || r.Findings[i].Evidence[2].At.Store != "state.db" {
			t.Errorf("the finding does not lead to the row: %+v", r.Findings)
		}
		return
	}
	t.Fatal("the case is gone")
}
