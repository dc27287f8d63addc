package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var foreignWAL = &scan.Check{
	ID: "foreign-wal", Class: "W1", Severity: scan.Error,
	Title:  "the -wal beside the database belongs to another file, or to another state of this one",
	Issues: []string{"#109687", "#110276", "#105670"},
	Needs:  scan.NeedFile,
	Doc: scan.Doc{
		What:   "The pages, counters or rows of the -wal cannot follow from the file beside it: the finding lists each proof. SQLite checks none of this: whoever opens the file applies the -wal to it. Everything else in the report was read from the file alone.",
		Not:    "A -wal without such a proof is taken to belong, which is no proof that it does. Nothing is said of what the -wal holds for the file that it does belong to.",
		Origin: "A database was restored or copied over another one whose -wal stayed, or a -wal was put beside an older copy.",
		Safe:   "Moving the -wal and the -shm to another folder, as they are, before anything opens the file; keeping them, since they may hold the last rows of another file.",
		Unsafe: "Opening the file with the -wal beside it; deleting the -wal.",
		ByHand: "xxd -l 32 state.db-wal; xxd -s 24 -l 8 state.db",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		w := p.Store.WAL
		if !w.Foreign() {
			return nil
		}
		f := scan.Finding{
			Message: fmt.Sprintf("the -wal beside %s (%s, %s) does not belong to it, and whatever opens the file applies it", p.Store.Name, scan.Count(w.Frames, "frame"), scan.Count(w.Commits, "transaction")),
			Advice:  "Move the -wal and the -shm to another folder, as they are, before anything opens the file. Keep them: look for the database that they belong to.",
		}
		if w.Commits == 0 { // SQLite takes nothing from it
			f.Severity = scan.Warning
			f.Message = fmt.Sprintf("the -wal beside %s does not belong to it; SQLite takes nothing from it", p.Store.Name)
		}
		for _, proof := range w.Against {
			f.Evidence = append(f.Evidence, inFile(p, "-wal", proof, "xxd -l 32"))
		}
		for _, v := range p.Store.Views {
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
