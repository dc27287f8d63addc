package pages_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-sqlite3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// layouts are the ways to lay out a file that change how it is read.
func layouts() map[string]string {
	return map[string]string{
		"512":             "PRAGMA page_size=512",
		"512 auto_vacuum": "PRAGMA page_size=512; PRAGMA auto_vacuum=full",
		"1024 utf16le":    "PRAGMA page_size=1024; PRAGMA encoding='UTF-16le'",
		"4096":            "PRAGMA page_size=4096",
		"4096 utf16be":    "PRAGMA page_size=4096; PRAGMA encoding='UTF-16be'",
		"4096 increments": "PRAGMA page_size=4096; PRAGMA auto_vacuum=incremental",
		"65536":           "PRAGMA page_size=65536",
	}
}

// TestReservedBytes reads a file whose pages end in bytes that SQLite leaves alone, as some encrypting builds make.
func TestReservedBytes(t *testing.T) {
	const reserveBytes = 38 // SQLITE_FCNTL_RESERVE_BYTES
	path, db := database(t, "PRAGMA page_size=512", func(db *sql.DB) {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		err = conn.Raw(func(c any) error { return c.(*sqlite3.SQLiteConn).SetFileControlInt("main", reserveBytes, 32) })
		if err != nil {
			t.Fatal(err)
		}
	})
	fillOdd(t, 1500)(db)
	f := open(t, path)
	if f.Header().Reserved != 32 {
		t.Fatalf("%d bytes are reserved", f.Header().Reserved)
	}
	root := roots(t, f)
	got := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), root["odd"], fn) })
	if d := cmp.Diff(query(t, db, `SELECT +id, +a, +r, +s, +late FROM odd NOT INDEXED ORDER BY id`), got); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
	entries := indexRows(t, f, func(fn func(*pages.Record) error) error { return f.Index(t.Context(), root["odd_s"], fn) })
	if d := cmp.Diff(query(t, db, `SELECT +s, +r, +id FROM odd NOT INDEXED ORDER BY s, r, id`), entries); d != "" {
		t.Errorf("index (-want +got):\n%s", d)
	}
}

// tableRows reads the table odd with what SQL does to stored values: the rowid alias, REAL columns and defaults.
func tableRows(t *testing.T, f *pages.File, walk func(fn func(int64, *pages.Record) error) error) [][]any {
	t.Helper()
	var got [][]any
	err := walk(func(rowid int64, rec *pages.Record) error {
		row := record(f, rec)
		if row[0] != nil {
			t.Errorf("rowid %d: the alias is stored as %v", rowid, row[0])
		}
		row[0] = rowid
		if i, ok := row[2].(int64); ok {
			row[2] = float64(i)
		}
		if len(row) == 4 {
			row = append(row, "d")
		}
		got = append(got, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTableAndIndexEqualSQLite(t *testing.T) {
	for name, pragmas := range layouts() {
		t.Run(name, func(t *testing.T) {
			path, db := database(t, pragmas, fillOdd(t, 1500))
			f := open(t, path)
			root := roots(t, f)
			want := query(t, db, `SELECT +id, +a, +r, +s, +late FROM odd NOT INDEXED ORDER BY id`)
			got := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), root["odd"], fn) })
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("table (-want +got):\n%s", d)
			}
			for index, stmt := range map[string]string{
				"odd_a": `SELECT +a, +r, +id FROM odd NOT INDEXED ORDER BY a, r, id`,
				"odd_s": `SELECT +s, +r, +id FROM odd NOT INDEXED ORDER BY s, r, id`,
			} {
				if d := cmp.Diff(query(t, db, stmt), indexRows(t, f, func(fn func(*pages.Record) error) error { return f.Index(t.Context(), root[index], fn) })); d != "" {
					t.Errorf("%s (-want +got):\n%s", index, d)
				}
			}
			if rows := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), root["empty"], fn) }); rows != nil {
				t.Errorf("empty table gives %v", rows)
			}
		})
	}
}

