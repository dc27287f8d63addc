package fix

import (
	"errors"
	"fmt"
	"strings"
)

// RefusedError says that nothing was written to the database, and why. A caller exits with 4.
type RefusedError struct {
	Code   string // kebab-case; see the constants
	Reason string // one line, without the path
	Path   string // the file that it is about; "" = the database as a whole
	Next   string // the next step to try; one line, "" = none
	// Left are the files that were made for the change and are still there: backup and undo journal, which do no harm
	// and may be removed, since nothing was written to the database.
	Left []string
	Err  error // the cause, or nil
}

// The codes of a RefusedError.
const (
	CodeArchive     = "archive"           // the database lies inside an archive
	CodeSeveral     = "several-databases" // the paths name more or fewer than one
	CodeCorrupt     = "corrupt"           // the file is damaged
	CodeSidecar     = "foreign-sidecar"   // a sidecar that belongs to another file, or cannot be read
	CodeChanged     = "changed"           // the file is not what was scanned or backed up
	CodeLocked      = "locked"            // another process holds a lock on it
	CodeOpen        = "open-elsewhere"    // another process has it open
	CodeRunning     = "gateway-running"   // the process of gateway.pid has a file of this folder open
	CodeLiveHome    = "live-home"         // the folder is the home of an install
	CodeLinks       = "hard-links"        // the file has other names, which a rename would leave behind
	CodeExists      = "exists"            // the output, or a sidecar of its name, is there already
	CodeSpace       = "no-space"          // the disk has no room for the copies
	CodeBackup      = "backup-failed"     // the backup could not be made, or is not equal to the source
	CodeJournal     = "journal-failed"    // the undo journal could not be written
	CodeUnbacked    = "no-backup"         // a nil, zero or spent Backup, or one of another file
	CodePlan        = "foreign-plan"      // a plan that NewPlan did not make, or of other sources
	CodeForeignKeys = "foreign-key"       // foreign keys are violated
	CodeStep        = "step-failed"       // a cell is not blank any more, a row is not there, or SQLite refuses
	CodeTrigger     = "trigger"           // a trigger would write elsewhere
	CodeDiffers     = "other-cells-differ"
	CodeResume      = "would-not-resume" // the repaired rows do not resume what the plan promised
	CodeWrite       = "write-failed"     // the file system refused a write before the commit
	CodeIncomplete  = "incomplete-scan"  // the scan behind the plan did not see everything
)

// Error is one line.
func (e *RefusedError) Error() string {
	said := "refused, nothing was written to the database: "
	if e.Path != "" {
		said += fmt.Sprintf("%q: ", e.Path)
	}
	if said += e.Reason; len(e.Left) > 0 {
		said += fmt.Sprintf("; these files were made for it, are still there and may be removed: %q", e.Left)
	}
	return said
}

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// refuse makes the error for a cause; one that is a refusal already keeps its code.
func refuse(code, doing string, err error) error {
	var known *RefusedError
	if errors.As(err, &known) {
		if known == err {
			return err
		}
		more := *known
		more.Err = err // with what else went wrong
		return &more
	}
	return &RefusedError{Code: code, Reason: doing + ": " + oneLine(err), Err: err}
}

// oneLine spells an error that may be several, or quote names out of a hostile file.
func oneLine(err error) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return ';'
		}
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, err.Error())
}

// UnverifiedError says that the change was committed and that what followed went wrong. A caller prints Undo and exits
// with 3.
type UnverifiedError struct {
	Reason  string
	Journal string // the undo journal, for the command undo
	Backup  string // the database as it was
	Err     error  // the cause, or nil
}

// Error is one line.
func (e *UnverifiedError) Error() string {
	return "the change is in the file, but " + e.Reason
}

// Unwrap gives the cause.
func (e *UnverifiedError) Unwrap() error { return e.Err }

// RecordError says that an undo journal or a receipt cannot be read, is damaged, or is something else: a mistake of the
// caller, not a refusal.
type RecordError struct {
	Kind   string // "undo journal" or "receipt"
	Path   string
	Reason string // one line
	Err    error  // the cause, or nil
}

// Error is one line.
func (e *RecordError) Error() string {
	return fmt.Sprintf("read %s %q: %s", e.Kind, e.Path, e.Reason)
}

// Unwrap gives the cause.
func (e *RecordError) Unwrap() error { return e.Err }

// UnknownIDError says that an option names what the scan does not have: a mistake of the caller, not a refusal.
type UnknownIDError struct {
	Option string // "accept", "only" or "steps"
	ID     string
}

// Error is one line.
func (e *UnknownIDError) Error() string {
	return fmt.Sprintf("%s: nothing in the scan has the id %q", e.Option, e.ID)
}
