package pages

import (
	"errors"
	"fmt"
)

var (
	// ErrNotDatabase is wrapped by errors about a file whose first 100 bytes are not a SQLite header.
	ErrNotDatabase = errors.New("not a SQLite database")
	// ErrCorrupt is wrapped by errors about bytes that break the file format; most of them are a *PageError.
	ErrCorrupt = errors.New("malformed database")
	// ErrWithoutRowid is wrapped by the error of Table for a root that holds no rowids: a table WITHOUT ROWID or an index.
	ErrWithoutRowid = errors.New("no rowid table")
	// ErrNotIndex is wrapped by the error of Index, Spans and Seeker for a root that is a rowid table.
	ErrNotIndex = errors.New("no index")
	// ErrNotWAL is wrapped by errors about a file whose first 32 bytes are not a WAL header that SQLite would read.
	ErrNotWAL = errors.New("not a SQLite write-ahead log")
)

// errStopped leaves the inside of a record, where there is no context; the walk turns it into the context's error.
var errStopped = errors.New("stopped")

// PageError says which page breaks the format, and how. It wraps ErrCorrupt.
type PageError struct {
	Page   uint32
	Reason string
}

// Error gives the page and the reason.
func (e *PageError) Error() string { return fmt.Sprintf("page %d: %s", e.Page, e.Reason) }

// Unwrap gives ErrCorrupt.
func (e *PageError) Unwrap() error { return ErrCorrupt }

func corrupt(page uint32, format string, args ...any) error {
	return &PageError{Page: page, Reason: fmt.Sprintf(format, args...)}
}
