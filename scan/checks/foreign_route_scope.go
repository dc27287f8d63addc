package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var foreignRouteScope = &scan.Check{
	ID: "foreign-route-scope", Class: "S4", Severity: scan.Notice,
	Title:  "routing entries belong to another place than this home, so that a gateway here ignores them",
	Issues: []string{"#66887"},
	Needs:  scan.NeedSessions | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "Each row of gateway_routing carries the absolute path of the sessions folder of the gateway that wrote it, and a gateway reads only the rows of its own. These rows name another path: after a move or a clone of the home they are ignored, and each chat is looked up by its key instead.",
		Not:    "A copy that is examined elsewhere looks the same: --home-path says where the home was, and its own entries are then read. A database without its home has no place of its own: there only the scopes beside the newest one count.",
		Origin: "The home was moved, renamed, restored to another path or cloned, sessions_dir was changed, or two profiles share the file.",
		Safe:   "Nothing: the next message of each chat makes an entry for the new place. To keep the old answers, run the gateway where the home was.",
		Unsafe: "Rewriting the scope of the rows: two homes that share a file would then overwrite each other.",
		ByHand: "SELECT scope, count(*) FROM gateway_routing GROUP BY scope",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		count := map[string]int64{}
		for k := range p.Facts.Routes.Others {
			count[p.Facts.Routes.Others[k].Scope]++
		}
		scopes := make([]string, 0, len(count))
		for s := range count {
			scopes = append(scopes, s)
		}
		slices.Sort(scopes)
		for _, s := range scopes {
			p.Report(scan.Finding{
				Subject: scan.Subject{Table: "gateway_routing", Path: s},
				Message: fmt.Sprintf("%s of the scope %q: a gateway of this place ignores them; the scope that counts is %q (%s)", entries(count[s]), s, p.Facts.Routes.Scope, p.Facts.Routes.ScopeBy),
				Advice:  "If this is a copy of a home that lies elsewhere, say where with --home-path; otherwise each chat's next message makes a new entry.",
				Evidence: []evidence.Item{{
					At:  evidence.Ref{Store: p.Facts.Store, Table: "gateway_routing", Column: "scope"},
					Saw: scan.Count(count[s], "row") + " of another scope",
					How: "SELECT session_key, updated_at FROM gateway_routing WHERE scope = " + evidence.Quote(s),
				}},
			})
		}
		return nil
	},
}
