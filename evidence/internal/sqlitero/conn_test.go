package sqlitero_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// build makes a database at path; the statements run on one connection.
func build(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%.80s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *sqlitero.Conn {
	t.Helper()
	c, err := sqlitero.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// rows gives all rows of a query, cells copied.
func rows(t *testing.T, c *sqlitero.Conn, query string, args ...driver.Value) [][]driver.Value {
	t.Helper()
	var all [][]driver.Value
	err := c.Query(t.Context(), query, args, func(row []driver.Value) error {
		all = append(all, append([]driver.Value(nil), row...))
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}

// listing is everything that reading must not change about a folder.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String() + " " + info.ModTime().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] += " " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOpenNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain.db", "a?mode=rwc&x.db", "a#b.db", "100%.db", "%41.db", "two words.db", "é.db", "bad\xffutf8.db", "line\nbreak.db", "+&=;.db", "'\".db"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plain := filepath.Join(dir, "plain.db")
			build(t, plain, "CREATE TABLE t(x)", "INSERT INTO t VALUES (7)")
			path := filepath.Join(dir, name)
			if err := os.Rename(plain, path); err != nil {
				t.Fatal(err)
			}
			want := listing(t, dir)
			got := rows(t, open(t, path), "SELECT x FROM t")
			if diff := cmp.Diff([][]driver.Value{{int64(7)}}, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, listing(t, dir)); diff != "" {
				t.Errorf("folder changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "state.db"), filepath.Join(dir, "other.db")
	build(t, path, "CREATE TABLE t(x)", "INSERT INTO t VALUES (1)", "CREATE INDEX i ON t(x)",
		"CREATE VIEW loads AS SELECT load_extension('x') AS y", "CREATE VIEW plain AS SELECT x FROM t",
		"CREATE TRIGGER tr INSTEAD OF INSERT ON plain BEGIN INSERT INTO t VALUES (new.x); END")
	c := open(t, path)
	want := listing(t, dir)
	for _, query := range []string{
		"ATTACH '" + other + "' AS o", "ATTACH ':memory:' AS o", "DETACH main",
		"VACUUM", "VACUUM INTO '" + other + "'",
		"CREATE TABLE u(x)", "CREATE TEMP TABLE u(x)", "CREATE TEMP VIEW u AS SELECT 1", "CREATE VIEW u AS SELECT 1",
		"CREATE INDEX j ON t(x)", "CREATE VIRTUAL TABLE v USING rtree(a,b,c)", "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END",
		"ALTER TABLE t ADD COLUMN z", "DROP TABLE t", "DROP INDEX i", "REINDEX", "ANALYZE",
		"INSERT INTO t VALUES (2)", "UPDATE t SET x = 3", "DELETE FROM t", "REPLACE INTO t VALUES (1)",
		"WITH w AS (SELECT 1) INSERT INTO t SELECT * FROM w", "INSERT INTO plain VALUES (2)",
		"UPDATE sqlite_schema SET sql = ''", "BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s", "COMMIT",
		"PRAGMA query_only=0", "PRAGMA writable_schema=1", "PRAGMA trusted_schema=1", "PRAGMA cell_size_check=0", "PRAGMA mmap_size=1000000",
		"PRAGMA journal_mode=WAL", "PRAGMA journal_mode=MEMORY", "PRAGMA user_version=3", "PRAGMA application_id=3", "PRAGMA schema_version=3", "PRAGMA encoding='UTF-16'",
		"PRAGMA page_size=1024", "PRAGMA wal_checkpoint", "PRAGMA incremental_vacuum", "PRAGMA optimize", "PRAGMA temp_store_directory='/'", "PRAGMA data_version=1",
		"PRAGMA hard_heap_limit=1", "PRAGMA temp_store=2", "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA case_sensitive_like=1", "PRAGMA unknown_pragma",
		"SELECT load_extension('x')", "SELECT LOAD_EXTENSION('x', 'y')", "SELECT y FROM loads",
		"SELECT fts3_tokenizer('simple')", "SELECT fts3_tokenizer('simple', x'00')",
		"SELECT writefile('" + other + "', 'x')", "SELECT readfile('/etc/passwd')", "SELECT edit('x')",
		"SELECT auth_user_add('a', 'b', 1)", "SELECT authenticate('a', 'b')",
		"SELECT 1" + strings.Repeat("+1", 300),
	} {
		err := c.Query(t.Context(), query, nil, func([]driver.Value) error { return nil })
		if err == nil {
			t.Errorf("%.100s: was allowed", query)
		}
	}
	if diff := cmp.Diff(want, listing(t, dir)); diff != "" {
		t.Errorf("folder changed (-want +got):\n%s", diff)
	}
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT)", "CREATE INDEX i ON t(x)", "INSERT INTO t(x) VALUES ('{\"a\":1}')")
	c := open(t, path)
	for _, query := range []string{
		"PRAGMA table_info(t)", "PRAGMA table_xinfo('t')", "PRAGMA index_list(t)", "PRAGMA index_info(i)", "PRAGMA index_xinfo(i)",
		"PRAGMA integrity_check", "PRAGMA integrity_check(t)", "PRAGMA quick_check", "PRAGMA quick_check(t)",
		"PRAGMA page_size", "PRAGMA page_count", "PRAGMA schema_version", "PRAGMA freelist_count", "PRAGMA journal_mode", "PRAGMA encoding",
		"PRAGMA user_version", "PRAGMA application_id", "PRAGMA database_list", "PRAGMA compile_options",
		"SELECT name FROM pragma_table_info('t')", "SELECT json_extract(x, '$.a') FROM t", "SELECT value FROM t, json_each(x)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT i FROM n",
		"SELECT x, count(*), max(id) OVER (ORDER BY x) FROM t INDEXED BY i GROUP BY x ORDER BY 2 DESC",
	} {
		if got := rows(t, c, query); len(got) == 0 {
			t.Errorf("%s: no rows", query)
		}
	}
	rows(t, c, "PRAGMA foreign_key_check") // no rows: nothing is wrong
}

func TestFTS5(t *testing.T) {
	t.Parallel()
	version, has := sqlitero.Version()
	if !strings.HasPrefix(version, "3.") {
		t.Errorf("version %q", version)
	}
	if !has {
		t.Skip("built without FTS5")
	}
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, "CREATE VIRTUAL TABLE f USING fts5(x)", "INSERT INTO f VALUES ('hello world')", "CREATE VIRTUAL TABLE g USING fts5(x, tokenize='trigram')", "INSERT INTO g VALUES ('hello')")
	c := open(t, path)
	if !c.FTS5() {
		t.Error("FTS5 is not there")
	}
	want := [][]driver.Value{{"hello world"}}
	if diff := cmp.Diff(want, rows(t, c, "SELECT x FROM f WHERE f MATCH 'world'")); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	for _, query := range []string{"PRAGMA integrity_check", "PRAGMA integrity_check(f)", "PRAGMA quick_check(g)"} {
		if diff := cmp.Diff([][]driver.Value{{"ok"}}, rows(t, c, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestRawCells(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	statements := []string{}
	kinds := []string{"DATETIME", "DATE", "TIMESTAMP", "BOOLEAN", "TEXT", "BLOB", ""}
	for i, k := range kinds {
		table := "t" + string(rune('0'+i))
		statements = append(statements, "CREATE TABLE "+table+"(x "+k+")",
			"INSERT INTO "+table+" VALUES (X'00FF'), (NULL), (CAST(X'61006AFF' AS TEXT)), ('2026-01-02 03:04:05'), (''), (X'')")
		if k != "TEXT" {
			statements = append(statements, "INSERT INTO "+table+" VALUES (1754000000123), (1), (1.5), (9e999), (-9e999)")
		}
	}
	build(t, path, statements...)
	c := open(t, path)
	common := [][]driver.Value{{[]byte{0, 0xff}}, {nil}, {"a\x00j\xff"}, {"2026-01-02 03:04:05"}, {""}, {[]byte{}}}
	numbers := [][]driver.Value{{int64(1754000000123)}, {int64(1)}, {1.5}, {math.Inf(1)}, {math.Inf(-1)}}
	for i, k := range kinds {
		want := append([][]driver.Value{}, common...)
		if k != "TEXT" {
			want = append(want, numbers...)
		}
		if diff := cmp.Diff(want, rows(t, c, "SELECT x FROM t"+string(rune('0'+i)))); diff != "" {
			t.Errorf("column declared %q (-want +got):\n%s", k, diff)
		}
	}
}

func TestLargeCell(t *testing.T) {
	if testing.Short() {
		t.Skip("needs 400 MB")
	}
	const size = 101_000_000
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, "CREATE TABLE t(x TEXT)", "INSERT INTO t VALUES (CAST(zeroblob(101000000) AS TEXT))")
	n := 0
	err := open(t, path).Query(t.Context(), "SELECT x FROM t", nil, func(row []driver.Value) error {
		n = len(row[0].(string))
		return nil
	})
	if err != nil || n != size {
		t.Errorf("got %d bytes, %v; want %d", n, err, size)
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, "CREATE TABLE t(x)")
	c := open(t, path)
	for _, query := range []string{
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", // no row ever
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",      // a row always
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		time.AfterFunc(50*time.Millisecond, func() { at = time.Now(); cancel() })
		err := c.Query(ctx, query, nil, func([]driver.Value) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		if late := time.Since(at); late > time.Second {
			t.Errorf("ended %v after the cancel", late)
		}
	}
	if diff := cmp.Diff([][]driver.Value{{int64(1)}}, rows(t, c, "SELECT 1")); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitero.Open(text); !sqlitero.NotADatabase(err) || !sqlitero.Damaged(err) {
		t.Errorf("text: %v", err)
	}
	if _, err := sqlitero.Open(filepath.Join(dir, "absent.db")); err == nil || sqlitero.Damaged(err) {
		t.Errorf("absent: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file was made: %v", err)
	}
	stop := errors.New("stop")
	path := filepath.Join(dir, "state.db")
	build(t, path, "CREATE TABLE t(x)", "INSERT INTO t VALUES (1), (2)")
	c := open(t, path)
	if err := c.Query(t.Context(), "SELECT x FROM t", nil, func([]driver.Value) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("callback's error became %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Errorf("close twice: %v", err)
	}
}
