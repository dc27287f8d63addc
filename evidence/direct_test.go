package evidence_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Rows reads pages where it can; SQLite's own answer to the same question is what it must equal.
func TestRowsEqualSQLite(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"reals stored as integers": {"CREATE TABLE t(a REAL, b FLOAT, c DOUBLE PRECISION, d NUMERIC, e INTEGER)",
			"INSERT INTO t VALUES (1, 2, 3, 4, 5), (1.5, 2.5, 3.5, 4.5, 5.5), (1e300, -1e300, 9e999, 9007199254740993, -1)"},
		"the rowid by another name":     {"CREATE TABLE t(a TEXT, b INTEGER PRIMARY KEY, c INT PRIMARYKEY)", "INSERT INTO t(a, b) VALUES ('x', 7), ('y', -3)"},
		"a primary key of another type": {"CREATE TABLE t(a TEXT, b INT PRIMARY KEY)", "INSERT INTO t VALUES ('x', 7), ('y', NULL)"},
		"columns younger than rows": {"CREATE TABLE t(a TEXT)", "INSERT INTO t VALUES ('old')",
			"ALTER TABLE t ADD COLUMN b INTEGER NOT NULL DEFAULT 1", "ALTER TABLE t ADD COLUMN c TEXT DEFAULT ''",
			"ALTER TABLE t ADD COLUMN d REAL DEFAULT NULL", "ALTER TABLE t ADD COLUMN e TEXT DEFAULT 'some text'", "INSERT INTO t VALUES ('new', 2, 'c', 3, 'e')"},
		"a dropped column":   {"CREATE TABLE t(a TEXT, b TEXT, c TEXT)", "INSERT INTO t VALUES ('1', '2', '3')", "ALTER TABLE t DROP COLUMN b", "INSERT INTO t VALUES ('4', '5')"},
		"generated columns":  {"CREATE TABLE t(a INTEGER, b INTEGER AS (a * 2) VIRTUAL, c INTEGER AS (a * 3) STORED, d TEXT)", "INSERT INTO t(a, d) VALUES (1, 'x'), (2, 'y')"},
		"texts of all kinds": {"CREATE TABLE t(a, b BLOB)", "INSERT INTO t VALUES ('plain', x'00ff'), (CAST(x'c328' AS TEXT), CAST('t' AS BLOB)), ('nul' || char(0) || 'inside', ''), (NULL, x'')"},
		"long rows":          {"CREATE TABLE t(a TEXT, b TEXT, c INTEGER)", "INSERT INTO t VALUES (hex(zeroblob(9000)), hex(zeroblob(40000)), 3), ('', hex(zeroblob(70000)), NULL)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			build(t, path, join(schema(), statements)...)
			db := open(t, path).Stores[0].DB
			columns := append(db.Table("t").Columns, "absent")
			var got, want []string
			ctx := context.Background()
			if err := db.Rows(ctx, "t", columns, func(rowid int64, row []evidence.Value) error {
				got = append(got, spell(rowid, row))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			q := "SELECT rowid"
			for _, c := range db.Table("t").Columns {
				q += ", " + evidence.QuoteName(c)
			}
			if err := db.Query(ctx, q+", NULL FROM t ORDER BY rowid", nil, func(row []evidence.Value) error {
				want = append(want, spell(row[0].Int, row[1:]))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%d rows (-SQLite +Rows):\n%s", len(want), diff)
			}
		})
	}
}

func spell(rowid int64, row []evidence.Value) string {
	s := fmt.Sprint(rowid)
	for _, v := range row {
		s += fmt.Sprintf(" %s:%q", v.Kind, v.String())
	}
	return s
}

func TestBadText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, join(schema(), []string{
		"CREATE TABLE t(a TEXT, b TEXT, c INTEGER, g TEXT)",
		"INSERT INTO t VALUES ('fine', 'é', 1, NULL), (CAST(x'c3' AS TEXT), 'b', 2, CAST(x'ff' AS TEXT)), (x'ff', NULL, CAST(x'80' AS TEXT), NULL)",
		"CREATE TABLE u(a TEXT, b TEXT AS (a) VIRTUAL)", "INSERT INTO u VALUES (CAST(x'c3' AS TEXT))",
	})...)
	db := open(t, path).Stores[0].DB
	for _, tt := range []struct {
		table string
		skip  []string
		want  []string
	}{
		{"t", nil, []string{"2 [a g]", "3 [c]"}},
		{"t", []string{"a", "c"}, []string{"2 [g]"}},
		{"u", nil, []string{"1 [a b]"}},
	} {
		var got []string
		err := db.BadText(context.Background(), tt.table, tt.skip, func(rowid int64, columns []string) error {
			got = append(got, fmt.Sprint(rowid, columns))
			return nil
		})
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s without %v: %v (-want +got):\n%s", tt.table, tt.skip, err, diff)
		}
	}
	if err := db.BadText(context.Background(), "absent", nil, nil); err == nil {
		t.Error("a table that is not there has no bad text")
	}
}

func TestRowID(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, join([]string{"PRAGMA encoding = 'UTF-16le'"}, schema(), talk("s", 1790000000, 3), []string{
		"CREATE TABLE a(x)", "CREATE TABLE b(rowid TEXT, x)", "CREATE TABLE c(rowid, _rowid_, oid)", "CREATE TABLE d(x PRIMARY KEY) WITHOUT ROWID",
		"INSERT INTO b VALUES ('seven', 'é')",
	})...)
	db := open(t, path).Stores[0].DB
	ctx := context.Background()
	for name, want := range map[string]string{"a": "rowid", "b": "_rowid_", "c": "", "d": ""} {
		if got := db.Table(name).RowID(); got != want {
			t.Errorf("the rowid of %s is called %q, want %q", name, got, want)
		}
		if err := db.Rows(ctx, name, []string{"x"}, func(int64, []evidence.Value) error { return nil }); (err == nil) != (want != "") {
			t.Errorf("the rows of %s: %v", name, err)
		}
	}
	// A file that is not UTF-8 is left to SQLite, which hands its texts out as UTF-8.
	if err := db.Rows(ctx, "b", []string{"rowid", "x"}, func(rowid int64, row []evidence.Value) error {
		if got := spell(rowid, row); got != `1 text:"seven" text:"é"` {
			t.Errorf("the row is %s", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
