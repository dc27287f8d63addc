package report

import (
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Receipt is a fix.Receipt with the file that holds it.
type Receipt struct {
	Path string `json:"path"`
	*fix.Receipt
}

// RefusedChange is why nothing was written.
type RefusedChange struct {
	Code   string `json:"code"` // kebab-case
	Reason string `json:"reason"`
	Path   string `json:"path"` // "" = the database as a whole
	Next   string `json:"next"` // "" = none
	// Left are files that were made for the change and are still there.
	Left []string `json:"left"`
}

// FailedChange is what went wrong after a change was committed.
type FailedChange struct {
	Reason  string `json:"reason"`
	Journal string `json:"journal"`
	Backup  string `json:"backup"`
	Undo    string `json:"undo"` // the command that takes the change back
}

// ending is what came of a change.
type ending struct {
	outcome *fix.Outcome
	refused *fix.RefusedError
	failed  *fix.UnverifiedError
	undo    string
}

func (e ending) write(j *jsonWriter) {
	if o := e.outcome; o != nil && o.Receipt != nil {
		j.member("receipt", Receipt{shownText(o.ReceiptPath), o.Receipt})
	}
	if o := e.outcome; o != nil && len(o.Notes) > 0 {
		j.member("notes", texts(o.Notes))
	}
	if o := e.outcome; o != nil && o.After != nil {
		list(j, "remaining", each(o.After.Findings, remaining))
	}
	if x := e.refused; x != nil {
		j.member("refusal", RefusedChange{x.Code, shownText(x.Reason), shownText(x.Path), shownText(x.Next), texts(x.Left)})
	}
	if x := e.failed; x != nil {
		j.member("failure", FailedChange{shownText(x.Reason), shownText(x.Journal), shownText(x.Backup), shownText(e.undo)})
	}
}

// Remaining is a finding that a scan of the result still has.
type Remaining struct {
	ID           string `json:"id"`
	Check        string `json:"check"`
	Severity     string `json:"severity"`
	SessionID    string `json:"session_id,omitempty"`
	SessionIDB64 string `json:"session_id_b64,omitempty"`
	Message      string `json:"message"`
	MessageB64   string `json:"message_b64,omitempty"`
}

func remaining(f scan.Finding) Remaining {
	out := Remaining{ID: f.ID(), Check: f.Check, Severity: string(f.Severity)}
	out.SessionID, out.SessionIDB64 = text(f.Subject.SessionID)
	out.Message, out.MessageB64 = text(f.Message)
	return out
}

// remains words what a scan of the result still finds.
func (e ending) remains() []string {
	if e.outcome == nil || e.outcome.After == nil {
		return nil
	}
	var out []string
	for _, f := range e.outcome.After.Findings {
		out = append(out, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Check, f.ID(), f.Message))
	}
	return out
}

// files lists what a change left on disk, as sha256sum does.
func (e ending) files() []string {
	o := e.outcome
	if o == nil || o.Receipt == nil {
		return nil
	}
	r := o.Receipt
	out := []string{r.After + "  " + Clean(o.Target, cellLimit) + " (the result)"}
	for i, f := range r.Backup.Files {
		what := " (of the backup)"
		if i == 0 {
			what = " (the backup: read back, integrity ok, every row equal)"
		}
		out = append(out, f.SHA256+"  "+Clean(f.Path, cellLimit)+what)
	}
	return append(out, r.JournalS+"  "+Clean(r.Journal, cellLimit)+" (the undo journal)",
		"and the receipt, for hermes-doctor verify: "+Clean(o.ReceiptPath, cellLimit))
}

// putBack is how the repaired copy comes into its place; nil where nothing was changed.
func (e ending) putBack() []string {
	o := e.outcome
	if o == nil || o.Receipt == nil || e.failed != nil {
		return nil
	}
	copied := "Copy " + o.Target + " there as state.db"
	if !o.Receipt.OneFile {
		copied += ", and its -wal as state.db-wal"
	}
	steps := []string{
		"Stop the gateway and every other Hermes process of that home, and see that none is left.",
		"If it wrote anything since the copy was made, stop here: make a new copy and repair that one, or those messages are lost.",
		"Move state.db, state.db-wal, state.db-shm and state.db-journal of the home away, all that exist, and keep them: a -wal that stays would be replayed over the repaired file.",
		copied + ", with the owner and the mode that the old file had.",
		"Start the gateway, write in each chat that this is about, and look that it goes on where it should. Then scan a new copy.",
	}
	out := make([]string, 0, len(steps))
	for i, s := range steps {
		out = append(out, fmt.Sprintf("%d. %s", i+1, s))
	}
	return out
}
