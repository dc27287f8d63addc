package evidence

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// Store is one database and the view of it that is examined.
type Store struct {
	Name        string // "state.db" or "profiles/NAME/state.db"; the caller's path where two would have the same name
	Profile     string // "default", or NAME below profiles/
	Home        *Home  // nil when the path was a lone file
	DB          *DB    // never nil
	JournalMode string // "wal" or "delete", from the header
	Writer      int    // the SQLite that wrote last, by the header, as 3050004 for 3.50.4; 0 = unknown
	PageSize    int    // bytes
	Pages       int64  // of the view that DB shows
	View        string // what DB shows: "main", "main+wal" or "recovered-journal"
	Views       []View // every view that was looked at, when there is more than one way to read the file; else nil
	Notes       []string
	real        string        // where the file lies
	WAL         *WAL          // the -wal beside the file; nil = there is none, or it has no byte
	Header      *HeaderDamage // what is wrong with the first 100 bytes of the file; nil = nothing that keeps it from being opened
	Fault       *InputError   // why nothing can be read; nil for a database that can. Only with Options.Damaged
}

// The names of views: the main file alone, with its -wal, or after the rollback of its -journal.
const (
	ViewMain    = "main"
	ViewWAL     = "main+wal"
	ViewJournal = "recovered-journal"
)

// openStore opens one database by the way that leaves its folder alone.
func (b *Bundle) openStore(ctx context.Context, s *source, damaged bool) (*Store, error) {
	store := &Store{Name: s.name, Profile: s.profile, Home: s.home, View: ViewMain, JournalMode: "delete", real: s.real}
	err := b.read(ctx, s, store)
	if err == nil {
		return store, nil
	}
	if store.DB != nil {
		err = errors.Join(err, store.DB.close())
	}
	var in *InputError
	if damaged && errors.As(err, &in) {
		store.DB = nil
		mended, err := b.mendable(ctx, s, store, in)
		if err != nil || mended {
			return store, err
		}
	}
	if damaged && errors.As(err, &in) && in.Fault != "" {
		store.Fault, store.DB = in, &DB{fault: in}
		store.Notes = append(store.Notes, in.Reason)
		return store, nil
	}
	return nil, err
}

// mendable mends a database that cannot be opened because of its header, and gives one that nobody would take for a
// database any more, by its first bytes, the fault that it has: the pages behind them tell.
func (b *Bundle) mendable(ctx context.Context, s *source, store *Store, in *InputError) (bool, error) {
	switch in.Fault {
	case FaultHeader, FaultZeroed:
	case "":
		if !in.strange {
			return false, nil
		}
	default:
		return false, nil
	}
	mended, err := b.mend(ctx, s, store, in)
	if err == nil && in.Fault == "" && store.Header.PageSize > 0 {
		in.Fault = FaultHeader
		in.Reason = fmt.Sprintf("looks like a SQLite database whose first page was overwritten: behind it are pages of %d bytes", store.Header.PageSize)
		in.Next = restore
	}
	return mended, err
}

