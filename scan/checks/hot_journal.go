package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var hotJournal = &scan.Check{
	ID: "hot-journal", Severity: scan.Warning,
	Title: "the file was copied in the middle of a transaction",
	Needs: scan.NeedFile,
	Doc: scan.Doc{
		What:   "Beside the database lies a rollback journal whose header says that its transaction never ended. Whatever opens the two rolls that transaction back. That was done on a private copy, from which everything else in the report was read.",
		Not:    "It does not say that the journal belongs to this file: SQLite does not check that. The finding shows what both ways of reading give.",
		Origin: "A copy of a running install, a writer that was killed, a loss of power.",
		Safe:   "Keeping both files together; a new copy of the stopped install, where there is one.",
		Unsafe: "Deleting or renaming the journal: the file alone is then half of a transaction.",
		ByHand: "xxd -l 8 state.db-journal",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		var shown, alone *evidence.View
		for i := range p.Store.Views {
			switch v := &p.Store.Views[i]; v.Name {
			case evidence.ViewJournal:
				shown = v
			case evidence.ViewMain:
				alone = v
			}
		}
		if shown == nil {
			return nil
		}
		f := scan.Finding{
			Message:  fmt.Sprintf("%s was copied in the middle of a transaction; what opens it with its journal rolls that back", p.Store.Name),
			Advice:   "Keep the file and its -journal together, and never delete the journal. If the install can be stopped, copy it again.",
			Evidence: []evidence.Item{inFile(p, "-journal", "the journal begins as that of a transaction under way", "xxd -l 8")},
		}
		for _, v := range []*evidence.View{alone, shown} {
			if v == nil {
				continue
			}
			saw := fmt.Sprintf("the view %s shows %s and %s", v.Name, scan.Count(v.Sessions, "session"), scan.Count(v.Messages, "message"))
			if v.Err != nil {
				saw = "the view " + v.Name + " cannot be read"
			}
			f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Path: p.Store.Name}, Saw: saw, How: "on a copy: sqlite3 " + evidence.ShellQuote(p.Store.Name) + " 'SELECT count(*) FROM messages'"})
		}
		p.Report(f)
		return nil
	},
}
