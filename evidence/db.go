package evidence

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"unsafe"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// DB is one read-only database, through a connection that refuses everything but reading. It is not safe for
// concurrent use, but a query may be run inside the callback of another.
type DB struct {
	conn   *sqlitero.Conn // nil when the file cannot be read at all: then fault says why
	fault  error
	mu     sync.Mutex
	kinds  map[string]string // "table", "view" or "virtual" by lower-case name
	roots  map[string]uint32 // pages of b-trees by lower-case name
	direct *direct           // reads pages without SQLite; nil = not to be had
	tables map[string]*Table // introspected so far
}

// openDB takes over conn and lists what the file holds.
func openDB(ctx context.Context, conn *sqlitero.Conn) (*DB, error) {
	d := &DB{conn: conn, kinds: map[string]string{}, roots: map[string]uint32{}, tables: map[string]*Table{}}
	err := conn.Query(ctx, "SELECT name, type, rootpage FROM sqlite_schema WHERE type IN ('table', 'view', 'index')", nil, func(row []driver.Value) error {
		kind, _ := row[1].(string)
		root, _ := row[2].(int64)
		name, _ := row[0].(string)
		if root > 0 && root <= math.MaxUint32 {
			d.roots[strings.ToLower(name)] = uint32(root)
		}
		switch {
		case kind == "index":
			return nil
		case kind == "table" && root == 0:
			kind = "virtual"
		}
		d.kinds[strings.ToLower(name)] = kind
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	d.direct = openDirect(conn.Path())
	return d, nil
}

// close ends the connection; it is idempotent.
func (d *DB) close() error { return errors.Join(d.direct.close(), d.conn.Close()) }

// Query runs one reading statement and gives fn each row in order. Arguments are nil, int, int64, float64, bool,
// string or []byte. The row and the Bytes in it are only valid until fn returns. An error of fn ends the query
// and is returned. A cancelled ctx interrupts SQLite at once.
func (d *DB) Query(ctx context.Context, query string, args []any, fn func(row []Value) error) error {
	if d.conn == nil {
		return fmt.Errorf("query an unreadable database: %w", d.fault)
	}
	bound := make([]driver.Value, len(args))
	for i, a := range args {
		if n, ok := a.(int); ok {
			a = int64(n)
		}
		bound[i] = a
	}
	var cells []Value
	return d.conn.Query(ctx, query, bound, func(row []driver.Value) error {
		if cells == nil {
			cells = make([]Value, len(row))
		}
		for i, v := range row {
			cells[i] = valueOf(v)
		}
		return fn(cells)
	})
}

// valueOf gives the driver's cell by its storage class. Text is not copied: its bytes are shared with an
// immutable string, and the contract of Value forbids keeping or changing them.
func valueOf(v driver.Value) Value {
	switch v := v.(type) {
	case int64:
		return Value{Kind: Int, Int: v}
	case float64:
		return Value{Kind: Float, Float: v}
	case string:
		return Value{Kind: Text, Bytes: unsafe.Slice(unsafe.StringData(v), len(v))}
	case []byte:
		return Value{Kind: Blob, Bytes: v}
	}
	return Value{}
}

// FTS5 says whether this build can read FTS5 tables.
func (d *DB) FTS5() bool { return d.conn != nil && d.conn.FTS5() }

// SQLiteVersion names the SQLite library of this build and says whether it has the FTS5 module.
func SQLiteVersion() (version string, fts5 bool) { return sqlitero.Version() }

// errNoTable is what reading a table that the database lacks gives.
var errNoTable = errors.New("no such table")

// Harmless says whether an SQL function, by its lower-case name, only computes: none reads a file, loads code or logs in.
func Harmless(function string) bool { return sqlitero.Harmless(function) }
