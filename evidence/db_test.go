package evidence_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func TestTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, join(schema(), []string{
		`CREATE TABLE "odd ""name"(rowid TEXT, "a b" INTEGER, twice INTEGER AS ("a b" * 2))`,
		`CREATE UNIQUE INDEX u ON "odd ""name"("a b", lower(rowid)) WHERE "a b" > 0`,
		"CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE r USING rtree(id, a, b)",
	})...)
	db := open(t, path).Stores[0].DB
	want := &evidence.Table{Name: `odd "name`, Columns: []string{"rowid", "a b", "twice"}, Indexes: []evidence.Index{{Name: "u", Columns: []string{"a b", ""}, Partial: true, Unique: true}}}
	if diff := cmp.Diff(want, db.Table(`odd "name`), cmpopts.IgnoreUnexported(evidence.Table{}, evidence.Index{})); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if m := db.Table("MESSAGES"); m == nil || !m.Has("Session_ID") || m.Has("rowid") || len(m.Indexes) != 1 {
		t.Errorf("messages: %+v", m)
	}
	for _, name := range []string{"v", "r", "absent", ""} {
		if got := db.Table(name); got != nil {
			t.Errorf("table %q is %+v", name, got)
		}
	}
	if (*evidence.Table)(nil).Has("x") {
		t.Error("no table has a column")
	}
}

// cell is a Value that outlives its row.
type cell struct {
	Kind  evidence.Kind
	Int   int64
	Float float64
	Bytes string
}

func keep(row []evidence.Value) []cell {
	cells := make([]cell, len(row))
	for i, v := range row {
		cells[i] = cell{v.Kind, v.Int, v.Float, string(v.Bytes)}
	}
	return cells
}

func TestRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, "CREATE TABLE sessions(id TEXT PRIMARY KEY, source, rowid TEXT, when_ DATETIME, flag BOOLEAN)",
		"INSERT INTO sessions(_rowid_, id, source, rowid, when_, flag) VALUES (9, 'b', X'00FF', 'r', 1785000000, 1), (3, CAST(X'ff00fe' AS TEXT), 1.5, NULL, 'x', 7), (5, '', 9e999, '', NULL, NULL)",
		"CREATE TABLE bare(id TEXT PRIMARY KEY) WITHOUT ROWID")
	db := open(t, path).Stores[0].DB
	type line struct {
		RowID int64
		Cells []cell
	}
	var got []line
	err := db.Rows(t.Context(), "sessions", []string{"ID", "gone", "source", "rowid", "when_", "flag"}, func(rowid int64, row []evidence.Value) error {
		got = append(got, line{rowid, keep(row)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []line{
		{3, []cell{{evidence.Text, 0, 0, "\xff\x00\xfe"}, {}, {evidence.Float, 0, 1.5, ""}, {}, {evidence.Text, 0, 0, "x"}, {evidence.Int, 7, 0, ""}}},
		{5, []cell{{evidence.Text, 0, 0, ""}, {}, {evidence.Float, 0, math.Inf(1), ""}, {evidence.Text, 0, 0, ""}, {}, {}}},
		{9, []cell{{evidence.Text, 0, 0, "b"}, {}, {evidence.Blob, 0, 0, "\x00\xff"}, {evidence.Text, 0, 0, "r"}, {evidence.Int, 1785000000, 0, ""}, {evidence.Int, 1, 0, ""}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	stop := errors.New("stop")
	if err := db.Rows(t.Context(), "sessions", nil, func(int64, []evidence.Value) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("callback's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Rows(ctx, "sessions", nil, func(int64, []evidence.Value) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, table := range []string{"absent", "bare"} {
		if err := db.Rows(t.Context(), table, nil, func(int64, []evidence.Value) error { return nil }); err == nil {
			t.Errorf("table %q was read", table)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	const index = "CREATE INDEX any_name ON messages(session_id, timestamp, role)"
	rows := []string{
		"INSERT INTO messages(session_id, timestamp) VALUES ('a', 1785000000.25), ('a', 1785000003), ('a', 5e9), ('a', 'text'), ('a', X'00'), ('a', NULL), ('a', 0), ('a', -9e999)",
		"INSERT INTO messages(session_id, timestamp) VALUES ('b', 1), ('b', 4200000000), (NULL, 7), ('', 8), (X'61', 9), ('none', 9e999)",
		"INSERT INTO messages(session_id, timestamp) VALUES (CAST(X'ff00' AS TEXT), 10)",
	}
	table := func(columns string) string {
		return "CREATE TABLE messages(id INTEGER PRIMARY KEY, " + columns + ", role TEXT)"
	}
	nan := math.NaN()
	want := map[string]evidence.Span{
		"<nil>": {Count: 1, First: 7, Last: 7}, "text ": {Count: 1, First: 8, Last: 8},
		"text a": {Count: 8, First: 1785000000.25, Last: 1785000003, Untrusted: 6}, "text b": {Count: 2, First: 1, Last: 4200000000},
		"text none": {Count: 1, First: nan, Last: nan, Untrusted: 1}, "text \xff\x00": {Count: 1, First: 10, Last: 10},
		"again text a": {Count: 1, First: 9, Last: 9}, // the blob, which is another value
	}
	untimed := map[string]evidence.Span{}
	for k, s := range want {
		untimed[k] = evidence.Span{Count: s.Count, First: nan, Last: nan, Untrusted: s.Count}
	}
	// A column of affinity TEXT stores the numbers as text, which no longer is a time.
	tests := []struct {
		name    string
		columns string
		index   string
		want    map[string]evidence.Span
	}{
		{"covering index", "session_id TEXT, timestamp REAL", index, want},
		{"no index", "session_id TEXT, timestamp REAL", "", want},
		{"partial index only", "session_id TEXT, timestamp REAL", index + " WHERE role IS NULL", want},
		{"index of another collation", "session_id TEXT, timestamp REAL", "CREATE INDEX i ON messages(session_id COLLATE NOCASE, timestamp)", want},
		{"descending index", "session_id TEXT, timestamp REAL", "CREATE INDEX i ON messages(session_id DESC, timestamp DESC)", want},
		{"no affinity", "session_id TEXT, timestamp", index, want},
		{"times as text", "session_id TEXT, timestamp TEXT", index, untimed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			statements := join([]string{schema()[0], table(tt.columns)}, rows)
			if tt.index != "" {
				statements = append(statements, tt.index)
			}
			build(t, path, statements...)
			got := map[string]evidence.Span{}
			err := open(t, path).Stores[0].DB.Spans(t.Context(), func(session []byte, s evidence.Span) error {
				key := "<nil>"
				if session != nil {
					key = "text " + string(session)
				}
				if _, ok := got[key]; ok {
					key = "again " + key
				}
				got[key] = s
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpansWithoutColumns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	build(t, path, schema()[0], "CREATE TABLE messages(session_id)", "INSERT INTO messages VALUES ('a'), ('a')")
	err := open(t, path).Stores[0].DB.Spans(t.Context(), func(session []byte, s evidence.Span) error {
		if string(session) != "a" || s.Count != 2 || s.Untrusted != 2 || !math.IsNaN(s.First) || !math.IsNaN(s.Last) {
			t.Errorf("session %q: %+v", session, s)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for name, create := range map[string]string{"b.db": "CREATE TABLE messages(x)", "c.db": "CREATE TABLE m(x)"} {
		path := filepath.Join(dir, name)
		build(t, path, schema()[0], create)
		if err := open(t, path).Stores[0].DB.Spans(t.Context(), nil); err == nil {
			t.Errorf("%s: no error", create)
		}
	}
}

func TestQueryArguments(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	healthy(t, path)
	db := open(t, path).Stores[0].DB
	var got []cell
	args := []any{nil, 1, int64(2), 1.5, true, "x\x00\xff", []byte("b")}
	err := db.Query(t.Context(), "SELECT ?, ?, ?, ?, ?, ?, ?", args, func(row []evidence.Value) error { got = keep(row); return nil })
	if err != nil {
		t.Fatal(err)
	}
	want := []cell{{}, {Kind: evidence.Int, Int: 1}, {Kind: evidence.Int, Int: 2}, {Kind: evidence.Float, Float: 1.5}, {Kind: evidence.Int, Int: 1},
		{Kind: evidence.Text, Bytes: "x\x00\xff"}, {Kind: evidence.Blob, Bytes: "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	// A query inside the callback of another.
	n := 0
	err = db.Query(t.Context(), "SELECT id FROM messages", nil, func([]evidence.Value) error {
		return db.Query(t.Context(), "SELECT id FROM messages", nil, func([]evidence.Value) error { n++; return nil })
	})
	if err != nil || n != 25 {
		t.Errorf("nested: %d rows, %v", n, err)
	}
	if version, fts5 := evidence.SQLiteVersion(); version == "" || fts5 != db.FTS5() {
		t.Errorf("version %q, FTS5 %v and %v", version, fts5, db.FTS5())
	}
}
