package write

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// New is a database that is being made. It has another name until Publish, and nothing is left of it after Discard. It
// is not safe for concurrent use.
type New struct {
	files       FS
	conn        *Conn
	part, final string
	inserts     map[string]*sqlite3.SQLiteStmt
}

// Create begins a new database that is to be called path, which must not exist.
func Create(ctx context.Context, files FS, path string) (*New, error) {
	n := &New{files: files, part: path + ".part", final: path, inserts: map[string]*sqlite3.SQLiteStmt{}}
	f, err := files.Create(n.part, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create %q: %w", n.part, err)
	}
	if err := f.Close(); err != nil {
		return nil, errors.Join(fmt.Errorf("create %q: %w", n.part, err), files.Remove(n.part))
	}
	abs, err := filepath.Abs(n.part)
	if err != nil {
		return nil, errors.Join(err, files.Remove(n.part))
	}
	raw, err := (&sqlite3.SQLiteDriver{}).Open("file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath() + "?mode=rw&_busy_timeout=0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", err), files.Remove(n.part))
	}
	n.conn = &Conn{c: raw.(*sqlite3.SQLiteConn), files: files}
	// Nobody else sees the file, and it goes where anything fails: neither a journal nor a lock is of use before Publish.
	for _, pragma := range []string{"trusted_schema=0", "cell_size_check=1", "mmap_size=0", "synchronous=OFF", "journal_mode=OFF", "locking_mode=EXCLUSIVE", "foreign_keys=0", "temp_store=2", "cache_size=-16384"} {
		if err := n.conn.exec(ctx, "PRAGMA "+pragma); err != nil {
			return nil, errors.Join(fmt.Errorf("set %s: %w", pragma, err), n.Discard())
		}
	}
	if err := n.conn.exec(ctx, "BEGIN"); err != nil {
		return nil, errors.Join(err, n.Discard())
	}
	return n, nil
}

// FTS5 says whether this build can make a full-text index.
func (n *New) FTS5(ctx context.Context) (has bool, err error) {
	err = n.conn.query(ctx, "SELECT sqlite_compileoption_used('ENABLE_FTS5')", nil, func(row []evidence.Value) error {
		has = row[0].Int != 0
		return nil
	})
	return has, err
}

// Run runs statements of the product's own schema, and none that came out of a file.
func (n *New) Run(ctx context.Context, statements []string) error {
	for _, s := range statements {
		if err := n.conn.exec(ctx, s); err != nil {
			return fmt.Errorf("run %q: %w", s, err)
		}
	}
	return nil
}

// AddColumn gives a table one more column, of a type that is one of SQLite's own or "".
func (n *New) AddColumn(ctx context.Context, table, column, kind string) error {
	switch kind {
	case "TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC":
		kind = " " + kind
	default:
		kind = ""
	}
	return n.conn.exec(ctx, "ALTER TABLE "+evidence.QuoteName(table)+" ADD COLUMN "+evidence.QuoteName(column)+kind)
}

// ErrRule is wrapped by the error of Insert for a row that breaks a rule of its table.
var ErrRule = errors.New("the table refuses the row")

// Insert puts one row in. values are by column; the rowid is set where rowid is not nil.
func (n *New) Insert(ctx context.Context, table string, columns []string, values []evidence.Value, rowid *int64) error {
	key := fmt.Sprintf("%t %q %q", rowid != nil, table, columns)
	st := n.inserts[key]
	if st == nil {
		names := make([]string, 0, len(columns)+1)
		for _, c := range columns {
			names = append(names, evidence.QuoteName(c))
		}
		if rowid != nil {
			names = append(names, "rowid")
		}
		text := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", evidence.QuoteName(table), strings.Join(names, ", "), strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", "))
		prepared, err := n.conn.c.PrepareContext(ctx, text)
		if err != nil {
			return fmt.Errorf("prepare a row of %q: %w", table, err)
		}
		st = prepared.(*sqlite3.SQLiteStmt)
		n.inserts[key] = st
	}
	args := make([]driver.NamedValue, 0, len(values)+1)
	for _, v := range values {
		args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: stored(v)})
	}
	if rowid != nil {
		args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: *rowid})
	}
	_, err := st.ExecContext(ctx, args)
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch || e.Code == sqlite3.ErrTooBig) {
		return fmt.Errorf("%w: %s", ErrRule, e.Error())
	}
	return err
}

// Query reads what has been put in.
func (n *New) Query(ctx context.Context, statement string, args []any, fn func(row []evidence.Value) error) error {
	return n.conn.query(ctx, statement, args, fn)
}

// Change runs one statement of the caller's own with arguments, and gives the number of rows that it changed.
func (n *New) Change(ctx context.Context, statement string, args ...any) (int64, error) {
	return n.conn.changed(ctx, statement, args...)
}

// SetApplicationID writes the number at offset 68 of the header.
func (n *New) SetApplicationID(ctx context.Context, id uint32) error {
	return n.conn.exec(ctx, fmt.Sprintf("PRAGMA application_id=%d", int32(id)))
}

// Part is the path that the database has before Publish.
func (n *New) Part() string { return n.part }

// Commit ends the writing and makes the file durable. It can then be opened under Part.
func (n *New) Commit(ctx context.Context) error {
	if err := n.finalize(); err != nil {
		return err
	}
	if err := n.conn.exec(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	err := n.conn.c.Close()
	n.conn.c = nil
	if err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return n.files.Sync(n.part)
}

func (n *New) finalize() error {
	var errs []error
	for _, st := range n.inserts {
		errs = append(errs, st.Close())
	}
	n.inserts = map[string]*sqlite3.SQLiteStmt{}
	return errors.Join(errs...)
}

// Publish gives the finished database its name, and never over a file that is there.
func (n *New) Publish() error {
	err := Publish(n.files, n.part, n.final)
	if err == nil {
		n.part = ""
	}
	return err
}

// Discard removes what was begun; after Publish it does nothing.
func (n *New) Discard() error {
	var errs []error
	errs = append(errs, n.finalize())
	if n.conn != nil && n.conn.c != nil {
		errs = append(errs, n.conn.c.Close())
		n.conn.c = nil
	}
	if n.part != "" {
		errs = append(errs, n.files.Remove(n.part))
		n.part = ""
	}
	return errors.Join(errs...)
}

// stored gives a cell as the driver binds it, in its own storage class.
func stored(v evidence.Value) driver.Value {
	switch v.Kind {
	case evidence.Int:
		return v.Int
	case evidence.Float:
		return v.Float
	case evidence.Text:
		return string(v.Bytes)
	case evidence.Blob:
		return append([]byte{}, v.Bytes...)
	}
	return nil
}
