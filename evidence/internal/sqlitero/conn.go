package sqlitero

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mattn/go-sqlite3"
)

// Conn is one hardened read-only connection. It is not safe for concurrent use, but a query may be run inside
// the callback of another.
type Conn struct {
	c    *sqlite3.SQLiteConn
	path string
}

// Open opens the database file at path as immutable: no lock is taken, no sidecar is read or made, so the
// caller vouches that the file has none that matter. Writes, ATTACH, temporary tables, and every pragma but a
// few that only read are refused, also when they come from a view or trigger of the file. The schema is read
// at once: a file whose schema cannot be read is an error here.
func Open(path string) (*Conn, error) {
	name, err := uri(path, "mode=ro&immutable=1&_query_only=1")
	if err != nil {
		return nil, err
	}
	c, err := (&sqlite3.SQLiteDriver{ConnectHook: harden}).Open(name)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	conn := &Conn{c: c.(*sqlite3.SQLiteConn), path: path}
	// The schema is parsed only when it is needed, and a bad one should not surface in a later query.
	err = conn.Query(context.Background(), "SELECT count(*) FROM sqlite_schema", nil, func([]driver.Value) error { return nil })
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read schema: %w", err), conn.Close())
	}
	return conn, nil
}

// Path is the file that the connection reads; "" for one in memory. It is immutable: what is in the file is all there is.
func (c *Conn) Path() string { return c.path }

// Close ends the connection. It is idempotent.
func (c *Conn) Close() error {
	if c == nil {
		return nil
	}
	return c.c.Close()
}

// Query runs one statement and gives fn every row. Cells are int64, float64, string (the raw bytes of a text),
// []byte (a blob) or nil, by storage class: the declared type of a column changes nothing. The row is
// overwritten when fn returns; the strings in it are not. A cancelled ctx interrupts SQLite.
func (c *Conn) Query(ctx context.Context, query string, args []driver.Value, fn func(row []driver.Value) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := c.c.QueryContext(ctx, query, named)
	if err != nil {
		return err
	}
	defer func() {
		// After an error SQLite says the same again when the statement ends.
		if cerr := rows.Close(); err == nil {
			err = cerr
		}
	}()
	raw(rows)
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// raw makes the driver hand out cells as they are stored: it turns integers and texts of columns declared
// DATE, DATETIME, TIMESTAMP or BOOLEAN into time.Time and bool, going by the list that it hands out here.
func raw(rows driver.Rows) {
	if r, ok := rows.(*sqlite3.SQLiteRows); ok {
		clear(r.DeclTypes())
	}
}

// FTS5 says whether the SQLite of this build has the FTS5 module.
func (c *Conn) FTS5() bool {
	found := false
	err := c.Query(context.Background(), "SELECT sqlite_compileoption_used('ENABLE_FTS5')", nil, func(row []driver.Value) error {
		found = row[0] == int64(1)
		return nil
	})
	return err == nil && found
}

// Version names the SQLite library of this build and says whether it has the FTS5 module.
func Version() (version string, fts5 bool) {
	version, _, _ = sqlite3.Version()
	c, err := (&sqlite3.SQLiteDriver{}).Open(":memory:")
	if err != nil {
		return version, false
	}
	conn := &Conn{c: c.(*sqlite3.SQLiteConn)}
	fts5 = conn.FTS5()
	_ = conn.Close() // a database in memory: nothing can be lost
	return version, fts5
}

// Damaged says whether err is SQLite's word that the file is malformed or is no database.
func Damaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && slices.Contains([]sqlite3.ErrNo{sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat}, e.Code)
}

// NotADatabase says whether err is SQLite's word that the file's header is no header of a database.
func NotADatabase(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrNotADB
}