// read fills the store in.
func (b *Bundle) read(ctx context.Context, s *source, store *Store) error {
	f, info, err := openRegular(s.real)
	if err != nil {
		return unreachable(s.path, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	if _, err := f.ReadAt(make([]byte, 1), 0); err != nil && info.Size() > 0 {
		return unreachable(s.path, err)
	}
	head := readHead(f)
	h := parseHeader(head)
	store.JournalMode, store.PageSize, store.Writer = h.journalMode, h.pageSize, h.writer
	refused := refuse(s.path, head, info.Size())
	set := sidecarSizes(s)
	if info.Size() == 0 || (refused != nil && set.wal == 0) {
		return refused // a -wal of a file without a byte is deleted by SQLite, not read
	}
	conn, err := b.connect(ctx, s, store, f, h, set)
	if err != nil {
		if refused != nil {
			return refused
		}
		return unreadable(s.path, err)
	}
	return store.adopt(ctx, conn, s)
}

// connect opens the original where nothing has to be recovered, else a recovered copy.
func (b *Bundle) connect(ctx context.Context, s *source, store *Store, main *os.File, h header, set sizes) (*sqlitero.Conn, error) {
	name, err := store.sidecarView(s, h, set)
	if err != nil {
		return nil, err
	}
	if set.wal > 0 {
		if err := store.weigh(ctx, s, main, set); err != nil {
			return nil, err
		}
	}
	if name != ViewMain {
		return b.chooseView(ctx, s, store, name, main, set)
	}
	if h.pageSize > 0 && h.pages > set.main/int64(h.pageSize) {
		return b.openTruncated(ctx, s, store, main, h, set)
	}
	return sqlitero.Open(s.real)
}

// openTruncated opens a copy whose header says how many pages are there: SQLite refuses a file that is shorter
// than its header says, and otherwise reads whatever does not lie on a missing page.
func (b *Bundle) openTruncated(ctx context.Context, s *source, store *Store, main *os.File, h header, set sizes) (*sqlitero.Conn, error) {
	there := set.main / int64(h.pageSize)
	path, err := b.stage(ctx, s, main, sizes{main: set.main})
	if err != nil {
		return nil, err
	}
	if err := setPages(path, there); err != nil {
		return nil, fmt.Errorf("mend private copy: %w", bare(err))
	}
	store.Notes = append(store.Notes, fmt.Sprintf(
		"the file is cut short: its header says %d pages, %d are there; rows on the missing pages cannot be read", h.pages, there))
	return sqlitero.Open(path)
}

// setPages writes the number of pages into the header of a private copy.
func setPages(path string, pages int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(pages)), 28)
	return errors.Join(err, f.Close())
}

// adopt takes over conn as the store's DB and makes sure that it is a store of Hermes.
func (store *Store) adopt(ctx context.Context, conn *sqlitero.Conn, s *source) error {
	db, err := openDB(ctx, conn)
	if err != nil {
		return errors.Join(unreadable(s.path, err), conn.Close())
	}
	store.DB = db
	for _, p := range []struct {
		query string
		set   func(n int64)
	}{
		{"PRAGMA page_size", func(n int64) { store.PageSize = int(n) }},
		{"PRAGMA page_count", func(n int64) { store.Pages = n }},
	} {
		err := db.Query(ctx, p.query, nil, func(row []Value) error { p.set(row[0].Int); return nil })
		if err != nil {
			return unreadable(s.path, err)
		}
	}
	if kind := db.kinds["messages"]; kind != "table" && kind != "" {
		store.Notes = append(store.Notes, "messages is a "+describe(kind)+", not a table: it is not read")
	}
	switch kind := db.kinds["sessions"]; {
	case kind == "table":
		return nil
	case kind != "":
		return &InputError{Path: s.path, Reason: "sessions is a " + describe(kind) + ", not a table: this file was not made by Hermes as it is",
			Next: "do not run Hermes on it; ask whoever sent it for the original state.db"}
	case len(db.kinds) == 0:
		return &InputError{Path: s.path, Fault: FaultEmpty, Reason: "is an empty database: no table at all", Next: restore}
	}
	return &InputError{Path: s.path, Reason: otherProgram, Next: "name the state.db of a Hermes home, usually ~/.hermes/state.db"}
}

// otherProgram is why a sound database is not read.
const otherProgram = "is a database of another program: it has no table sessions"

// describe spells a kind of schema entry out.
func describe(kind string) string {
	if kind == "virtual" {
		return "virtual table"
	}
	return kind
}

// unreadable tells what SQLite said when it could not open a file that begins like a database.
func unreadable(path string, err error) error {
	var in *InputError
	if errors.As(err, &in) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &InputError{Path: path, Reason: "cannot be opened: " + oneLine(err), Next: "copy it to a local disk and try again", Err: err}
	switch {
	case sqlitero.NotADatabase(err):
		e.Fault, e.Reason, e.Next = FaultHeader, "its header is damaged: "+oneLine(err), restore
	case sqlitero.Damaged(err):
		e.Fault, e.Reason, e.Next = FaultSchema, "its list of tables cannot be read: "+oneLine(err), restore
	}
	return e
}
