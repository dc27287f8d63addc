package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var staleRouteHead = &scan.Check{
	ID: "stale-route-head", Class: "C1", Severity: scan.Notice,
	Title:  "a routing entry names a compressed row, and its continuation is another row",
	Issues: []string{"#80337", "#67781", "#50502"},
	Needs:  scan.NeedSessions | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "The routing index sends a chat to a row that ended by compression and has a continuation. While the gateway runs, v0.18 reads the old row and gets little or nothing (the disk=0 lines in the log, which blame the search index); v0.20.1 and v0.21 follow the continuation. After a restart all three drop or repoint the entry before any continuation is looked at, and one without a key is not followed.",
		Not:    "It is no damage to messages and no fault of the search index.",
		Origin: "The child was made, and the gateway stopped before the index was saved; or the key was never moved to the child.",
		Safe:   "Giving the continuation its chat's key where it has none: see its orphan-session finding. Then the lookup finds it.",
		Unsafe: "Reopening the compressed row while it has a continuation: the chat would live in two rows.",
		ByHand: "SELECT r.session_key, p.id, c.id, c.session_key FROM gateway_routing r JOIN sessions p ON p.id = json_extract(r.entry_json, '$.session_id') JOIN sessions c ON c.parent_session_id = p.id WHERE p.end_reason = 'compression'",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for _, r := range loadedRoutes(p) {
			i, ok := p.Facts.Index(r.SessionID)
			if !ok || p.Facts.Sessions[i].EndReason != "compression" {
				continue
			}
			next := continuations(p, i)
			if len(next) == 0 {
				continue
			}
			s, c := &p.Facts.Sessions[i], &p.Facts.Sessions[next[0]]
			f := scan.Finding{
				Subject:  routeSubject(r),
				Message:  fmt.Sprintf("the routing entry of %s names row %s, which compression ended; it goes on in row %s", r.Key, s.ID, c.ID),
				Advice:   "As the file stands, " + nextWords(p, r) + ".",
				Evidence: []evidence.Item{routeEvidence(r), p.Cells(i, "ended by compression", "ended_at", "end_reason", "session_key")},
			}
			for _, j := range next[:min(len(next), shown)] {
				saw := "its continuation"
				if !p.Facts.Sessions[j].Keyed() {
					saw += ", without a key: a restart does not follow it"
				}
				f.Evidence = append(f.Evidence, p.Cells(j, saw, "parent_session_id", "session_key", "started_at", "ended_at", "end_reason"))
			}
			p.Report(f)
		}
		return nil
	},
}
