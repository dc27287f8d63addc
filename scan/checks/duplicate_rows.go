package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var duplicateRows = &scan.Check{
	ID: "duplicate-rows", Class: "P1", Severity: scan.Error,
	Title:  "a table gives the same row twice",
	Issues: []string{"#98077", "#97940", "#105670", "#63386"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "A walk over a table meets one rowid more than once, or SQLite counts more rows than there are rowids: a page stands in the tree twice, or a copy of it does. Also two session rows with one id, which the table's own key forbids.",
		Not:    "Equal texts in rows of their own are no duplicates: conversation-copied tells of those. Rowids are compared where the tree itself is out of order, in files that are walked whole.",
		Origin: "Two writers without locks, or pages of an older generation of the file over newer ones.",
		Safe:   "hermes-doctor salvage: it takes each row once, and says where two differ.",
		Unsafe: "Deleting one of the two by id: both may go, or the wrong one.",
		ByHand: "SELECT count(*), count(DISTINCT id) FROM messages NOT INDEXED",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		s, err := p.Structure(ctx)
		if err != nil {
			return err
		}
		if s != nil {
			for _, d := range s.Doubled {
				p.Report(doubledFinding(p, &d))
			}
		}
		if p.Facts == nil {
			return nil
		}
		told := map[string]bool{}
		for i := range p.Facts.Sessions {
			row := &p.Facts.Sessions[i]
			if j, ok := p.Facts.Index(row.ID); !ok || j == int32(i) || row.NoID || told[row.ID] {
				continue
			}
			told[row.ID] = true
			p.Report(scan.Finding{
				Subject:  p.About(int32(i)),
				Message:  "two rows of sessions have the id " + row.ID + ": which of them the product reads depends on the way that it takes",
				Advice:   "Keep both: hermes-doctor salvage takes the one that the table gives first and lists the other.",
				Evidence: []evidence.Item{p.Cells(int32(i), "the id comes twice", "id", "source", "started_at")},
			})
		}
		return nil
	},
}

func doubledFinding(p *scan.Pass, d *evidence.Doubled) scan.Finding {
	saw := fmt.Sprintf("%s by a walk that takes each page once, %d rowids", scan.Count(d.Rows, "row"), d.Distinct)
	if d.Counted >= 0 {
		saw += fmt.Sprintf(", %d rows as SQLite counts", d.Counted)
	}
	if len(d.RowIDs) > 0 {
		saw += "; twice: " + numbers(d.RowIDs)
	}
	twice := max(d.Rows, d.Counted) - d.Distinct
	return scan.Finding{
		Subject: scan.Subject{Table: d.Table},
		Message: fmt.Sprintf("%s of %s come twice: it gives %d rows and has %d", scan.Count(twice, "row"), d.Table, max(d.Rows, d.Counted), d.Distinct),
		Advice:  "Counts of this table cannot be believed. hermes-doctor salvage takes each row once.",
		Evidence: []evidence.Item{{At: evidence.Ref{Store: p.Store.Name, Table: d.Table}, Saw: saw,
			How: fmt.Sprintf("SELECT count(*), count(DISTINCT rowid) FROM %s NOT INDEXED", evidence.QuoteName(d.Table))}},
	}
}
