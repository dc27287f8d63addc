package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var searchRebuildInterrupted = &scan.Check{
	ID: "search-rebuild-interrupted", Class: "F4", Severity: scan.Notice,
	Title:  "a rebuild of the search index was not finished",
	Issues: []string{"#76832"},
	Needs:  scan.NeedFile | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "The product was making its search index anew and did not come to an end: its marks are left behind, tables of the old index wait to be deleted, or a new index holds nothing while there are messages. Older messages are not found until it is done.",
		Not:    "A file that was copied while the rebuild ran looks the same.",
		Origin: "An \"optimize\" or an update that was stopped, a full disk, a copy of a running install.",
		Safe:   "Nothing is lost. The product resumes it.",
		Unsafe: "Deleting tables by the beginning of their names: others that begin alike are no part of the index (#109748).",
		ByHand: "SELECT key, value FROM state_meta WHERE key LIKE 'fts%rebuild%'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		l, err := p.Search(ctx)
		if err != nil {
			return err
		}
		f := scan.Finding{Subject: scan.Subject{Table: "messages_fts"}, Advice: "Nothing is lost. Let the product finish it; older messages are not found until then."}
		var words []string
		if l.Rebuild {
			words = append(words, fmt.Sprintf("messages up to %d are in the index, and those above %d", l.Done, l.High))
			f.Evidence = append(f.Evidence, markItem(p, "fts_rebuild_high_water", fmt.Sprint(l.High)), markItem(p, "fts_rebuild_progress", fmt.Sprint(l.Done)))
		}
		if len(l.Trash) > 0 {
			words = append(words, "an old index waits to be deleted")
			f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Store: p.Store.Name, Table: "sqlite_schema"},
				Saw: scan.Count(int64(len(l.Trash)), "table") + ": " + strings.Join(l.Trash, ", "),
				How: "SELECT name FROM sqlite_schema WHERE name LIKE 'fts_v22_trash_%'"})
		}
		for i := range l.Indexes {
			x := &l.Indexes[i]
			empty, err := l.Empty(ctx, p.Store.DB, x)
			if err != nil {
				return err
			}
			if empty && !l.Rebuild && !l.Cut(x) {
				words = append(words, x.Name+" holds nothing")
				f.Evidence = append(f.Evidence, countItem(p, x, "no row, beside messages"))
			}
		}
		if len(words) == 0 {
			return nil
		}
		f.Message = "a rebuild of the search index was not finished: " + strings.Join(words, "; ")
		p.Report(f)
		return nil
	},
}
