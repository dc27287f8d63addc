package gitro

import (
	"errors"
	"fmt"
)

// Fault is what is wrong with an object or a file of the store.
type Fault string

// The faults, strongest first.
const (
	FaultMissing    Fault = "missing"       // no pack and no loose file has it
	FaultEmpty      Fault = "empty"         // its loose file has no byte
	FaultCorrupt    Fault = "corrupt"       // it cannot be inflated, patched together or parsed
	FaultMismatch   Fault = "hash-mismatch" // it reads, but its hash is not its name
	FaultKind       Fault = "wrong-kind"    // it is sound and something else than the place needs
	FaultLimit      Fault = "limit"         // it is larger, deeper or more than Limits allow
	FaultUnreadable Fault = "unreadable"    // the file system does not give it, or it is a link, a pipe, a folder
)

// ObjectError says why an object cannot be used. It is data about the store, not a failure of the program.
type ObjectError struct {
	ID    ID     // the zero ID where a pack entry without a name is meant
	Fault Fault  // never blank
	Where string // the file below the git directory, with the offset in a pack; "" when nothing has it
	Err   error  // what was found; nil for FaultMissing
}

// Error is one line.
func (e *ObjectError) Error() string {
	s := "read object " + e.ID.String()
	if e.Where != "" {
		s += " in " + e.Where
	}
	s += ": " + string(e.Fault)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *ObjectError) Unwrap() error { return e.Err }

// FaultOf gives the fault of an *ObjectError in err's chain; "" for any other error and for nil.
func FaultOf(err error) Fault {
	var oe *ObjectError
	if errors.As(err, &oe) {
		return oe.Fault
	}
	return ""
}

// fault is an error that carries its Fault until the object's name is known.
type fault struct {
	kind Fault
	text string
}

func (f *fault) Error() string { return f.text }

func corrupt(format string, args ...any) error {
	return &fault{FaultCorrupt, fmt.Sprintf(format, args...)}
}

func tooMuch(format string, args ...any) error {
	return &fault{FaultLimit, fmt.Sprintf(format, args...)}
}

// named makes an *ObjectError of err, which keeps the fault that it carries.
func named(id ID, where string, err error) *ObjectError {
	var oe *ObjectError
	if errors.As(err, &oe) {
		return oe
	}
	var f *fault
	if errors.As(err, &f) {
		return &ObjectError{ID: id, Fault: f.kind, Where: where, Err: err}
	}
	return &ObjectError{ID: id, Fault: FaultUnreadable, Where: where, Err: err}
}

// Problem is damage to a file of the store that belongs to no single object.
type Problem struct {
	Path  string // below the git directory, slashes; bytes as the file system gives them
	Fault Fault
	What  string // one line, lower case
}
