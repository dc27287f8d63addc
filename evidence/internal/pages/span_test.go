package pages_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// fillMessages makes a table of n messages in scattered order, some of whose session ids are long, blank, no text or
// NULL, and some of whose times are no usable numbers.
func fillMessages(t testing.TB, n int) func(db *sql.DB) {
	return func(db *sql.DB) {
		t.Helper()
		exec(t, db, `CREATE TABLE m(id INTEGER PRIMARY KEY, s, role TEXT, t); CREATE INDEX m_st ON m(s, t); CREATE INDEX m_srt ON m(s, role, t)`)
		// Read as text, this blob would continue the group before it, with a float one byte too early.
		for _, s := range []any{"~~", []byte("~~A")} {
			exec(t, db, `INSERT INTO m(s, role, t) VALUES(?, 'user', 1784000000.5)`, s)
		}
		rnd := rand.New(rand.NewPCG(3, 4))
		odd := []any{nil, "late", []byte("x"), 0, -5, 0.5, 4.2e9, 4300000000, 1, 1e300, 1784000000, int64(1) << 62}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			var s, at any = fmt.Sprintf("2026_%04d", rnd.IntN(n/40+1)), 1.78e9 + float64(rnd.IntN(100000))/8
			switch rnd.IntN(40) {
			case 0:
				s = []any{nil, "", 7, 7.5, []byte("\xff2026"), "nul\x00l", strings.Repeat("long", 200), strings.Repeat("long", 200) + "x"}[rnd.IntN(8)]
			case 1, 2:
				at = odd[rnd.IntN(len(odd))]
			}
			if _, err := tx.Exec(`INSERT INTO m(s, role, t) VALUES(?,?,?)`, s, []string{"user", "tool"}[i%2], at); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

const spanSQL = `SELECT +s, count(*), sum(ok), min(iif(ok, t*1.0, NULL)), max(iif(ok, t*1.0, NULL)),
	sum(typeof(t) IN ('integer','real') AND NOT ok), sum(t IS NULL), sum(typeof(t) IN ('text','blob'))
	FROM (SELECT s, t, typeof(t) IN ('integer','real') AND t BETWEEN 1 AND 4.2e9 AS ok FROM m NOT INDEXED) GROUP BY s ORDER BY s`

func TestSpansEqualGroupBy(t *testing.T) {
	for _, pageSize := range []int{512, 4096} {
		path, db := database(t, fmt.Sprintf("PRAGMA page_size=%d", pageSize), fillMessages(t, 8000))
		f := open(t, path)
		root := roots(t, f)
		want := query(t, db, spanSQL)
		for _, workers := range []int{0, 1, 2, 5, 64} {
			for index, column := range map[string]int{"m_st": 0, "m_srt": 2} {
				t.Run(fmt.Sprintf("%d %d %s", pageSize, workers, index), func(t *testing.T) {
					var got [][]any
					q := pages.SpanQuery{Column: column, Low: 1, High: 4.2e9, Workers: workers}
					err := f.Spans(t.Context(), root[index], q, func(s *pages.Span) error {
						row := []any{cell(f, s.Key), s.Count, s.Numbers, nil, nil, s.Outside, s.Nulls, s.Others}
						if s.Numbers > 0 {
							row[3], row[4] = s.Min, s.Max
						}
						got = append(got, row)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("spans (-want +got):\n%s", d)
					}
				})
			}
		}
	}
}

func TestSpansStopWithContext(t *testing.T) {
	path, _ := database(t, "PRAGMA page_size=512", fillMessages(t, 4000))
	f := open(t, path)
	root := roots(t, f)["m_st"]
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := f.Spans(ctx, root, pages.SpanQuery{Workers: workers}, func(*pages.Span) error {
			if n++; n == 3 {
				cancel()
			}
			return nil
		})
		// Several workers may all have finished by then, so that nothing was left to stop.
		if !errors.Is(err, context.Canceled) && workers == 1 || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: %v", workers, err)
		}
		cancel()
	}
}

func TestSpansRefuseDisorder(t *testing.T) {
	path, _ := database(t, "PRAGMA page_size=512", func(db *sql.DB) {
		exec(t, db, `CREATE TABLE m(s TEXT COLLATE NOCASE, t); CREATE INDEX asc_nocase ON m(s, t); CREATE INDEX down ON m(s COLLATE BINARY DESC, t)`)
		exec(t, db, `INSERT INTO m VALUES('b',1),('A',2),('B',3),('a',4)`)
	})
	f := open(t, path)
	for _, index := range []string{"asc_nocase", "down"} {
		err := f.Spans(t.Context(), roots(t, f)[index], pages.SpanQuery{Low: 1, High: 9}, func(*pages.Span) error { return nil })
		if !errors.Is(err, pages.ErrCorrupt) {
			t.Errorf("%s: %v", index, err)
		}
	}
}