// indexRows reads an index whose second column is REAL.
func indexRows(t *testing.T, f *pages.File, walk func(fn func(*pages.Record) error) error) [][]any {
	t.Helper()
	var got [][]any
	err := walk(func(rec *pages.Record) error {
		row := record(f, rec)
		if i, ok := row[1].(int64); ok {
			row[1] = float64(i)
		}
		got = append(got, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRangesEqualWhole(t *testing.T) {
	path, _ := database(t, "PRAGMA page_size=512", fillOdd(t, 3000))
	f := open(t, path)
	root := roots(t, f)
	wholeTable := tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.Table(t.Context(), root["odd"], fn) })
	wholeIndex := indexRows(t, f, func(fn func(*pages.Record) error) error { return f.Index(t.Context(), root["odd_s"], fn) })
	for _, n := range []int{0, 1, 2, 3, 7, 64, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ranges, err := f.Split(t.Context(), root["odd"], n)
			if err != nil {
				t.Fatal(err)
			}
			if n > 1 && len(ranges) != min(n, 64) {
				t.Errorf("%d ranges", len(ranges))
			}
			var got [][]any
			for _, r := range ranges {
				got = append(got, tableRows(t, f, func(fn func(int64, *pages.Record) error) error { return f.TableRange(t.Context(), r, fn) })...)
			}
			if d := cmp.Diff(wholeTable, got); d != "" {
				t.Errorf("table (-want +got):\n%s", d)
			}
			if ranges, err = f.Split(t.Context(), root["odd_s"], n); err != nil {
				t.Fatal(err)
			}
			got = nil
			for _, r := range ranges {
				got = append(got, indexRows(t, f, func(fn func(*pages.Record) error) error { return f.IndexRange(t.Context(), r, fn) })...)
			}
			if d := cmp.Diff(wholeIndex, got); d != "" {
				t.Errorf("index (-want +got):\n%s", d)
			}
		})
	}
}

func TestRangesAreAboutEqual(t *testing.T) {
	path, _ := database(t, "PRAGMA page_size=512", fillOdd(t, 5000))
	f := open(t, path)
	ranges, err := f.Split(t.Context(), roots(t, f)["odd"], 2)
	if err != nil {
		t.Fatal(err)
	}
	var counts []int
	for _, r := range ranges {
		n := 0
		if err := f.TableRange(t.Context(), r, func(int64, *pages.Record) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		counts = append(counts, n)
	}
	if len(counts) != 2 || slices.Min(counts) < 1500 {
		t.Errorf("rows in each range: %v", counts)
	}
}

func TestWalkRefusals(t *testing.T) {
	path, _ := database(t, "PRAGMA page_size=512", fillOdd(t, 1000))
	f := open(t, path)
	root := roots(t, f)
	rows := func(int64, *pages.Record) error { return nil }
	entries := func(*pages.Record) error { return nil }
	index, err := f.Split(t.Context(), root["odd_a"], 4)
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Split(t.Context(), root["odd"], 4)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	ctx := t.Context()
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"table without rowid", f.Table(ctx, root["keyed"], rows), pages.ErrWithoutRowid},
		{"table on an index", f.Table(ctx, root["odd_a"], rows), pages.ErrWithoutRowid},
		{"index on a table", f.Index(ctx, root["odd"], entries), pages.ErrNotIndex},
		{"spans on a table", f.Spans(ctx, root["odd"], pages.SpanQuery{}, nil), pages.ErrNotIndex},
		{"table range of an index", f.TableRange(ctx, index[0], rows), pages.ErrWithoutRowid},
		{"index range of a table", f.IndexRange(ctx, table[1], entries), pages.ErrNotIndex},
		{"empty range", f.TableRange(ctx, pages.Range{}, rows), nil},
		{"page 0", f.Table(ctx, 0, rows), pages.ErrCorrupt},
		{"page behind the end", f.Index(ctx, f.Pages()+1, entries), pages.ErrCorrupt},
		{"last page number", f.Index(ctx, 1<<32-1, entries), pages.ErrCorrupt},
		{"callback of a table", f.Table(ctx, root["odd"], func(int64, *pages.Record) error { return stop }), stop},
		{"callback of an index", f.Index(ctx, root["odd_a"], func(*pages.Record) error { return stop }), stop},
		{"callback of spans", f.Spans(ctx, root["odd_s"], pages.SpanQuery{Workers: 3}, func(*pages.Span) error { return io.EOF }), io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !errors.Is(tt.err, tt.want) || (tt.want == nil) != (tt.err == nil) {
				t.Errorf("got %v, want %v", tt.err, tt.want)
			}
		})
	}
}

func TestSchemaEqualsSQLite(t *testing.T) {
	for name, pragmas := range layouts() {
		t.Run(name, func(t *testing.T) {
			path, db := database(t, pragmas, func(db *sql.DB) {
				fillOdd(t, 20)(db)
				for i := range 60 { // so that the schema has interior pages
					exec(t, db, fmt.Sprintf(`CREATE TABLE "тab %d"(a UNIQUE, b, c DEFAULT 'a long default to take some room')`, i))
				}
			})
			f := open(t, path)
			entries, err := f.Schema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got [][]any
			for _, e := range entries {
				got = append(got, []any{e.Rowid, e.Type, e.Name, e.Table, int64(e.Root), e.SQL})
			}
			want := query(t, db, `SELECT rowid+0, type||'', name||'', tbl_name||'', rootpage+0, coalesce(sql,'') FROM sqlite_master ORDER BY rowid`)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("schema (-want +got):\n%s", d)
			}
		})
	}
}
