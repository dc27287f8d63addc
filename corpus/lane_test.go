package corpus_test

import (
	"math"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// TestLanes holds every picture of the corpus against the rest of the same result: the rows that it shows are those of
// the file, each message with a usable time is in one stretch, and what a restart picks is what the resolver says.
func TestLanes(t *testing.T) {
	dir, err := corpus.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	lanes := 0
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			folder := t.TempDir()
			if err := corpus.BuildTo(t.Context(), c, folder); err != nil {
				t.Skip(err)
			}
			b, err := evidence.Open(t.Context(), []string{c.Path(folder)}, evidence.Options{Damaged: true})
			if err != nil {
				t.Skip(err)
			}
			defer b.Close()
			o := scan.Options{Now: c.Now, Zone: c.Zone, Rows: true, Lanes: true}
			result, err := scan.Run(t.Context(), b, checks.All(), o)
			if err != nil {
				t.Fatal(err)
			}
			for i := range result.Stories {
				lanes++
				checkLane(t, result, &result.Stories[i])
			}
		})
	}
	if lanes < 100 {
		t.Errorf("only %d pictures were looked at", lanes)
	}
}

func checkLane(t *testing.T, result *scan.Result, st *scan.Story) {
	t.Helper()
	l := st.Lane
	if l == nil {
		t.Fatalf("the story of %q has no picture", st.SessionKey)
	}
	talk := false
	for i := range l.Rows {
		r := &l.Rows[i]
		talk = talk || r.ID == l.Talk
		sum := int64(0)
		for k, d := range r.Density {
			if d.N < 0 || d.N >= scan.LaneStretches || k > 0 && d.N <= r.Density[k-1].N {
				t.Errorf("row %s has the stretches %v", r.ID, r.Density)
			}
			sum += d.Messages
		}
		if sum > r.Messages || sum < r.Messages && usable(r) {
			t.Errorf("row %s has %d messages, and the picture %d", r.ID, r.Messages, sum)
		}
		if !r.Stray && !listed(result, st.Store, &r.SessionLine) {
			t.Errorf("row %s is not as the file has it: %+v", r.ID, r.SessionLine)
		}
		for _, at := range []float64{r.First, r.Last} {
			if at >= 1 && at <= 4.2e9 && (at < l.From || at > l.To) {
				t.Errorf("row %s reaches beyond the picture: %v", r.ID, at)
			}
		}
	}
	if !talk {
		t.Errorf("the row %q that holds the talk is not in the picture of %q", l.Talk, st.SessionKey)
	}
	for _, line := range result.Resume {
		if line.Store == st.Store && line.Source == st.Source && line.SessionKey == st.SessionKey && line.Resolver == l.Resolver {
			if !l.Picked || l.Now != line.Now || l.AfterFix != line.AfterFix {
				t.Errorf("a restart picks %q and after a fix %q, and the picture says %q and %q", line.Now, line.AfterFix, l.Now, l.AfterFix)
			}
		}
	}
}

// usable says that every message of a row has a time that counts: then the row's own times do.
func usable(r *scan.LaneRow) bool {
	return !math.IsNaN(r.First) && r.Density != nil && r.Verdict != scan.Unreadable
}

func listed(result *scan.Result, store string, want *scan.SessionLine) bool {
	for i := range result.Sessions {
		s := &result.Sessions[i]
		if s.Store == store && s.ID == want.ID && s.Messages == want.Messages && s.Verdict == want.Verdict && s.SessionKey == want.SessionKey {
			return true
		}
	}
	return false
}
