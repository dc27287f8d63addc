package pages_test

import (
	"os"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// benchFile opens the database that PAGES_BENCH_DB names, a state.db with many messages.
func benchFile(b *testing.B) (*pages.File, map[string]uint32) {
	b.Helper()
	path := os.Getenv("PAGES_BENCH_DB")
	if path == "" {
		b.Skip("PAGES_BENCH_DB names no database")
	}
	r, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	st, err := r.Stat()
	if err != nil {
		b.Fatal(err)
	}
	f, err := pages.Open(r, st.Size())
	if err != nil {
		b.Fatal(err)
	}
	entries, err := f.Schema(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	roots := map[string]uint32{}
	for _, e := range entries {
		roots[e.Name] = e.Root
	}
	return f, roots
}

func BenchmarkSpans(b *testing.B) {
	for _, bm := range []struct {
		name    string
		workers int
	}{{"1", 1}, {"2", 2}, {"8", 8}} {
		b.Run(bm.name, func(b *testing.B) {
			f, roots := benchFile(b)
			q := pages.SpanQuery{Low: 1, High: 4.2e9, Workers: bm.workers}
			for b.Loop() {
				var n int64
				err := f.Spans(b.Context(), roots["idx_messages_session"], q, func(s *pages.Span) error {
					n += s.Count
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(n), "entries")
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	f, roots := benchFile(b)
	for b.Loop() {
		n := 0
		err := f.Index(b.Context(), roots["idx_messages_session"], func(rec *pages.Record) error {
			n += len(rec.Column(0).Bytes)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n), "text-bytes")
	}
}

func BenchmarkTable(b *testing.B) {
	f, roots := benchFile(b)
	for b.Loop() {
		n, rows := 0, 0
		err := f.Table(b.Context(), roots["sessions"], func(_ int64, rec *pages.Record) error {
			rows++
			for i := range 20 {
				n += len(rec.Column(i).Bytes)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(rows), "rows")
		b.ReportMetric(float64(n), "text-bytes")
	}
}

func BenchmarkTableRanges2(b *testing.B) {
	f, roots := benchFile(b)
	for b.Loop() {
		ranges, err := f.Split(b.Context(), roots["sessions"], 2)
		if err != nil {
			b.Fatal(err)
		}
		var g errgroup.Group
		sums := make([]struct{ bytes, rows int }, len(ranges))
		for i, r := range ranges {
			g.Go(func() error {
				n, rows := 0, 0
				err := f.TableRange(b.Context(), r, func(_ int64, rec *pages.Record) error {
					rows++
					for i := range 20 {
						n += len(rec.Column(i).Bytes)
					}
					return nil
				})
				sums[i].bytes, sums[i].rows = n, rows // used, else the values would not even be loaded
				return err
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
		rows, n := 0, 0
		for _, s := range sums {
			rows += s.rows
			n += s.bytes
		}
		b.ReportMetric(float64(rows), "rows")
		b.ReportMetric(float64(n), "text-bytes")
	}
}

func BenchmarkSeeker(b *testing.B) {
	f, roots := benchFile(b)
	var keys [][]byte
	q := pages.SpanQuery{Low: 1, High: 4.2e9}
	var at []float64
	err := f.Spans(b.Context(), roots["idx_messages_session"], q, func(s *pages.Span) error {
		keys = append(keys, append([]byte(nil), s.Key.Bytes...))
		at = append(at, (s.Min+s.Max)/2)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	s := f.Seeker(roots["idx_messages_session"])
	i := 0
	for b.Loop() {
		if _, _, err := s.Around(b.Context(), keys[i], at[i]); err != nil {
			b.Fatal(err)
		}
		i = (i*7919 + 13) % len(keys)
	}
}
