package build

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/fix/ddl"
)

// Journal says how the file is left behind.
type Journal string

// The states of a file and its sidecars. Rows before the tail are always in the main file.
const (
	Delete    Journal = "delete"     // rollback journal mode, closed cleanly
	WAL       Journal = "wal"        // WAL mode, closed cleanly: no sidecar
	WALBehind Journal = "wal-behind" // the tail stands in the -wal only, as after a kill
	Hot       Journal = "hot"        // the tail stands in the main file, and the -journal that takes it back beside it
)

// Journals lists the states that Write can leave.
func Journals() []Journal { return []Journal{Delete, WAL, WALBehind, Hot} }

// Store is the content of one database.
type Store struct {
	Schema  string // one of Versions
	Born    string // an older one: the file was upgraded, so newer columns stand at the end; "" = born at Schema
	Journal Journal
	NoFTS   bool  // without the full text index; always so where the library lacks FTS5
	Rows    []Row // in order of insertion
	Tail    []Row // written after Rows were safely in the main file
	SQL     string
}

// Row is one row to insert. Values are nil, int64, float64, string (TEXT, any bytes) or []byte (BLOB).
type Row struct {
	Table   string
	Columns []string
	Values  []any
}

// FTS5 says whether the linked SQLite can make a full text index.
func FTS5(ctx context.Context) (bool, error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return false, fmt.Errorf("open sqlite in memory: %w", err)
	}
	defer db.Close()
	var has bool
	if err := db.QueryRowContext(ctx, "SELECT sqlite_compileoption_used('ENABLE_FTS5')").Scan(&has); err != nil {
		return false, fmt.Errorf("ask sqlite for fts5: %w", err)
	}
	return has, nil
}

// Write makes the database. path must not exist, nor a sidecar of it; the file's mode is 0600 whatever the umask.
func Write(ctx context.Context, path string, s Store) (err error) {
	for _, end := range []string{"", "-wal", "-journal", "-shm"} {
		if _, err := os.Lstat(path + end); err == nil {
			return fmt.Errorf("build %q: %w", path+end, os.ErrExist)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("build database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("build %q: %w", path, err)
	}
	db, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath())
	if err != nil {
		return fmt.Errorf("open %q: %w", path, err)
	}
	left := &leftovers{path: path}
	err = fill(ctx, db, left, s)
	if err := errors.Join(err, db.Close(), left.restore()); err != nil {
		return fmt.Errorf("build %q: %w", path, err)
	}
	return nil
}

func fill(ctx context.Context, db *sql.DB, left *leftovers, s Store) error {
	fts, err := FTS5(ctx)
	if err != nil {
		return err
	}
	statements, err := ddl.Schema(s.Schema, s.Born, fts && !s.NoFTS)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	mode := "delete"
	if s.Journal == WAL || s.Journal == WALBehind {
		mode = "wal"
	}
	// Off, so that a journal header counts its pages from the file's size: it is then complete before the commit.
	run := script{conn: conn}
	run.exec(ctx, "PRAGMA synchronous=OFF", "PRAGMA foreign_keys=OFF", "PRAGMA journal_mode="+mode, "BEGIN IMMEDIATE")
	run.exec(ctx, statements...)
	run.insert(ctx, s.Rows)
	run.exec(ctx, "COMMIT")
	switch s.Journal {
	case WALBehind:
		run.exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_autocheckpoint=0")
		run.insert(ctx, s.Tail)
		run.exec(ctx, s.SQL)
		run.do(func() error { return left.keep("", "-wal") })
	case Hot:
		run.exec(ctx, "BEGIN IMMEDIATE")
		run.insert(ctx, s.Tail)
		run.exec(ctx, s.SQL)
		run.do(func() error { return left.keep("-journal") })
		run.exec(ctx, "COMMIT")
	default:
		if len(s.Tail) > 0 {
			return fmt.Errorf("rows behind a checkpoint need journal %s or %s, not %q", WALBehind, Hot, s.Journal)
		}
		run.exec(ctx, s.SQL)
	}
	return run.err
}

// leftovers are files that SQLite removes or completes on close and that the store is to keep as they were.
type leftovers struct {
	path  string
	bytes map[string][]byte
}

func (l *leftovers) keep(ends ...string) error {
	l.bytes = map[string][]byte{}
	for _, end := range ends {
		data, err := os.ReadFile(l.path + end)
		if err != nil {
			return fmt.Errorf("keep sidecar: %w", err)
		}
		l.bytes[end] = data
	}
	return nil
}

func (l *leftovers) restore() error {
	for end, data := range l.bytes {
		if err := os.WriteFile(l.path+end, data, 0o600); err != nil {
			return fmt.Errorf("restore sidecar: %w", err)
		}
	}
	return nil
}

// script runs statements until one fails.
type script struct {
	conn *sql.Conn
	err  error
}

func (s *script) do(f func() error) {
	if s.err == nil {
		s.err = f()
	}
}

func (s *script) exec(ctx context.Context, statements ...string) {
	for _, text := range statements {
		s.do(func() error {
			if _, err := s.conn.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("run %q: %w", text, err)
			}
			return nil
		})
	}
}

func (s *script) insert(ctx context.Context, rows []Row) {
	for _, row := range rows {
		s.do(func() error {
			names := make([]string, len(row.Columns))
			for i, c := range row.Columns {
				names[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
			text := fmt.Sprintf(`INSERT INTO "%s" (%s) VALUES (%s)`, strings.ReplaceAll(row.Table, `"`, `""`),
				strings.Join(names, ", "), strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", "))
			if _, err := s.conn.ExecContext(ctx, text, row.Values...); err != nil {
				return fmt.Errorf("insert into %s %v: %w", row.Table, row.Values, err)
			}
			return nil
		})
	}
}
