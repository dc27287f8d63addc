package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var compressionFork = &scan.Check{
	ID: "compression-fork", Class: "C3", Severity: scan.Warning,
	Title:  "two or more open rows continue one compressed row",
	Issues: []string{"#80337", "#38727"},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "The row ended by compression and has several open children that are neither branches nor delegates. v0.20.1 and v0.21 read the one with the latest activity, and refuse to append to the compressed row as ambiguous, which drops the message; v0.18 reads the compressed row itself.",
		Not:    "It does not say which of them is the conversation: both may hold talk that the other lacks.",
		Origin: "Compression ran twice at once, or ran again after its first child had been made.",
		Safe:   "Reading both, then ending the one that is not wanted with superseded_by_repair at its own last activity.",
		Unsafe: "Moving messages from one into the other, or choosing by start alone.",
		ByHand: "SELECT p.id, count(*) FROM sessions p JOIN sessions c ON c.parent_session_id = p.id WHERE p.end_reason = 'compression' AND c.ended_at IS NULL AND c.end_reason IS NULL GROUP BY p.id HAVING count(*) > 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if s.EndReason != "compression" || len(p.Facts.Children(int32(i))) < 2 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			var open []int32
			for _, j := range continuations(p, int32(i)) {
				if p.Facts.Sessions[j].Live() {
					open = append(open, j)
				}
			}
			if len(open) < 2 {
				continue
			}
			f := scan.Finding{
				Subject: p.About(int32(i)),
				Message: fmt.Sprintf("%s continue row %s, which compression ended", scan.Count(len(open), "open row"), s.ID),
				Advice:  "Read them side by side before anything is ended: each may hold talk that the others lack.",
				Evidence: []evidence.Item{{
					At: evidence.Ref{Store: p.Facts.Store, Table: "sessions", Column: "parent_session_id"}, Saw: scan.Count(len(open), "open child row"),
					How: "SELECT id, source, session_key, started_at, last_activity_at, message_count, model_config FROM sessions WHERE parent_session_id = " + evidence.Quote(s.ID) + " AND ended_at IS NULL AND end_reason IS NULL",
				}},
			}
			for _, j := range open[:min(len(open), shown)] {
				f.Evidence = append(f.Evidence, p.Span(j))
			}
			p.Report(f)
		}
		return nil
	},
}
