package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var duplicateLiveSessions = &scan.Check{
	ID: "duplicate-live-sessions", Class: "D-live", Severity: scan.Warning,
	Title:  "a chat has two or more rows that were never ended",
	Issues: []string{"#82616"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "Two or more rows of one chat are open at once, and they are no compression chain. No index forbids it, and which one a restart picks depends on the build.",
		Not:    "It does not say which one the user means: the newest message of the user is the best sign.",
		Origin: "Ending the old row failed at a reset, or two gateways wrote the same file.",
		Safe:   "Keep the row with the newest messages and end the others with superseded_by_repair at their own last activity.",
		Unsafe: "Ending them with a reset reason at today's time, which fences the row that should stay.",
		ByHand: "SELECT source, session_key, count(*) FROM sessions WHERE session_key <> '' AND ended_at IS NULL AND end_reason IS NULL GROUP BY source, session_key HAVING count(*) > 1",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for _, group := range scan.LiveTwins(p.Facts) {
			first := &p.Facts.Sessions[group[0]]
			f := scan.Finding{
				Subject: scan.Subject{SessionKey: first.SessionKey, Source: first.Source, Table: "sessions"},
				Message: fmt.Sprintf("the chat %s has %s that were never ended", first.SessionKey, scan.Count(len(group), "row")),
				Advice:  "Compare the rows side by side; the one with the user's newest message is the conversation.",
				Evidence: []evidence.Item{{
					At:  evidence.Ref{Store: p.Facts.Store, Table: "sessions", Column: "ended_at"},
					Saw: scan.Count(len(group), "live row"),
					How: fmt.Sprintf("SELECT id, started_at, message_count FROM sessions WHERE session_key = %s AND source = %s AND ended_at IS NULL AND end_reason IS NULL",
						evidence.Quote(first.SessionKey), evidence.Quote(first.Source)),
				}},
			}
			for _, i := range group[:min(len(group), shown)] {
				f.Evidence = append(f.Evidence, p.Span(i))
			}
			p.Report(f)
		}
		return nil
	},
}

// shown bounds how many rows one finding lists; its SQL shows them all.
const shown = 4
