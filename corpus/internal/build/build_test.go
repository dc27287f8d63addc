package build_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// made builds a store in a new folder and gives its path.
func made(t *testing.T, s build.Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := build.Write(context.Background(), path, s); err != nil {
		t.Fatal(err)
	}
	return path
}

// ask gives the rows of one text column.
func ask(t *testing.T, path, query string) []string {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func needFTS5(t *testing.T) {
	t.Helper()
	has, err := build.FTS5(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !has {
		t.Skip("this build has no FTS5")
	}
}

func row(table string, pairs ...any) build.Row {
	r := build.Row{Table: table}
	for i := 0; i < len(pairs); i += 2 {
		r.Columns = append(r.Columns, pairs[i].(string))
		r.Values = append(r.Values, pairs[i+1])
	}
	return r
}

// talk is a session with two messages of which one is tool output.
func talk() []build.Row {
	return []build.Row{
		row("sessions", "id", "s1", "source", "telegram", "started_at", 1000.0),
		row("messages", "session_id", "s1", "role", "user", "content", "bananas are ripe", "timestamp", 1000.0),
		row("messages", "session_id", "s1", "role", "tool", "content", "bananas weighed", "timestamp", 1001.0),
	}
}

func TestSearchIndexFollowsMessages(t *testing.T) {
	needFTS5(t)
	for _, v := range build.Versions() {
		t.Run(v, func(t *testing.T) {
			path := made(t, build.Store{Schema: v, Journal: build.Delete, Rows: talk(), SQL: `
				UPDATE messages SET content = 'cherries are ripe' WHERE id = 1;
				INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', 'bananas again', 1002);
				DELETE FROM messages WHERE id = 3;`})
			for word, want := range map[string][]string{"bananas": {"2"}, "cherries": {"1"}, "again": nil} {
				got := ask(t, path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH '"+word+"' ORDER BY rowid")
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", word, diff)
				}
			}
			if diff := cmp.Diff([]string{"ok"}, ask(t, path, "PRAGMA integrity_check")); diff != "" {
				t.Errorf("integrity (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrigramIndexLeavesOutTools(t *testing.T) {
	needFTS5(t)
	const query = "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH 'nana' ORDER BY rowid"
	for v, want := range map[string][]string{"10": {"1", "2"}, "22": {"1", "2"}, "25": {"1"}, "31": {"1"}} {
		t.Run(v, func(t *testing.T) {
			got := ask(t, made(t, build.Store{Schema: v, Journal: build.Delete, Rows: talk()}), query)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoSearchIndexWhenUnwanted(t *testing.T) {
	path := made(t, build.Store{Schema: "25", Journal: build.Delete, NoFTS: true, Rows: talk()})
	if got := ask(t, path, "SELECT name FROM sqlite_master WHERE name LIKE 'messages_fts%'"); got != nil {
		t.Errorf("made %v", got)
	}
}

func TestUpgradedFile(t *testing.T) {
	path := made(t, build.Store{Schema: "25", Born: "11", Journal: build.Delete})
	fresh := made(t, build.Store{Schema: "25", Journal: build.Delete})
	const all = "SELECT name FROM pragma_table_info('sessions') "
	if diff := cmp.Diff(ask(t, fresh, all+"ORDER BY name"), ask(t, path, all+"ORDER BY name")); diff != "" {
		t.Errorf("columns of the upgraded file (-born at 25 +upgraded):\n%s", diff)
	}
	last := ask(t, path, all+"ORDER BY cid DESC LIMIT 2")
	if diff := cmp.Diff([]string{"last_read_at", "pinned"}, last); diff != "" {
		t.Errorf("newer columns are not at the end (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"25"}, ask(t, path, "SELECT version FROM schema_version")); diff != "" {
		t.Errorf("version (-want +got):\n%s", diff)
	}
}

func TestSameStoreSameBytes(t *testing.T) {
	for _, v := range build.Versions() {
		s := build.Store{Schema: v, Journal: build.Delete, Rows: talk()}
		if v == "31" {
			for i := range s.Rows[1:] {
				r := &s.Rows[i+1]
				r.Columns, r.Values = append(r.Columns, "message_uid"), append(r.Values, "00")
			}
		}
		first, err := os.ReadFile(made(t, s))
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(made(t, s))
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Errorf("schema %s: two builds differ", v)
		}
	}
}

func TestJournal(t *testing.T) {
	const count = "SELECT count(*) FROM messages"
	tail := []build.Row{row("messages", "session_id", "s1", "role", "user", "content", "late", "timestamp", 2000.0)}
	tests := []struct {
		journal  build.Journal
		tail     []build.Row
		sidecars []string
		header   byte   // of the write version: 1 = rollback, 2 = WAL
		alone    string // how many messages the main file shows without its sidecars
		together string
	}{
		{build.Delete, nil, nil, 1, "2", "2"},
		{build.WAL, nil, nil, 2, "2", "2"},
		{build.WALBehind, tail, []string{"state.db-wal"}, 2, "2", "3"},
		{build.Hot, tail, []string{"state.db-journal"}, 1, "3", "2"},
	}
	for _, test := range tests {
		t.Run(string(test.journal), func(t *testing.T) {
			path := made(t, build.Store{Schema: "25", Journal: test.journal, Rows: talk(), Tail: test.tail})
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if data[18] != test.header {
				t.Errorf("write version is %d, want %d", data[18], test.header)
			}
			names, err := filepath.Glob(path + "-*")
			if err != nil {
				t.Fatal(err)
			}
			var sidecars []string
			for _, n := range names {
				sidecars = append(sidecars, filepath.Base(n))
			}
			if diff := cmp.Diff(test.sidecars, sidecars); diff != "" {
				t.Errorf("sidecars (-want +got):\n%s", diff)
			}
			alone := filepath.Join(t.TempDir(), "alone.db")
			if err := os.WriteFile(alone, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.alone}, ask(t, alone, count)); diff != "" {
				t.Errorf("main file alone (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{test.together}, ask(t, path, count)); diff != "" {
				t.Errorf("with its sidecars (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name  string
		store build.Store
	}{
		{"unknown version", build.Store{Schema: "3", Journal: build.Delete}},
		{"born later", build.Store{Schema: "11", Born: "25", Journal: build.Delete}},
		{"tail without a place", build.Store{Schema: "25", Journal: build.Delete, Tail: talk()}},
		{"unknown column", build.Store{Schema: "11", Journal: build.Delete, Rows: []build.Row{row("sessions", "id", "a", "session_key", "k")}}},
		{"bad sql", build.Store{Schema: "25", Journal: build.Delete, SQL: "SELEC"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := build.Write(context.Background(), filepath.Join(t.TempDir(), "state.db"), test.store); err == nil {
				t.Error("was built")
			}
		})
	}
}

func TestExistingFileIsRefused(t *testing.T) {
	for _, end := range []string{"", "-wal", "-journal"} {
		path := filepath.Join(t.TempDir(), "state.db")
		if err := os.WriteFile(path+end, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := build.Write(context.Background(), path, build.Store{Schema: "25"}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("beside state.db%s: error %v, want ErrExist", end, err)
		}
	}
}
