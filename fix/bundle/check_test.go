package bundle_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/bundle"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// made is the skeleton of the incident's database, which has a chat named Mallory.
func made(t *testing.T) (*bundle.Made, string) {
	t.Helper()
	c, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := corpus.BuildTo(t.Context(), c, home); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("UPDATE sessions SET user_id = 'Mallory', cwd = '/srv/4711471147' WHERE rowid = 1")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := evidence.Open(t.Context(), []string{c.Path(home)}, evidence.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir := filepath.Join(t.TempDir(), "skeleton")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m, err := bundle.Skeleton(t.Context(), b, dir, bundle.Options{Key: pseudonym.Key{2}})
	if err != nil {
		t.Fatal(err)
	}
	return m, dir
}

// The look through the files finds what should not be there, wherever it is put.
func TestCheckFindsLeaks(t *testing.T) {
	t.Parallel()
	update := func(t *testing.T, dir, query string) {
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "state.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Exec(query)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write := func(t *testing.T, dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"nothing": func(*testing.T, string) {},
		"a name": func(t *testing.T, dir string) {
			update(t, dir, "UPDATE sessions SET title = 'Mallory' WHERE rowid = 2")
		},
		"a number": func(t *testing.T, dir string) {
			update(t, dir, "UPDATE sessions SET chat_id = '4711471147' WHERE rowid = 2")
		},
		"a name in JSON": func(t *testing.T, dir string) {
			update(t, dir, "UPDATE sessions SET origin_json = '{\"user_name\": \"Mallory\"}' WHERE rowid = 2")
		},
		"bytes": func(t *testing.T, dir string) {
			update(t, dir, "UPDATE sessions SET cwd = x'4d616c6c6f7279' WHERE rowid = 2")
		},
		"what nobody issued": func(t *testing.T, dir string) {
			update(t, dir, "UPDATE sessions SET title = 'stranger' WHERE rowid = 2")
		},
		"another table": func(t *testing.T, dir string) { update(t, dir, "CREATE TABLE notes (text)") },
		"a file":        func(t *testing.T, dir string) { write(t, dir, "sessions.json", "Mallory") },
		"a file's name": func(t *testing.T, dir string) { write(t, dir, "Mallory.json", "") },
		"a number in a report": func(t *testing.T, dir string) {
			write(t, filepath.Dir(dir), "report.json", `{"messages": 12, "main": "row 4711471147"}`)
		},
		"a value in a report": func(t *testing.T, dir string) {
			write(t, filepath.Dir(dir), "report.json", `{"messages": 12, "value": 4711471147}`)
		},
		"a value in a list of a report": func(t *testing.T, dir string) {
			write(t, filepath.Dir(dir), "report.json", `{"value": [12, 4711471147]}`)
		},
		"nothing, but a count": func(t *testing.T, dir string) {
			write(t, filepath.Dir(dir), "report.json", `{"main\"": "\\", "messages": 4711471147, "bytes":4711471147}`)
		},
		"a report": func(t *testing.T, dir string) { write(t, filepath.Dir(dir), "report.md", "row of Mallory") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, dir := made(t)
			spoil(t, dir)
			_, err := m.Check(t.Context(), filepath.Dir(dir), func(w string) bool {
				return w == "report" || w == "skeleton" || w == "messages" || w == "value" || w == "bytes"
			})
			var leak *bundle.LeakError
			if found := errors.As(err, &leak); found == strings.HasPrefix(name, "nothing") {
				t.Errorf("%v", err)
			}
		})
	}
}
