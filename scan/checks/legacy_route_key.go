package checks

import (
	"context"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var legacyRouteKey = &scan.Check{
	ID: "legacy-route-key", Class: "S5", Severity: scan.Notice,
	Title:  "the routing table is keyed by session_key alone, so that every save of it fails",
	Issues: []string{"#59203"},
	Needs:  scan.NeedSessions | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "gateway_routing was made by one of the first builds that had it: its primary key is session_key alone. Later builds write scope and session_key and fail at every save until they have rebuilt the table; meanwhile sessions.json is the truth.",
		Not:    "It does not say that a route was lost: the file holds them as long as it is written.",
		Origin: "The table was made between its first build and the one that gave it a scope, and no build since has opened the file for writing.",
		Safe:   "Starting a build of today: it rebuilds the table when it opens the file.",
		Unsafe: "Deleting the table while sessions.json is absent.",
		ByHand: "SELECT sql FROM sqlite_master WHERE name = 'gateway_routing'",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		if !p.Facts.Routes.KeyAlone {
			return nil
		}
		p.Report(scan.Finding{
			Subject: scan.Subject{Table: "gateway_routing"},
			Message: "gateway_routing is keyed by session_key alone: builds that write a scope cannot save their routes there",
			Advice:  "Keep sessions.json beside the file; a build of today rebuilds the table when it opens it.",
			Evidence: []evidence.Item{{
				At: evidence.Ref{Store: p.Facts.Store, Table: "gateway_routing"}, Saw: "session_key alone is unique",
				How: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'gateway_routing' COLLATE NOCASE",
			}},
		})
		return nil
	},
}
