package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var routeToEndedSession = &scan.Check{
	ID: "route-to-ended-session", Class: "S2", Severity: scan.Warning,
	Title:  "a routing entry names a session that was ended",
	Issues: []string{"#52804", "#54878", "#54138", "#61993"},
	Needs:  scan.NeedSessions | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "The routing index sends a chat to a row that has an end reason. At its start the gateway drops the entry or repoints it to what the finder gives.",
		Not:    "It does not say that the end was a mistake: after a /new the user may want just this.",
		Origin: "The gateway crashed or was killed between ending the row and saving the index, or another surface (a TUI, a clean-up) ended a row that the gateway owned.",
		Safe:   "Nothing: the start repairs the index by itself. Look at which row it will take.",
		Unsafe: "Reopening the row by hand when the user had reset the chat.",
		ByHand: "SELECT r.session_key, s.id, s.ended_at, s.end_reason FROM gateway_routing r JOIN sessions s ON s.id = json_extract(r.entry_json, '$.session_id') WHERE s.end_reason IS NOT NULL",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for _, r := range loadedRoutes(p) {
			i, ok := p.Facts.Index(r.SessionID)
			if !ok || !p.Facts.Sessions[i].HasReason {
				continue
			}
			s := &p.Facts.Sessions[i]
			p.Report(scan.Finding{
				Subject:  routeSubject(r),
				Message:  fmt.Sprintf("the routing entry of %s names row %s, which was ended (%s)", r.Key, s.ID, s.EndReason),
				Advice:   "As the file stands, " + nextWords(p, r) + ".",
				Evidence: []evidence.Item{routeEvidence(r), p.Cells(i, fmt.Sprintf("end_reason %q", s.EndReason), "ended_at", "end_reason")},
			})
		}
		return nil
	},
}
