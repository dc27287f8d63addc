package fix

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// PutBack says how the owner puts the result where Hermes reads it, and how to go back, a line each. It is nil where
// nothing was changed.
func (o *Outcome) PutBack() []string {
	if o.Receipt == nil {
		return nil
	}
	what := o.Target
	if !o.Receipt.OneFile {
		what += " together with the sidecars beside it"
	}
	lines := []string{
		"Stop the gateway and every other Hermes process of the home, and see that none is left.",
		"Move state.db, state.db-wal, state.db-shm and state.db-journal of the home to another folder, and keep them: a -wal that stays would be read into the new file.",
		"Copy " + what + " to the home, as state.db.",
		"Start Hermes and write in the chats of the plan: each must go on where the plan says. `hermes-doctor resume` says the same of a new copy.",
		"The file as it was: " + o.Backup + ". To take this back: hermes-doctor undo --apply " + scan.ShellQuote(o.Journal),
	}
	var rows []string
	for _, l := range o.Receipt.Links {
		rows = append(rows, l.SessionID)
	}
	if len(rows) > 0 {
		lines = append(lines, "The rows that the chats go on in: "+strings.Join(rows, ", "))
	}
	return lines
}
