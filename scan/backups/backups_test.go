package backups_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// run carries out statements on a database file.
func run(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(errors.Join(err, db.Close()))
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func duplicate(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBeyondTheBound has more different copies than are compared. One that was not read has no rank, and neither has a second
// one of the same bytes: what only they hold is not known, so that none of them may go. The database in use is read whatever
// its name.
func TestBeyondTheBound(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	at := func(name string) string { return filepath.Join(home, name) }
	run(t, at("state.db"), "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL)",
		"CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL)",
		"INSERT INTO sessions VALUES ('a', 'cli', 1786000000)", "INSERT INTO messages VALUES (1, 'a', 'user', 'one', 1786000001)")
	for i := range 70 {
		name := at(fmt.Sprintf("copy%02d.db", i))
		duplicate(t, at("state.db"), name)
		run(t, name, fmt.Sprintf("CREATE TABLE t%d (x)", i))
	}
	duplicate(t, at("state.db"), at("y1.db"))
	run(t, at("y1.db"), "INSERT INTO messages VALUES (2, 'a', 'user', 'only here', 1786000002)")
	duplicate(t, at("y1.db"), at("y2.db"))

	ranking, err := backups.Rank(t.Context(), []string{home}, nil, backups.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if own := ranking.Own("default"); own == nil || own.Why != "" || own.Same != "" || !own.Whole {
		t.Errorf("the database in use: %+v", own)
	}
	read := 0
	for _, c := range ranking.Candidates {
		if c.Why == "" {
			read++
		}
		if name := filepath.Base(c.Path); (name == "y1.db" || name == "y2.db") && (c.Why == "" || c.Rank != 0) {
			t.Errorf("%s was not read, and has the rank %d", name, c.Rank)
		}
	}
	if read != 64 || !ranking.Limited {
		t.Errorf("%d were read, limited %v", read, ranking.Limited)
	}

	bundle, err := evidence.Open(t.Context(), []string{home}, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	list, err := inventory.Homes(t.Context(), bundle.Homes, ranking)
	if err := errors.Join(err, bundle.Close()); err != nil {
		t.Fatal(err)
	}
	judged := map[string]inventory.Judgement{}
	for _, l := range list.Lines {
		judged[filepath.Base(l.Path)] = l.Judgement
	}
	if judged["y1.db"] != inventory.Keep || judged["y2.db"] != inventory.Keep || judged["copy00.db"] != inventory.MayGo {
		t.Errorf("judged y1 %q, y2 %q, copy00 %q", judged["y1.db"], judged["y2.db"], judged["copy00.db"])
	}
}
