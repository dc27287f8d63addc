package evidence_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// schema is the least that makes a store.
func schema() []string {
	return []string{
		"CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT NOT NULL, session_key TEXT, started_at REAL)",
		"CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT, content TEXT, timestamp REAL NOT NULL)",
		"CREATE INDEX idx_messages_session ON messages(session_id, timestamp)",
	}
}

// talk adds a session with n messages, one a second from start on.
func talk(id string, start, n int) []string {
	return []string{
		fmt.Sprintf("INSERT INTO sessions VALUES ('%s', 'telegram', 'k', %d)", id, start),
		fmt.Sprintf("INSERT INTO messages(session_id, role, content, timestamp) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT %d) SELECT '%s', 'user', 'hello', %d + i FROM n", n, id, start),
	}
}

func join(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// connect opens a database for building, on one connection, and runs the statements.
func connect(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	run(t, db, statements...)
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

// build makes a closed database.
func build(t testing.TB, path string, statements ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := connect(t, path, statements...).Close(); err != nil {
		t.Fatal(err)
	}
}

// healthy makes a store of one session with five messages.
func healthy(t testing.TB, path string) {
	t.Helper()
	build(t, path, join(schema(), talk("s1", 1785000000, 5))...)
}

// clone copies a database with the sidecars that it has now, as a person would.
func clone(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-journal", "-shm"} {
		data, err := os.ReadFile(from + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, to+suffix, data)
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// listing is everything about a folder that reading must not change: names, modes, times, inodes, contents.
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
		inode := info.Sys().(*syscall.Stat_t).Ino
		all[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano(), inode)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[path] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// open opens a bundle that must open, with its private copies below a folder of the test.
func open(t testing.TB, paths ...string) *evidence.Bundle {
	t.Helper()
	b, err := evidence.Open(t.Context(), paths, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// counts gives the sessions and messages that a store shows.
func counts(t *testing.T, s *evidence.Store) [2]int64 {
	t.Helper()
	var n [2]int64
	err := s.DB.Query(t.Context(), "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM messages)", nil, func(row []evidence.Value) error {
		n = [2]int64{row[0].Int, row[1].Int}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
