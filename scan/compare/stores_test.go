package compare_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

const schema = `CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, session_key TEXT, parent_session_id TEXT, started_at REAL, ended_at REAL, title TEXT);
CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL, active INTEGER DEFAULT 1);
CREATE INDEX idx ON messages(session_id, timestamp);`

// database makes a closed database of the statements.
func database(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range append(append([]string{"PRAGMA synchronous = OFF", "BEGIN"}, statements...), "COMMIT") {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%.200s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func store(t *testing.T, path string) *evidence.Store {
	t.Helper()
	b, err := evidence.Open(context.Background(), []string{path}, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b.Stores[0]
}

func diff(t *testing.T, a, b string, o compare.Options) *compare.Difference {
	t.Helper()
	d, err := compare.Stores(t.Context(), store(t, a), store(t, b), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const talk = `INSERT INTO sessions VALUES('a', 'telegram', 'k', NULL, 100, NULL, 'secret'), ('b', 'telegram', 'k', 'a', 200, 300, NULL), ('c', 'cli', NULL, NULL, 400, NULL, NULL);
INSERT INTO messages(id, session_id, role, content, timestamp) VALUES (1, 'a', 'user', 'one', 101), (2, 'a', 'assistant', 'two', 102), (3, 'a', 'user', 'ok', 103), (4, 'a', 'user', 'ok', 103),
 (5, 'b', 'user', 'a long text', 201), (6, 'b', 'assistant', 'four', 202), (7, 'c', 'user', 'five', 401), (8, 'c', 'assistant', NULL, 402);`

func TestStores(t *testing.T) {
	type session struct {
		ID      string
		Changes []compare.Change
		M       compare.Messages
	}
	tests := []struct {
		name, change string
		want         []session
	}{
		{"the same", "", nil},
		{"other rowids, the same order", "UPDATE messages SET id = id + 100", nil},
		{"rows written again, with integers for reals", "CREATE TABLE n AS SELECT * FROM messages ORDER BY id; DELETE FROM messages; INSERT INTO messages SELECT id + 7, session_id, role, content, CAST(timestamp AS INTEGER), active FROM n; DROP TABLE n", nil},
		{"another order", "UPDATE messages SET id = 20 WHERE id = 1", []session{{"a", []compare.Change{compare.Reordered}, compare.Messages{Same: 4}}}},
		{"one of two that are equal", "DELETE FROM messages WHERE id = 4", []session{{"a", []compare.Change{compare.Shrunk}, compare.Messages{Same: 3, Lost: 1}}}},
		{"lost and replaced, the count is the same", "DELETE FROM messages WHERE id = 1; INSERT INTO messages VALUES (9, 'a', 'user', 'other', 109, 1)",
			[]session{{"a", []compare.Change{compare.Shrunk, compare.Grown}, compare.Messages{Same: 3, Lost: 1, Added: 1}}}},
		{"cut short", "UPDATE messages SET content = 'a long' WHERE id = 5", []session{{"b", []compare.Change{compare.Shrunk}, compare.Messages{Same: 1, Shrunk: 1}}}},
		{"another text", "UPDATE messages SET content = 'another text' WHERE id = 5", []session{{"b", []compare.Change{compare.Rewritten}, compare.Messages{Same: 1, Rewritten: 1}}}},
		{"another time", "UPDATE messages SET timestamp = 205 WHERE id = 5", []session{{"b", []compare.Change{compare.ReStamped}, compare.Messages{Same: 1, ReStamped: 1}}}},
		{"no longer active", "UPDATE messages SET active = 0 WHERE id = 5", []session{{"b", []compare.Change{compare.Changed}, compare.Messages{Same: 1, Changed: 1}}}},
		{"moved", "UPDATE messages SET session_id = 'c' WHERE id = 5", []session{
			{"b", []compare.Change{compare.Shrunk}, compare.Messages{Same: 1, Moved: 1}}, {"c", []compare.Change{compare.Grown}, compare.Messages{Same: 2, MovedHere: 1}}}},
		{"moved into a new session", "UPDATE messages SET session_id = 'd' WHERE session_id = 'b'; UPDATE sessions SET id = 'd' WHERE id = 'b'", []session{
			{"b", []compare.Change{compare.Lost}, compare.Messages{Moved: 2}}, {"d", []compare.Change{compare.Added}, compare.Messages{MovedHere: 2}}}},
		{"what has no text has not moved", "UPDATE messages SET session_id = 'b' WHERE id = 8", []session{
			{"c", []compare.Change{compare.Shrunk}, compare.Messages{Same: 1, Lost: 1}}, {"b", []compare.Change{compare.Grown}, compare.Messages{Same: 2, Added: 1}}}},
		{"a row is lost, its messages are not", "DELETE FROM sessions WHERE id = 'b'", []session{{"b", []compare.Change{compare.Lost}, compare.Messages{Same: 2}}}},
		{"a session is lost", "DELETE FROM sessions WHERE id = 'b'; DELETE FROM messages WHERE session_id = 'b'", []session{{"b", []compare.Change{compare.Lost}, compare.Messages{Lost: 2}}}},
		{"a session is new", "INSERT INTO sessions(id) VALUES ('d'); INSERT INTO messages VALUES (9, 'd', 'user', 'new', 500, 1)", []session{{"d", []compare.Change{compare.Added}, compare.Messages{Added: 1}}}},
		{"cells of a row", "UPDATE sessions SET parent_session_id = 'c', started_at = 199, session_key = 'x', ended_at = NULL, title = 'y' WHERE id = 'b'", []session{
			{"b", []compare.Change{compare.ReStamped, compare.ReParented, compare.ReKeyed, compare.Reopened, compare.Changed}, compare.Messages{Same: 2}}}},
		{"ended", "UPDATE sessions SET ended_at = 500 WHERE id = 'a'", []session{{"a", []compare.Change{compare.Ended}, compare.Messages{Same: 4}}}},
		{"no index on messages, and one lost", "DROP INDEX idx; DELETE FROM messages WHERE id = 6", []session{{"b", []compare.Change{compare.Shrunk}, compare.Messages{Same: 1, Lost: 1}}}},
		{"a column is new", "ALTER TABLE messages ADD COLUMN message_uid TEXT; UPDATE messages SET message_uid = id", nil},
		{"blank ids", "INSERT INTO sessions(id, source) VALUES (NULL, 'x'); INSERT INTO messages VALUES (9, NULL, 'user', 'stray', 1, 1)", []session{
			{"", []compare.Change{compare.Added}, compare.Messages{Added: 1}}, {"rowid 4", []compare.Change{compare.Added}, compare.Messages{}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := database(t, schema, talk), database(t, schema, talk, tt.change)
			d := diff(t, a, b, compare.Options{})
			var got []session
			for _, s := range d.Sessions {
				got = append(got, session{s.ID, s.Changes, s.Messages})
			}
			if diff := gocmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if back := diff(t, b, a, compare.Options{}); back.Messages.Lost != d.Messages.Added || back.Messages.Moved != d.Messages.Moved || back.Same != d.Same {
				t.Errorf("the other way: %+v, %+v", back.Messages, d.Messages)
			}
		})
	}
}

func TestCellsOfPrivateTextAreNotShown(t *testing.T) {
	a := database(t, schema, talk)
	b := database(t, schema, talk, "UPDATE sessions SET title = 'other', session_key = 'z' WHERE id = 'a'")
	want := []compare.Cell{{Column: "session_key", Before: "k", After: "z"}, {Column: "title", Hidden: true}}
	if d := gocmp.Diff(want, diff(t, a, b, compare.Options{}).Sessions[0].Cells); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOneSide(t *testing.T) {
	a := store(t, database(t, schema, talk))
	d, err := compare.Stores(t.Context(), a, nil, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.In != compare.A || len(d.Sessions) != 3 || d.Messages != (compare.Messages{Lost: 8}) || d.Lossless() {
		t.Errorf("%+v", d)
	}
	if d, err = compare.Stores(t.Context(), nil, a, compare.Options{}); err != nil || d.Messages != (compare.Messages{Added: 8}) || !d.Lossless() {
		t.Errorf("%+v, %v", d, err)
	}
}

// row is a message as the property test knows it.
type row struct {
	session, role, text string
	at, active          int
}

// TestAgainstCounting compares random stores that have much in common, and little variety, with counting by hand; the
// batches are small, so that sessions are read in many.
func TestAgainstCounting(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a, b []row
		for range r.IntN(40) {
			m := row{fmt.Sprintf("s%d", r.IntN(4)), []string{"user", "tool"}[r.IntN(2)], []string{"", "x", "y", "zz"}[r.IntN(4)], r.IntN(3), r.IntN(2)}
			if r.IntN(10) > 0 {
				a = append(a, m)
			}
			switch r.IntN(12) {
			case 0:
				m.session = fmt.Sprintf("s%d", r.IntN(5))
			case 1:
				m.text += "w"
			case 2:
				m.at++
			case 3:
				m.active = 1 - m.active
			case 4:
				m.text = m.text[:len(m.text)/2]
			}
			if r.IntN(10) > 0 {
				b = append(b, m)
			}
		}
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		statements := func(list []row) (out []string) {
			out = append(out, schema)
			for i := range 5 {
				out = append(out, fmt.Sprintf("INSERT INTO sessions(id) VALUES ('s%d')", i))
			}
			for _, m := range list {
				out = append(out, fmt.Sprintf("INSERT INTO messages(session_id, role, content, timestamp, active) VALUES ('%s', '%s', '%s', %d, %d)", m.session, m.role, m.text, m.at, m.active))
			}
			return out
		}
		d := diff(t, database(t, statements(a)...), database(t, statements(b)...), compare.Options{Batch: 3})
		want := counted(a, b)
		if diff := gocmp.Diff(want, d.Messages); diff != "" {
			t.Errorf("seed %d (-counted +got):\n%s", seed, diff)
		}
		m := d.Messages
		if n := m.Same + m.Changed + m.ReStamped + m.Shrunk + m.Rewritten + m.Moved + m.Lost; n != int64(len(a)) {
			t.Errorf("seed %d: %d messages of A are counted, it has %d", seed, n, len(a))
		}
		if n := m.Same + m.Changed + m.ReStamped + m.Shrunk + m.Rewritten + m.MovedHere + m.Added; n != int64(len(b)) {
			t.Errorf("seed %d: %d messages of B are counted, it has %d", seed, n, len(b))
		}
	}
}

// counted pairs what is equal, tier by tier, by sorting. Which of several messages are paired by place decides whether
// they got shorter, so pairs are made in the order of the rows, as the rule says.
func counted(a, b []row) (m compare.Messages) {
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	pair := func(key func(row) string, count func(x, y row)) {
		for j := range b {
			for i := range a {
				if !usedA[i] && !usedB[j] && key(a[i]) == key(b[j]) {
					usedA[i], usedB[j] = true, true
					count(a[i], b[j])
				}
			}
		}
	}
	pair(func(x row) string { return fmt.Sprintf("%+v", x) }, func(_, _ row) { m.Same++ })
	pair(func(x row) string { return fmt.Sprintf("%s %s %s %d", x.session, x.role, x.text, x.at) }, func(_, _ row) { m.Changed++ })
	pair(func(x row) string { return fmt.Sprintf("%s %s %s", x.session, x.role, x.text) }, func(_, _ row) { m.ReStamped++ })
	pair(func(x row) string { return fmt.Sprintf("%s %s %d", x.session, x.role, x.at) }, func(x, y row) {
		if len(y.text) < len(x.text) {
			m.Shrunk++
		} else {
			m.Rewritten++
		}
	})
	pair(func(x row) string { return fmt.Sprintf("%s %q %d", x.role, x.text, x.at) }, func(x, _ row) {
		if x.text == "" {
			m.Lost++
			m.Added++
			return
		}
		m.Moved++
		m.MovedHere++
	})
	for _, used := range usedA {
		if !used {
			m.Lost++
		}
	}
	for _, used := range usedB {
		if !used {
			m.Added++
		}
	}
	return m
}

func TestExamplesDoNotDependOnBatches(t *testing.T) {
	a := []string{schema}
	for i := range 50 {
		a = append(a, fmt.Sprintf("INSERT INTO sessions(id) VALUES ('s%02d')", i))
		for k := range 20 {
			a = append(a, fmt.Sprintf("INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s%02d', 'user', 'text %d', %d)", i, k, k))
		}
	}
	b := append(slices.Clone(a), "DELETE FROM messages WHERE id % 3 = 0", "UPDATE messages SET content = 'x' WHERE id % 7 = 0", "UPDATE messages SET session_id = 's49' WHERE id % 11 = 0")
	pathA, pathB := database(t, a...), database(t, b...)
	whole, parts := diff(t, pathA, pathB, compare.Options{}), diff(t, pathA, pathB, compare.Options{Batch: 1})
	if d := gocmp.Diff(whole, parts, cmpopts.EquateNaNs()); d != "" {
		t.Errorf("(-one batch +many):\n%s", d)
	}
	for _, s := range whole.Sessions {
		if len(s.Examples) > 5 {
			t.Errorf("%s has %d examples", s.ID, len(s.Examples))
		}
	}
}

// What a comparison keeps follows the messages that one side alone has, 32 bytes each, and not how many could be named: two
// files of a million that have nothing in common must fit into what the command allows.
func TestMemoryOfDifferentStores(t *testing.T) {
	const sessions, each = 400, 100
	statements := func(offset int) []string {
		out := []string{schema}
		for i := range sessions {
			out = append(out, fmt.Sprintf("INSERT INTO sessions(id) VALUES ('s%03d')", i),
				fmt.Sprintf(`WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < %d)
					INSERT INTO messages(session_id, role, content, timestamp) SELECT 's%03d', 'user', 'text ' || (k + %d), k + %d FROM n`, each-1, i, offset, offset))
		}
		return out
	}
	// A session that B alone has is read last, when all that differs is known: that is when progress is told once more.
	last := "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('zz', 'user', 'new', 1)"
	a, b := store(t, database(t, statements(0)...)), store(t, database(t, append(statements(each), last)...))
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that what is in use is what is kept
	base, peak := inUse(), uint64(0)
	watch := func(string, int64, int64) { peak = max(peak, inUse()) }
	d, err := compare.Stores(t.Context(), a, b, compare.Options{Progress: watch, Batch: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if d.Messages != (compare.Messages{Lost: sessions * each, Added: sessions*each + 1}) {
		t.Fatalf("%+v", d.Messages)
	}
	// Both lists, the examples that are named, and the sessions.
	if kept, most := int64(peak)-int64(base), int64(2*sessions*each*32+sessions*(5*160+1000)+1<<20); kept > most {
		t.Errorf("%d bytes are kept for %d messages, %d were allowed", kept, 2*sessions*each, most)
	}
}

// inUse is what the heap holds after a collection.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
