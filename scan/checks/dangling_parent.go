package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var danglingParent = &scan.Check{
	ID: "dangling-parent", Class: "L2", Severity: scan.Notice,
	Title:  "a row's parent is gone",
	Issues: []string{},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "parent_session_id names an id that no row has.",
		Not:    "It does not say that anything of this row is lost.",
		Origin: "The parent was deleted by a writer that had foreign keys off, or lost with a damaged page; the product itself clears the column when it deletes a parent.",
		Safe:   "Clearing the column, as the product does. That overwrites a value, so it is left to the owner.",
		Unsafe: "Pointing it to another row.",
		ByHand: "SELECT id, parent_session_id FROM sessions WHERE parent_session_id <> '' AND parent_session_id NOT IN (SELECT id FROM sessions WHERE id IS NOT NULL)",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if s.ParentID == "" || s.Parent >= 0 {
				continue
			}
			p.Report(scan.Finding{
				Subject: p.About(int32(i)),
				Message: fmt.Sprintf("row %s names the parent %s, which has no row", s.ID, s.ParentID),
				Advice:  "Nothing needs doing for this row; an older backup may still hold its parent.",
				Evidence: []evidence.Item{
					p.Cells(int32(i), "parent_session_id "+s.ParentID, "parent_session_id"),
					{
						At: evidence.Ref{Store: p.Facts.Store, Table: "sessions", Key: s.ParentID}, Saw: "no row",
						How: "SELECT id FROM sessions WHERE id = " + evidence.Quote(s.ParentID),
					},
				},
			})
		}
		return nil
	},
}
