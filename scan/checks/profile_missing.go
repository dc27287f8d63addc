package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var profileMissing = &scan.Check{
	ID: "profile-missing", Severity: scan.Warning,
	Title:  "rows belong to a profile that has no folder in the home",
	Issues: []string{"#111926"},
	Needs:  scan.NeedSessions | scan.NeedHome,
	Doc: scan.Doc{
		What:   "The profile_name or the key of some rows names a profile for which profiles/NAME does not exist in this home. The product falls back to the home itself for such a profile, and its chats are not found under their keys.",
		Not:    "A profile's folder that is given alone cannot show its neighbours: the profile that the folder is named after is passed over.",
		Origin: "The profile was renamed or deleted, and its rows kept the old name.",
		Safe:   "Giving the profile its old name back. Renaming the keys is left to the owner: routes, bindings and other files name them too.",
		Unsafe: "Rewriting keys in this table alone.",
		ByHand: "SELECT coalesce(nullif(profile_name, ''), session_key), count(*) FROM sessions GROUP BY 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProfile(ctx, p, func(s *scan.Pass, r profileRows) {
			c := &s.Facts.Config
			if slices.Contains(c.Profiles, r.name) || r.name == c.Named {
				return
			}
			have := "no profile has a folder"
			if n := len(c.Profiles); n > 0 {
				have = fmt.Sprintf("the profiles with a folder are %q", c.Profiles[:min(n, shown)])
			}
			s.Report(scan.Finding{
				Subject: scan.Subject{Path: "profiles/" + r.name},
				Message: fmt.Sprintf("%s of %s belong to the profile %s, which has no folder in this home; %s", scan.Count(r.rows, "row"), s.Facts.Store, r.name, have),
				Advice:  "If the profile was renamed, its old name makes its chats reachable again; nothing is renamed here.",
				Evidence: append(r.evidence(s), evidence.Item{
					At: evidence.Ref{Path: "profiles"}, Saw: "no folder of that name", How: "ls profiles",
				}),
			})
		})
	},
}

// profileRows are the rows of one file that name a profile other than the file's own.
type profileRows struct {
	name           string
	rows, messages int64
}

// eachProfile gives the profiles that the rows of each file name, other than the file's owner and the default one, which
// in a profile's own file means its owner. They come by file, then by name.
func eachProfile(ctx context.Context, p *scan.Pass, fn func(s *scan.Pass, r profileRows)) error {
	for _, s := range p.Stores {
		if err := ctx.Err(); err != nil {
			return err
		}
		found := map[string]*profileRows{}
		var names []string
		for i := range s.Facts.Sessions {
			row := &s.Facts.Sessions[i]
			name := facts.ProfileOf(row)
			if name == "default" || name == s.Facts.Owner {
				continue
			}
			if found[name] == nil {
				found[name] = &profileRows{name: name}
				names = append(names, name)
			}
			found[name].rows++
			found[name].messages += row.Messages
		}
		slices.Sort(names)
		for _, name := range names {
			fn(s, *found[name])
		}
	}
	return nil
}

// evidence counts the rows again.
func (r profileRows) evidence(s *scan.Pass) []evidence.Item {
	t := s.Store.DB.Table("sessions")
	byKey := "substr(session_key, 1, " + fmt.Sprint(len("agent::")+len(r.name)) + ") = " + evidence.Quote("agent:"+r.name+":")
	where := byKey
	switch {
	case t.Has("profile_name") && t.Has("session_key"):
		where = "profile_name = " + evidence.Quote(r.name) + " OR coalesce(profile_name, '') = '' AND " + byKey
	case t.Has("profile_name"):
		where = "profile_name = " + evidence.Quote(r.name)
	}
	return []evidence.Item{{
		At:  evidence.Ref{Store: s.Facts.Store, Table: "sessions"},
		Saw: scan.Count(r.rows, "row") + " with " + scan.Count(r.messages, "message"),
		How: "SELECT count(*) FROM sessions WHERE " + where,
	}}
}
