package write

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Conn is one connection to a database that may be changed, in the columns that it was opened for and no other. It is
// not safe for concurrent use.
type Conn struct {
	c     *sqlite3.SQLiteConn
	files FS
}

// Open opens the database at path for changes of the given columns. It never waits for a lock. Columns of tables other
// than those, schema changes, ATTACH and every pragma but those that only read are refused by SQLite's authorizer, also
// when a trigger of the file asks for them. SQLite looks at the sidecars here: a hot journal is rolled back.
func Open(ctx context.Context, files FS, path string, changes []Change) (*Conn, error) {
	if err := files.Step("open " + filepath.Base(path)); err != nil {
		return nil, err
	}
	return connect(ctx, files, path, "rw", changes)
}

// Watch opens a connection that only reads. While it lives, and also when it is the last to be closed, SQLite leaves a
// -wal beside the file: moving it into the main file needs a lock that a reader does not get.
func (c *Conn) Watch(ctx context.Context, path string) (*Conn, error) {
	return connect(ctx, c.files, path, "ro", nil)
}

func connect(ctx context.Context, files FS, path, mode string, changes []Change) (*Conn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := "file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath() + "?_busy_timeout=0&mode=" + mode
	raw, err := (&sqlite3.SQLiteDriver{}).Open(name)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	c := &Conn{c: raw.(*sqlite3.SQLiteConn), files: files}
	for _, pragma := range []string{
		"trusted_schema=0", "cell_size_check=1", "mmap_size=0", "synchronous=FULL", "foreign_keys=0", "temp_store=2", "wal_autocheckpoint=0",
	} {
		if err := c.exec(ctx, "PRAGMA "+pragma); err != nil {
			return nil, errors.Join(fmt.Errorf("set %s: %w", pragma, err), c.c.Close())
		}
	}
	c.c.SetLimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	c.c.SetLimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1)
	c.c.RegisterAuthorizer(authorizer(changes))
	if err := c.query(ctx, "SELECT count(*) FROM sqlite_schema", nil, func([]evidence.Value) error { return nil }); err != nil {
		return nil, errors.Join(fmt.Errorf("read schema: %w", err), c.c.Close())
	}
	return c, nil
}

// Close ends the connection. The last one of a database in WAL mode moves the -wal into the main file and removes it.
func (c *Conn) Close() error {
	if c == nil || c.c == nil {
		return nil
	}
	if err := c.files.Step("close"); err != nil {
		return errors.Join(err, c.c.Close())
	}
	err := c.c.Close()
	c.c = nil
	return err
}

// authorizer allows reading and the update of the changes' columns. It is asked while a statement is compiled, for
// everything that the statement and its triggers would do.
func authorizer(changes []Change) func(op int, arg1, arg2, arg3 string) int {
	allowed := map[[2]string]bool{}
	for _, c := range changes {
		allowed[[2]string{strings.ToLower(c.Table), strings.ToLower(c.Column)}] = true
	}
	const recursive = 33 // SQLITE_RECURSIVE, which the driver does not name
	return func(op int, arg1, arg2, schema string) int {
		ok := false
		switch op {
		case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION, recursive:
			ok = true
		case sqlite3.SQLITE_UPDATE:
			ok = schema == "main" && allowed[[2]string{strings.ToLower(arg1), strings.ToLower(arg2)}]
		case sqlite3.SQLITE_FUNCTION:
			ok = evidence.Harmless(strings.ToLower(arg2))
		case sqlite3.SQLITE_PRAGMA:
			ok = readOnlyPragma(strings.ToLower(arg1), arg2)
		}
		if ok {
			return sqlite3.SQLITE_OK
		}
		return sqlite3.SQLITE_DENY
	}
}

func readOnlyPragma(pragma, argument string) bool {
	switch pragma {
	case "table_info", "table_xinfo", "foreign_key_check", "integrity_check", "wal_checkpoint":
		return true
	case "journal_mode", "user_version", "application_id", "encoding", "data_version":
		return argument == ""
	}
	return false
}

func (c *Conn) exec(ctx context.Context, statement string, args ...any) error {
	_, err := c.c.ExecContext(ctx, statement, named(args))
	return err
}

// changed runs a statement and gives the number of rows that it changed itself, without those of triggers.
func (c *Conn) changed(ctx context.Context, statement string, args ...any) (int64, error) {
	r, err := c.c.ExecContext(ctx, statement, named(args))
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func named(args []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

// query gives fn each row by storage class; the row is only valid until fn returns.
func (c *Conn) query(ctx context.Context, statement string, args []any, fn func(row []evidence.Value) error) (err error) {
	rows, err := c.c.QueryContext(ctx, statement, named(args))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := rows.Close(); err == nil {
			err = cerr
		}
	}()
	// The driver turns cells of columns declared as dates or truth values into other types, going by this list.
	if r, ok := rows.(*sqlite3.SQLiteRows); ok {
		clear(r.DeclTypes())
	}
	raw := make([]driver.Value, len(rows.Columns()))
	row := make([]evidence.Value, len(raw))
	for {
		switch err := rows.Next(raw); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		for i, v := range raw {
			row[i] = valueOf(v)
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

func valueOf(v driver.Value) evidence.Value {
	switch v := v.(type) {
	case int64:
		return evidence.Value{Kind: evidence.Int, Int: v}
	case float64:
		return evidence.Value{Kind: evidence.Float, Float: v}
	case string:
		return evidence.Value{Kind: evidence.Text, Bytes: []byte(v)}
	case []byte:
		return evidence.Value{Kind: evidence.Blob, Bytes: v}
	}
	return evidence.Value{}
}

// Locked says whether SQLite refused because another connection holds a lock.
func Locked(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// Denied says whether SQLite's authorizer refused what a statement, or one of its triggers, would do.
func Denied(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrAuth
}

// Damaged says whether err is SQLite's word that the file is malformed or is no database.
func Damaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB || e.Code == sqlite3.ErrFormat)
}
