package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var routeToMissingSession = &scan.Check{
	ID: "route-to-missing-session", Class: "S1", Severity: scan.Warning,
	Title:  "a routing entry names a session that has no row",
	Issues: []string{"#82616", "#52804", "#54138"},
	Needs:  scan.NeedSessions | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "The routing index sends a chat to an id that no row has. The gateway keeps such an entry; until a row exists, its messages cannot be appended.",
		Not:    "It does not prove that messages were lost: since v0.20.1 the next turn makes the row.",
		Origin: "The route was published before the row was made and the write of the row failed, or the row was deleted or lost.",
		Safe:   "Updating: builds since v0.20.1 heal it on the next turn. An older backup may hold the row.",
		Unsafe: "Pointing the entry to another chat's row.",
		ByHand: "SELECT session_key, json_extract(entry_json, '$.session_id') FROM gateway_routing WHERE json_extract(entry_json, '$.session_id') NOT IN (SELECT id FROM sessions WHERE id IS NOT NULL)",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for _, r := range loadedRoutes(p) {
			if _, ok := p.Facts.Index(r.SessionID); ok {
				continue
			}
			f := scan.Finding{
				Subject: routeSubject(r),
				Message: fmt.Sprintf("the routing entry of %s names the session %q, which has no row", r.Key, r.SessionID),
				Advice:  "As the file stands, " + nextWords(p, r) + ".",
				Evidence: []evidence.Item{routeEvidence(r), {
					At: evidence.Ref{Store: p.Facts.Store, Table: "sessions", Key: r.SessionID}, Saw: "no row",
					How: "SELECT id FROM sessions WHERE id = " + evidence.Quote(r.SessionID),
				}},
			}
			if other := p.Elsewhere(r.SessionID); other != "" {
				f.Message += "; a row of this id lies in " + other
				f.Advice = "The conversation is in " + other + ", another file than the entry's own. Nothing is moved here. " + f.Advice
				f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Store: other, Table: "sessions", Key: r.SessionID}, Saw: "a row of this id",
					How: "SELECT id, session_key, source, started_at FROM sessions WHERE id = " + evidence.Quote(r.SessionID)})
			}
			inCopy(p, r.SessionID, &f)
			p.Report(f)
		}
		return nil
	},
}
