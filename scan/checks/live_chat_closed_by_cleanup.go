package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// cleanupAge is how old a row had to be for the clean-up to close it, in seconds: seven days (#20001).
const cleanupAge = 7 * 86400

var liveChatClosedByCleanup = &scan.Check{
	ID: "live-chat-closed-by-cleanup", Class: "C4", Severity: scan.Warning,
	Title:  "a one-time clean-up closed a chat that was in use",
	Issues: []string{"#20001"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "The row was ended by orphaned_compression, and it has messages from more than seven days after its start, or a routing entry names it. No build resumes a row with this end, so that the chat gets an older row or a new session.",
		Not:    "Most rows that the clean-up closed were ghosts: those without later messages and without a routing entry are not meant.",
		Origin: "The clean-up closes children of compressed rows that were never ended, are older than seven days, and count no API call. Live children of the gateway whose calls were never counted look just so.",
		Safe:   "Reopening it, where it is the newest row of its chat. It replaces values, so that the finding prints the statement.",
		Unsafe: "Reopening it beside a newer row of the chat: then an open row is not the newest.",
		ByHand: "SELECT s.id, s.started_at, max(m.timestamp) FROM sessions s JOIN messages m ON m.session_id = s.id WHERE s.end_reason = 'orphaned_compression' GROUP BY s.id HAVING max(m.timestamp) > s.started_at + 604800",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		routed := map[string]*facts.Route{}
		for _, r := range loadedRoutes(p) {
			routed[r.SessionID] = r
		}
		newest := newestRow{}
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			r := routed[s.ID]
			if s.EndReason != "orphaned_compression" || s.NoID || !(s.Last > s.Start()+cleanupAge) && r == nil {
				continue
			}
			p.Report(closedFinding(p, int32(i), r, newest))
		}
		return nil
	},
}

func closedFinding(p *scan.Pass, i int32, r *facts.Route, newest newestRow) scan.Finding {
	s := &p.Facts.Sessions[i]
	f := scan.Finding{
		Subject: p.About(i),
		Message: fmt.Sprintf("row %s was closed by a clean-up (orphaned_compression), although it was in use until %s", s.ID, scan.Moment(s.Act())),
		Advice:  "Leave it closed: its chat went on in a newer row.",
		Evidence: []evidence.Item{
			p.Cells(i, "ended by orphaned_compression", "session_key", "source", "started_at", "last_activity_at", "ended_at", "end_reason"), p.Span(i),
		},
	}
	if r != nil {
		f.Evidence = append(f.Evidence, routeEvidence(r))
	}
	if newest.is(p, i) {
		f.Advice = byHand("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = " + evidence.Quote(s.ID))
	}
	return f
}
