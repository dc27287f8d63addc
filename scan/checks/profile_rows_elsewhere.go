package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var profileRowsElsewhere = &scan.Check{
	ID: "profile-rows-elsewhere", Severity: scan.Warning,
	Title:  "rows of a profile lie in another file than the profile's own",
	Issues: []string{"#88532", "#40344", "#59566"},
	Needs:  scan.NeedSessions | scan.NeedHome,
	Doc: scan.Doc{
		What:   "The profile_name or the key of some rows names a profile that has a database of its own in this home, but the rows lie in another one. Whoever opens the profile does not see them.",
		Not:    "Each row is in one file only, unlike with session-in-two-stores, and its profile has a folder, unlike with profile-missing. Where one gateway serves several profiles (multiplex_profiles), their rows lie together by design, and nothing is said; that it was switched on by its environment variable alone cannot be seen here.",
		Origin: "A surface such as the desktop opened the wrong file, or the profile was made after its rows.",
		Safe:   "Opening these sessions from the profile whose file holds them. Moving rows would be a write to two files, which is not done here.",
		Unsafe: "Copying one database over the other.",
		ByHand: "SELECT profile_name, count(*) FROM sessions GROUP BY profile_name",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProfile(ctx, p, func(s *scan.Pass, r profileRows) {
			k := slices.IndexFunc(p.Stores, func(o *scan.Pass) bool { return o.Facts.Owner == r.name })
			if k < 0 || s.Facts.Config.Multiplex {
				return
			}
			own := p.Stores[k]
			s.Report(scan.Finding{
				Subject: scan.Subject{Path: "profiles/" + r.name},
				Message: fmt.Sprintf("%s of the profile %s, with %s, lie in %s and not in the profile's own %s, which has %s", scan.Count(r.rows, "row"), r.name,
					scan.Count(r.messages, "message"), s.Facts.Store, own.Facts.Store, scan.Count(len(own.Facts.Sessions), "row")),
				Advice: "Nothing is moved here: open these sessions where they lie.",
				Evidence: append(r.evidence(s), evidence.Item{
					At: evidence.Ref{Store: own.Facts.Store, Table: "sessions"}, Saw: scan.Count(len(own.Facts.Sessions), "row") + " in the profile's own file",
					How: "SELECT count(*) FROM sessions",
				}),
			})
		})
	},
}
