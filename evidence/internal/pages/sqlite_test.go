package pages_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// database makes a database with SQLite: pragmas first, then whatever fill does. It is closed at the end of the test,
// so that sidecars stay until then.
func database(t testing.TB, pragmas string, fill func(db *sql.DB)) (string, *sql.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	exec(t, db, "PRAGMA synchronous=off")
	exec(t, db, pragmas)
	fill(db)
	return path, db
}

func exec(t testing.TB, db *sql.DB, stmt string, args ...any) {
	t.Helper()
	if _, err := db.Exec(stmt, args...); err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
}

// query gives the answer with every cell in its storage class: columns must be expressions, which have no declared
// type that the driver would convert to.
func query(t testing.TB, db *sql.DB, stmt string, args ...any) [][]any {
	t.Helper()
	rows, err := db.Query(stmt, args...)
	if err != nil {
		t.Fatalf("%s: %v", stmt, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]any
	for rows.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func number(t testing.TB, db *sql.DB, stmt string) int64 {
	t.Helper()
	return query(t, db, stmt)[0][0].(int64)
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, path string) *pages.File {
	t.Helper()
	b := readFile(t, path)
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func roots(t testing.TB, f *pages.File) map[string]uint32 {
	t.Helper()
	entries, err := f.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]uint32{}
	for _, e := range entries {
		m[e.Name] = e.Root
	}
	return m
}

// cell gives a stored value as the driver would.
func cell(f *pages.File, v pages.Value) any {
	switch v.Kind {
	case pages.Int:
		return v.Int
	case pages.Float:
		return v.Float
	case pages.Text:
		return f.Header().Encoding.Decode(v.Bytes)
	case pages.Blob:
		return append([]byte{}, v.Bytes...)
	}
	return nil
}

func record(f *pages.File, rec *pages.Record) []any {
	row := make([]any, rec.Len())
	for i := range row {
		row[i] = cell(f, rec.Column(i))
	}
	return row
}

// oddValues is one of each storage class and size, with what breaks careless readers.
func oddValues() []any {
	return []any{nil, 0, 1, -1, 127, -128, 32767, -32768, 1 << 22, -(1 << 23), 1 << 30, -(1 << 31), 1 << 46, -(1 << 47),
		1<<63 - 1, -1 << 63, 0.5, -1e300, 1784000000.25, 1784000000.0, 3.0, "", "a\x00b", "\xff\xfe", "héllo 世界 🚀", "12",
		[]byte{}, []byte{0}, []byte("blob"), strings.Repeat("x", 57), strings.Repeat("y", 58), strings.Repeat("z", 130)}
}

// fillOdd makes the table odd(id, a any, r REAL, s TEXT) with two indexes, n rows with gaps between rowids, some of
// which overflow over one or many pages, and an added column that most rows do not store.
func fillOdd(t testing.TB, n int) func(db *sql.DB) {
	return func(db *sql.DB) {
		t.Helper()
		exec(t, db, `CREATE TABLE odd(id INTEGER PRIMARY KEY, a, r REAL, s TEXT);
			CREATE INDEX odd_a ON odd(a, r); CREATE INDEX odd_s ON odd(s, r);
			CREATE TABLE empty(x); CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO keyed VALUES('k', 1);
			CREATE VIEW seen AS SELECT 1; CREATE TRIGGER tr AFTER DELETE ON odd BEGIN SELECT 1; END`)
		rnd := rand.New(rand.NewPCG(1, 2))
		odd := oddValues()
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			long := ""
			switch {
			case i%97 == 0:
				long = strings.Repeat(fmt.Sprintf("%d,", i), 5000+rnd.IntN(3000))
			case i%7 == 0:
				long = strings.Repeat("o", rnd.IntN(1500))
			}
			id := int64(i)*3 - 50
			if i == n-1 {
				id = 1<<63 - 1
			}
			if _, err := tx.Exec(`INSERT INTO odd VALUES(?,?,?,?)`, id, odd[rnd.IntN(len(odd))], rnd.IntN(5), fmt.Sprintf("s%d", rnd.IntN(n/10+1))+long); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		exec(t, db, `ALTER TABLE odd ADD COLUMN late DEFAULT 'd'; UPDATE odd SET late = id WHERE id % 5 = 0`)
	}
}
