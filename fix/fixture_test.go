package fix_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// schema is that of version 25 as far as a repair is concerned.
func schema() []string {
	return []string{
		"CREATE TABLE schema_version(version INTEGER NOT NULL)",
		"INSERT INTO schema_version VALUES (25)",
		`CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, chat_id TEXT,
			chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT, model TEXT, model_config TEXT,
			parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
			last_activity_at REAL, handoff_state TEXT, profile_name TEXT, title TEXT,
			FOREIGN KEY (parent_session_id) REFERENCES sessions(id))`,
		`CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
			role TEXT NOT NULL, content TEXT, timestamp REAL NOT NULL, active INTEGER NOT NULL DEFAULT 1)`,
		"CREATE INDEX idx_messages_session ON messages(session_id, timestamp)",
		"CREATE INDEX idx_sessions_session_key ON sessions(session_key, started_at)",
		"CREATE TABLE state_meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
		"INSERT INTO state_meta VALUES ('a', 'b')",
	}
}

// incident is the reference incident: the chat's newest talk lies in an orphan, the row before it is still open.
func incident() []string {
	return []string{
		`INSERT INTO sessions(id, source, user_id, session_key, chat_id, chat_type, display_name, origin_json, started_at, message_count)
			VALUES ('20260803_120103_37976afb', 'telegram', '77', 'agent:main:telegram:dm:77', '77', 'dm', 'Ann', '{"platform":"telegram","chat_id":"77"}', 1785758463, 2)`,
		`INSERT INTO sessions(id, source, user_id, started_at, message_count) VALUES ('20260806_161836_04c1d6c6', 'telegram', '77', 1785759000, 3)`,
		`INSERT INTO messages(session_id, role, content, timestamp) VALUES
			('20260803_120103_37976afb', 'user', 'one', 1785758464), ('20260803_120103_37976afb', 'assistant', 'two', 1785758470),
			('20260806_161836_04c1d6c6', 'user', 'three', 1785759001), ('20260806_161836_04c1d6c6', 'assistant', 'four', 1785759002),
			('20260806_161836_04c1d6c6', 'user', 'five', 1785760000)`,
	}
}

const (
	chatKey = "agent:main:telegram:dm:77"
	zombie  = "20260803_120103_37976afb"
	orphan  = "20260806_161836_04c1d6c6"
)

// build makes a closed database in a folder of its own.
func build(t testing.TB, lists ...[]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	db := connect(t, path)
	for _, list := range lists {
		run(t, db, list...)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// buildWAL makes a database in WAL mode whose last statements stand in the -wal only, as after a kill.
func buildWAL(t testing.TB, behind []string, lists ...[]string) string {
	t.Helper()
	path := build(t, append([][]string{{"PRAGMA journal_mode=WAL"}}, lists...)...)
	db := connect(t, path)
	run(t, db, "PRAGMA wal_autocheckpoint=0")
	run(t, db, behind...)
	dir := t.TempDir()
	clone(t, path, filepath.Join(dir, "state.db"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "state.db")
}

// buildHot makes a database whose last statement is half done: it stands in the main file, and the -journal that takes
// it back lies beside it.
func buildHot(t testing.TB, last string, lists ...[]string) string {
	t.Helper()
	path := build(t, lists...)
	db := connect(t, path)
	run(t, db, "PRAGMA synchronous=OFF", "BEGIN IMMEDIATE", last)
	journal := read(t, path+"-journal")
	run(t, db, "COMMIT")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-journal", journal, 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

// clone copies a database with its -wal and -journal, but no -shm, as a careful person would.
func clone(t testing.TB, from, to string) {
	t.Helper()
	for _, end := range []string{"", "-wal", "-journal"} {
		data, err := os.ReadFile(from + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+end, data, 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

func connect(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%.80s: %v", s, err)
		}
	}
}

// open opens a bundle that must open.
func open(t testing.TB, paths ...string) *evidence.Bundle {
	t.Helper()
	b, err := evidence.Open(t.Context(), paths, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// look scans for planning.
func look(t testing.TB, paths ...string) *scan.Result {
	t.Helper()
	b := open(t, paths...)
	r, err := scan.Run(t.Context(), b, checks.All(), scan.Options{Plan: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func plan(t testing.TB, r *scan.Result, o fix.Options) *fix.Plan {
	t.Helper()
	p, err := fix.NewPlan(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at is the clock of the tests.
func at() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// backup proves a backup in a folder of its own and closes the sources.
func backup(t testing.TB, path string, o fix.BackupOptions) (*fix.Backup, error) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.TempDir, o.Now = t.TempDir(), at
	b := open(t, path)
	k, err := fix.VerifyBackup(t.Context(), b, o)
	if cerr := b.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	return k, err
}

func applyOptions() fix.ApplyOptions { return fix.ApplyOptions{Checks: checks.All()} }

// repair does the whole of a default repair.
func repair(t testing.TB, path string, p *fix.Plan, o fix.ApplyOptions) (*fix.Outcome, error) {
	t.Helper()
	k, err := backup(t, path, fix.BackupOptions{})
	if err != nil {
		return nil, err
	}
	return k.Apply(t.Context(), p, o)
}

// dump gives every row of every ordinary table, as a reader of the file and its sidecars sees them.
func dump(t testing.TB, path string) []string {
	t.Helper()
	b := open(t, path)
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out, tables []string
	db := b.Stores[0].DB
	err := db.Query(t.Context(), "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name", nil, func(row []evidence.Value) error {
		tables = append(tables, row[0].String())
		return nil
	})
	for _, name := range tables {
		if err == nil {
			err = db.Query(t.Context(), "SELECT * FROM "+evidence.QuoteName(name), nil, func(row []evidence.Value) error {
				line := name
				for _, v := range row {
					line += " " + v.Kind.String() + ":" + v.String()
				}
				out = append(out, line)
				return nil
			})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// resumes gives what each chat resumes now, in every generation.
func resumes(r *scan.Result) map[string]string {
	out := map[string]string{}
	for _, l := range r.Resume {
		out[l.Source+" "+l.SessionKey+" "+l.Resolver] = l.Now
	}
	return out
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// names lists a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// code gives the code of a refusal, "" for none.
func code(err error) string {
	var r *fix.RefusedError
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}
