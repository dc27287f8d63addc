package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var platformUnrouted = &scan.Check{
	ID: "platform-unrouted", Severity: scan.Notice,
	Title:  "no chat of a platform has a routing entry, although other platforms have",
	Issues: []string{"#15421"},
	Needs:  scan.NeedSessions | scan.NeedKeys | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "The routing index holds entries, but none for any chat of this platform, although the platform has an open row with messages. After a restart all its chats depend on the lookup by key.",
		Not:    "An index without any entry says nothing and is passed over, and so is a platform whose rows were all ended. It does not say that a chat was lost.",
		Origin: "The platform's entries were pruned at a start or never written: a compression or an idle eviction dropped them.",
		Safe:   "Looking at what the lookup gives each of its chats (resume); the next message of a chat makes its entry.",
		Unsafe: "Copying entries of another file by hand.",
		ByHand: "SELECT s.source, count(DISTINCT s.session_key), count(DISTINCT r.session_key) FROM sessions s LEFT JOIN gateway_routing r ON r.session_key = s.session_key WHERE s.session_key <> '' GROUP BY s.source",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		routes := loadedRoutes(p)
		if len(routes) == 0 {
			return nil
		}
		routed := map[string]bool{}
		for _, r := range routes {
			routed[routeSubject(r).Source] = true
		}
		open, keys := map[string]int64{}, map[string]int64{}
		for i := range p.Facts.Sessions {
			if s := &p.Facts.Sessions[i]; s.Keyed() && s.Live() && s.Messages > 0 && p.Facts.Gateway(s.Source) && !routed[s.Source] {
				open[s.Source]++
			}
		}
		for _, c := range p.Facts.Chats() {
			keys[c.Source]++
		}
		sources := make([]string, 0, len(open))
		for s := range open {
			sources = append(sources, s)
		}
		slices.Sort(sources)
		for _, s := range sources {
			p.Report(scan.Finding{
				Subject: scan.Subject{Source: s, Table: "gateway_routing"},
				Message: fmt.Sprintf("%s, although %s open; the index holds %s, of other platforms", noneWords(keys[s], s), openWords(open[s]), entries(len(routes))),
				Advice:  "Look at what each of its chats resumes: hermes-doctor resume.",
				Evidence: []evidence.Item{{
					At: evidence.Ref{Store: p.Facts.Store, Table: "sessions", Column: "session_key"}, Saw: scan.Count(open[s], "open row") + " with messages",
					How: "SELECT id, session_key FROM sessions WHERE source = " + evidence.Quote(s) + " AND session_key <> '' AND ended_at IS NULL AND end_reason IS NULL",
				}, routeEvidence(routes[0])},
			})
		}
		return nil
	},
}

func noneWords(chats int64, source string) string {
	if chats == 1 {
		return "the one chat of " + source + " has no routing entry"
	}
	return fmt.Sprintf("none of the %s of %s has a routing entry", scan.Count(chats, "chat"), source)
}

func openWords(n int64) string {
	if n == 1 {
		return "1 of its rows is"
	}
	return fmt.Sprintf("%d of its rows are", n)
}
