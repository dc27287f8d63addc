package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// InputError is a source that cannot be examined, told for the person who named it.
type InputError struct {
	Path   string // as the caller named it
	Reason string // what is wrong, without the path
	Next   string // the next command or step to try; one line
	Fault  Fault  // what kind of damage, when it is a damaged database; else ""
	Err    error  // the cause, or nil

	strange bool // its first bytes are those of nothing that is known: what lies behind them may tell
}

// Error is one line.
func (e *InputError) Error() string {
	return fmt.Sprintf("open %q: %s", e.Path, e.Reason)
}

// Unwrap gives the cause.
func (e *InputError) Unwrap() error { return e.Err }

// OtherProgram says that the file is a sound database without a table of sessions.
func (e *InputError) OtherProgram() bool { return e.Reason == otherProgram }

// NoDatabase says that a folder or an archive holds no database.
func (e *InputError) NoDatabase() bool { return errors.Is(e.Err, errNoDatabase) }

// Fault is why a database cannot be read at all.
type Fault string

// The faults, which are also those of the file checks.
const (
	FaultZeroed Fault = "zeroed" // it begins with NUL bytes where the header should be
	FaultEmpty  Fault = "empty"  // no byte, or a database without a single table
	FaultHeader Fault = "header" // the rest looks like a database but the header does not
	FaultSchema Fault = "schema" // SQLite cannot read the list of tables
)

// unreachable tells why the file system does not give path.
func unreachable(path string, err error) *InputError {
	e := &InputError{Path: path, Reason: "cannot be read: " + cause(err), Next: "copy it to a local folder and name the copy", Err: err}
	var in *InputError
	switch {
	case errors.As(err, &in): // of the same file, under the name behind a link
		e.Reason, e.Next = in.Reason, in.Next
	case errors.Is(err, fs.ErrNotExist):
		e.Reason, e.Next = "no such file or folder", "check the name; the store is state.db in the Hermes home, usually ~/.hermes"
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			e.Reason, e.Next = "is a link to something that does not exist", "name the file that the link should lead to"
		}
	case errors.Is(err, syscall.ELOOP):
		e.Reason, e.Next = "is a link that leads back to itself", "name the file itself, not the link"
	case errors.Is(err, syscall.ENOTDIR):
		e.Reason, e.Next = "a part of the path is a file, not a folder", "check the name"
	case errors.Is(err, fs.ErrPermission):
		e.Reason, e.Next = "permission denied", "run as the file's owner, or copy it and `chmod u+r` the copy"
	}
	return e
}

// cause is what the system said, without the path that os errors repeat and that may lie behind a link.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// oneLine spells an error that may quote names out of a hostile file: one line, of bounded length.
func oneLine(err error) string {
	const limit = 300
	s := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, err.Error())
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

// notAFile tells that path is a pipe, a device or a folder where a file was expected.
func notAFile(path string, mode fs.FileMode) *InputError {
	what := "something that is not a file"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSymlink != 0:
		what = "a link"
	}
	return &InputError{Path: path, Reason: "is " + what + ", not a database file", Next: "name a state.db, a Hermes home folder, or a zip or tar.gz of one"}
}
