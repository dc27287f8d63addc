package fix_test

import (
	"database/sql"
	"os"
	"testing"
)

// TestCallerHasItOpen: a script that opened the database, starts the repair and waits for it is no stranger. Its handle
// must go on to show the file, so the file keeps its inode; a caller that holds a lock is refused like anybody.
func TestCallerHasItOpen(t *testing.T) {
	path := build(t, schema(), incident())
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	key := func() (k sql.NullString) {
		if err := db.QueryRow("SELECT session_key FROM sessions WHERE coalesce(session_key, '') = '' OR id IN (SELECT id FROM sessions ORDER BY started_at DESC LIMIT 1)").Scan(&k); err != nil {
			t.Fatal(err)
		}
		return k
	}
	if k := key(); k.String != "" {
		t.Fatalf("the orphan has the key %q", k.String)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	e := errand{Path: path, Dir: t.TempDir(), Temp: t.TempDir(), At: -1}
	if d, killed := e.send(t); killed || !d.Refused {
		t.Errorf("a caller that writes: %+v", d)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	e = errand{Path: path, Dir: t.TempDir(), Temp: t.TempDir(), At: -1}
	if d, killed := e.send(t); killed || d.Error != "" {
		t.Fatalf("an idle caller: %+v", d)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the caller's handle shows a file that has no name any more")
	}
	if k := key(); k.String == "" {
		t.Error("the caller does not see the repair")
	}
}
