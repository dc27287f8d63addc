package write_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// noLinks is a file system without hard links.
type noLinks struct{ write.OS }

func (noLinks) Link(from, to string) error {
	return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
}

func TestPutNeverOverwrites(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]write.FS{"links": write.OS{}, "no links": noLinks{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "x.json")
			if err := write.Put(files, path, []byte("one")); err != nil {
				t.Fatal(err)
			}
			if err := write.Put(files, path, []byte("two")); !errors.Is(err, fs.ErrExist) {
				t.Errorf("over a file: %v", err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != "one" {
				t.Errorf("it holds %q, %v", data, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if err := write.Replace(files, path, []byte("three")); err != nil {
				t.Error(err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != "three" {
				t.Errorf("it holds %q, %v", data, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	if err := os.WriteFile(from, data, 0o640); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := write.Copy(t.Context(), write.OS{}, from, to, info)
	if err != nil {
		t.Fatal(err)
	}
	again, err := write.Hash(t.Context(), write.OS{}, to)
	if err != nil || sum != again || sum.Bytes != int64(len(data)) {
		t.Errorf("copied %v, read back %v, %v", sum, again, err)
	}
	if got, err := os.Stat(to); err != nil || got.Mode() != info.Mode() {
		t.Errorf("mode %v, %v", got.Mode(), err)
	}
	if _, err := write.Copy(t.Context(), write.OS{}, from, to, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(from, link); err != nil {
		t.Skip(err)
	}
	if _, err := write.Copy(t.Context(), write.OS{}, link, filepath.Join(dir, "other"), nil); err == nil {
		t.Error("a link was followed")
	}
}

func store(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x ?#%.db")
	db, err := sql.Open("sqlite3", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{
		"CREATE TABLE sessions(id TEXT PRIMARY KEY, a TEXT, b REAL)",
		"INSERT INTO sessions VALUES ('one', NULL, NULL), ('two', '', 2), ('three', 'x', 3)",
	}, statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func begin(t *testing.T, path string, changes ...write.Change) *write.Conn {
	t.Helper()
	c, err := write.Open(t.Context(), write.OS{}, path, changes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Rollback(); _ = c.Close() })
	if err := c.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func change(key, column string, old, now any) write.Change {
	return write.Change{Table: "sessions", Key: key, Column: column, Old: old, New: now}
}

func TestFill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  write.Change
		allowed bool
		want    string // "" = it works
	}{
		{"NULL", change("one", "a", nil, "new"), true, ""},
		{"empty text", change("two", "a", "", "new"), true, ""},
		{"a number", change("one", "b", nil, 1.5), true, ""},
		{"a cell that holds text", change("three", "a", "x", "new"), true, "0 rows fit"},
		{"a cell that holds a number", change("two", "b", 2.0, 1.5), true, "0 rows fit"},
		{"a row that is not there", change("four", "a", nil, "new"), true, "0 rows fit"},
		{"a column that was not announced", change("one", "a", nil, "new"), false, "not authorized"},
		{"a table without a key", write.Change{Table: "sqlite_schema", Key: "x", Column: "sql", New: "x"}, true, "no table that can be changed"},
		{"a name that is SQL", change("one", `a" = 1, "b`, nil, "new"), true, "no such column"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var announced []write.Change
			if test.allowed {
				announced = append(announced, test.change)
			}
			c := begin(t, store(t), announced...)
			err := c.Fill(t.Context(), []write.Change{test.change})
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			held, err := c.Cells(t.Context(), []write.Change{test.change})
			if err != nil || held[test.change] != test.change.New {
				t.Errorf("it holds %v, %v", held, err)
			}
		})
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	good, bad := change("three", "b", 3.0, nil), change("three", "a", "y", nil)
	c := begin(t, store(t), good, bad)
	if err := c.Restore(t.Context(), []write.Change{bad}); err == nil {
		t.Error("a cell with another value was restored")
	}
	if err := c.Restore(t.Context(), []write.Change{good}); err != nil {
		t.Error(err)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(statements ...string) write.Digest {
		d, err := begin(t, store(t, statements...)).Digest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := digest()
	tests := []struct {
		name string
		sql  string
		want []string
	}{
		{"nothing", "SELECT 1", nil},
		{"NULL to empty", "UPDATE sessions SET a = '' WHERE id = 'one'", []string{"sessions"}},
		{"text to blob", "UPDATE sessions SET a = x'78' WHERE id = 'three'", []string{"sessions"}},
		{"a letter moves to the next cell", "UPDATE sessions SET id = 'thre', a = 'ex' WHERE id = 'three'", []string{"sessions"}},
		{"a row goes", "DELETE FROM sessions WHERE id = 'one'", []string{"sessions"}},
		{"a rowid", "UPDATE sessions SET rowid = 9 WHERE id = 'one'", []string{"sessions"}},
		{"a table more", "CREATE TABLE more(x PRIMARY KEY) WITHOUT ROWID", []string{"", "more"}},
		{"an index", "CREATE INDEX i ON sessions(a)", []string{""}},
		{"the program's number", "PRAGMA user_version=7", []string{""}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, digest(test.sql).Differs(base)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestDigestAround(t *testing.T) {
	t.Parallel()
	planned := change("one", "a", nil, "new")
	around := func(statements ...string) string {
		d, err := begin(t, store(t, statements...), planned).DigestAround(t.Context(), []write.Change{planned})
		if err != nil {
			t.Fatal(err)
		}
		return d.Sum()
	}
	base := around()
	if got := around("UPDATE sessions SET a = 'anything' WHERE id = 'one'"); got != base {
		t.Error("the planned cell counts")
	}
	for _, other := range []string{
		"UPDATE sessions SET b = 1 WHERE id = 'one'", "UPDATE sessions SET a = NULL WHERE id = 'two'", "INSERT INTO sessions VALUES ('four', NULL, NULL)",
	} {
		if around(other) == base {
			t.Errorf("%s is not seen", other)
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the locks of other systems end when any descriptor of the file is closed")
	}
	path := store(t)
	one, held, err := write.Take(path)
	if err != nil || held {
		t.Fatalf("%v, %v", held, err)
	}
	if data, err := os.ReadFile(path); err != nil || len(data) == 0 { // closing the file must not end the lock
		t.Fatal(err)
	}
	if _, err := write.Open(t.Context(), write.OS{}, path, nil); !write.Locked(err) {
		t.Errorf("SQLite past the lock: %v", err)
	}
	one.Release()
	begin(t, path)
}
