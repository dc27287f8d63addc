package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var profileUnset = &scan.Check{
	ID: "profile-unset", Severity: scan.Notice,
	Title:  "most rows of a profile's file do not name the profile, and some do",
	Issues: []string{"#94724", "#96110"},
	Needs:  scan.NeedSessions | scan.NeedHome,
	Doc: scan.Doc{
		What:   "In the file of one profile some rows name that profile and others leave profile_name blank. A surface that asks for the profile's rows by name does not find the blank ones.",
		Not:    "A blank name means the file's own profile, so that nothing is lost; in the home's own file a blank name is the default profile and healthy. Nothing is said where the file holds rows of another profile too: which one a blank row belongs to would be a guess.",
		Origin: "The rows were written by builds or surfaces that leave the column blank.",
		Safe:   "Filling the blank cells with the name of the profile whose folder holds the file; that needs the owner's word.",
		Unsafe: "The same in a file that several profiles share.",
		ByHand: "SELECT coalesce(nullif(profile_name, ''), '(blank)'), count(*) FROM sessions GROUP BY 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for _, s := range p.Stores {
			if err := ctx.Err(); err != nil {
				return err
			}
			if f, ok := unsetFinding(s); ok {
				s.Report(f)
			}
		}
		return nil
	},
}

func unsetFinding(s *scan.Pass) (scan.Finding, bool) {
	owner := s.Facts.Owner
	var named, blank int64
	for i := range s.Facts.Sessions {
		switch row := &s.Facts.Sessions[i]; {
		case row.Profile == owner:
			named++
		case row.Profile != "":
			return scan.Finding{}, false
		default:
			blank++
		}
	}
	if owner == "default" || named == 0 || blank <= named {
		return scan.Finding{}, false
	}
	return scan.Finding{
		Subject: scan.Subject{Table: "sessions", Path: "profiles/" + owner},
		Message: fmt.Sprintf("%s of %s name no profile, and %d name %s, whose file it is", scan.Count(blank, "row"), s.Facts.Store, named, owner),
		Advice: "The blank cells can be filled on a copy, with the owner's word: UPDATE sessions SET profile_name = " + evidence.Quote(owner) +
			" WHERE coalesce(profile_name, '') = ''.",
		Evidence: []evidence.Item{{
			At: evidence.Ref{Store: s.Facts.Store, Table: "sessions", Column: "profile_name"}, Saw: fmt.Sprintf("%d blank, %d %s", blank, named, owner),
			How: "SELECT profile_name, count(*) FROM sessions GROUP BY profile_name",
		}},
	}, true
}
