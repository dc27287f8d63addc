package pages_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// handMade is a file of 512-byte pages: page 1 an empty schema, the others as given.
func handMade(rest ...[]byte) []byte {
	first := make([]byte, 512)
	copy(first, "SQLite format 3\x00")
	copy(first[16:], []byte{2, 0, 1, 1, 0, 64, 32, 32})
	first[47], first[59] = 4, 1
	first[100] = 13
	b := first
	for _, page := range rest {
		b = append(b, append(page, make([]byte, 512-len(page))...)...)
	}
	return b
}

// interior is a b-tree page that has only a last child.
func interior(kind byte, child uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind, 0, 0, 0, 0, 0, 0, 0}, child)
}

// leaf is a b-tree page with these cells.
func leaf(kind byte, cells ...string) []byte {
	b := make([]byte, 512)
	b[0] = kind
	b[4] = byte(len(cells))
	at := 512
	for i, c := range cells {
		at -= len(c)
		copy(b[at:], c)
		binary.BigEndian.PutUint16(b[8+2*i:], uint16(at))
	}
	return b
}

func chain(next uint32) []byte { return binary.BigEndian.AppendUint32(nil, next) }

type handMadeCase struct {
	name  string
	bytes []byte
	want  string // in the reason; "" where nothing is wrong
}

func handMadeCases() []handMadeCase {
	deep := [][]byte{}
	for i := range 25 {
		deep = append(deep, interior(5, uint32(i+3)))
	}
	// A payload of 2000 bytes of which minLocal + (2000-39) mod 508 = 476 are local.
	long := "\x8f\x50\x01" + "\x03\x9f\x26" + string(make([]byte, 476-3))
	endless := func(next uint32) string { return long + string(chain(next)) }
	return []handMadeCase{
		{"sound leaf", handMade(leaf(13, "\x05\x01\x03\x01\x01\x05\x06")), ""},
		{"child is the page itself", handMade(interior(5, 2)), "reached twice"},
		{"two pages in a ring", handMade(interior(5, 3), interior(5, 2)), "reached twice"},
		{"deeper than 20", handMade(deep...), "deeper"},
		{"child is page 0", handMade(interior(5, 0)), "outside the"},
		{"child of another kind", handMade(interior(5, 3), leaf(10)), "kind differs"},
		{"free page", handMade(make([]byte, 512)), "of kind 0"},
		{"more cells than fit", handMade([]byte{13, 0, 0, 255, 255}), "do not fit"},
		{"cell in the pointers", handMade([]byte{13, 0, 0, 0, 1, 0, 0, 0, 0, 8}), "cell 0 is out"},
		{"cell behind the page", handMade([]byte{13, 0, 0, 0, 1, 0, 0, 0, 2, 0}), "cell 0 is out"},
		{"cell at the last bytes", handMade(leaf(13, "\x05\x01\x02\x01")), "cell 0 is out"},
		{"endless varint", handMade(leaf(13, "\xff\xff\xff\xff\xff\xff\xff\xff")), "cell 0 is out"},
		{"rowids descend", handMade(leaf(13, "\x02\x05\x02\x08", "\x02\x04\x02\x08")), "rowid 4 stands behind 5"},
		{"payload longer than the file", handMade(leaf(13, "\x83\xff\xff\xff\x7f\x01"+string(make([]byte, 480)))), "claims"},
		{"sound overflow", handMade(leaf(13, endless(5)), chain(0), chain(3), chain(4)), ""},
		{"overflow to page 0", handMade(leaf(13, endless(0)), nil, nil), "continues on page 0"},
		{"overflow to itself", handMade(leaf(13, endless(3)), chain(3), nil), "used twice"},
		{"overflow ends early", handMade(leaf(13, endless(3)), chain(0), nil), "continues on page 0"},
		{"overflow into the tree", handMade(leaf(13, endless(2)), nil, nil), "used twice"},
		{"header longer than the record", handMade(leaf(13, "\x02\x01\x04\x08")), "header of 4"},
		{"header of no bytes", handMade(leaf(13, "\x02\x01\x00\x08")), "header of 0"},
		{"empty record", handMade(leaf(13, "\x00\x01\x00\x00")), "header of"},
		{"reserved serial type", handMade(leaf(13, "\x02\x01\x02\x0a")), "serial type of column 0"},
		{"column longer than the record", handMade(leaf(13, "\x03\x01\x02\x06\x01")), "column 0 is longer"},
		{"record longer than its columns", handMade(leaf(13, "\x04\x01\x02\x01\x05\x05")), "has columns of 3"},
		{"NaN", handMade(leaf(13, "\x0a\x01\x02\x07\x7f\xf8\x00\x00\x00\x00\x00\x01")), ""},
	}
}

func TestHandMadeDamage(t *testing.T) {
	for _, tt := range handMadeCases() {
		t.Run(tt.name, func(t *testing.T) {
			f, err := pages.Open(bytes.NewReader(tt.bytes), int64(len(tt.bytes)))
			if err != nil {
				t.Fatal(err)
			}
			err = f.Table(t.Context(), 2, func(_ int64, rec *pages.Record) error {
				for i := range rec.Len() {
					if v := rec.Column(i); math.IsNaN(v.Float) {
						t.Error("NaN was given")
					}
				}
				return nil
			})
			var pe *pages.PageError
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v", err)
			case tt.want != "" && (!errors.As(err, &pe) || !errors.Is(err, pages.ErrCorrupt) || !strings.Contains(pe.Reason, tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestRangeChecksItsBound has a row in the second leaf that belongs into the first.
func TestRangeChecksItsBound(t *testing.T) {
	root := leaf(5, "\x00\x00\x00\x03\x05")
	copy(root[12:], root[8:10]) // an interior page has its cell pointers behind the last child
	copy(root[8:], chain(4))
	b := handMade(root, leaf(13, "\x02\x04\x02\x08"), leaf(13, "\x02\x05\x02\x08"))
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	ranges, err := f.Split(t.Context(), 2, 2)
	if err != nil || len(ranges) != 2 {
		t.Fatalf("%d ranges, %v", len(ranges), err)
	}
	rows := func(int64, *pages.Record) error { return nil }
	if err := f.TableRange(t.Context(), ranges[0], rows); err != nil {
		t.Error(err)
	}
	if err := f.TableRange(t.Context(), ranges[1], rows); err == nil || !strings.Contains(err.Error(), "rowid 5 stands behind 5") {
		t.Errorf("got %v", err)
	}
}

// TestSharedOverflow asks for the same long chain from many cells, which would be work without end if each was paid.
func TestSharedOverflow(t *testing.T) {
	// A payload of 1,003,776 bytes, 39 of them local: a blob and the integer 0.
	cell := "\xbd\xa2\x00" + "\x05\xfa\xc4\x02\x08" + string(make([]byte, 34)) + string(chain(3))
	rest := [][]byte{leaf(10, cell, cell, cell)}
	for i := range 2000 {
		rest = append(rest, chain(uint32(i+4)))
	}
	b := handMade(rest...)
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = f.Index(t.Context(), 2, func(rec *pages.Record) error {
		n++
		if v := rec.Column(0); n == 1 && len(v.Bytes) != 1003771 {
			t.Errorf("blob of %d bytes", len(v.Bytes))
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "overflow page 3 is used twice") || n != 2 {
		t.Errorf("%d entries, then %v", n, err)
	}
}

// exercise asks everything of a file, whatever it holds; only panics, hangs and foreign errors count.
func exercise(t testing.TB, b []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	f, err := pages.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return
	}
	check := func(err error) {
		if err != nil && !errors.Is(err, pages.ErrCorrupt) && !errors.Is(err, pages.ErrWithoutRowid) && !errors.Is(err, pages.ErrNotIndex) {
			t.Errorf("got %v", err)
		}
	}
	look := func(rec *pages.Record) error {
		for i := range min(rec.Len(), 100) {
			v := rec.Column(i)
			f.Header().Encoding.Decode(v.Bytes[:min(len(v.Bytes), 50)])
		}
		rec.Column(1 << 40)
		return nil
	}
	row := func(_ int64, rec *pages.Record) error { return look(rec) }
	_, err = f.Schema(ctx)
	check(err)
	for root := range min(f.Pages()+2, 40) {
		check(f.Table(ctx, root, row))
		check(f.Index(ctx, root, look))
		ranges, err := f.Split(ctx, root, 3)
		check(err)
		for _, r := range ranges {
			check(f.TableRange(ctx, r, row))
			check(f.IndexRange(ctx, r, look))
		}
		for workers := range 3 {
			q := pages.SpanQuery{Column: workers, Low: 1, High: 4.2e9, Workers: workers}
			check(f.Spans(ctx, root, q, func(s *pages.Span) error {
				if s.Numbers+s.Outside+s.Nulls+s.Others != s.Count || s.Min > s.Max {
					t.Errorf("span %+v", s)
				}
				return nil
			}))
		}
		s := f.Seeker(root)
		for _, at := range []float64{0, 1.78e9, 5e9} {
			_, _, err := s.Around(ctx, []byte("2026_0001"), at)
			check(err)
		}
	}
}

// seeds are small real files of several layouts.
func seeds(t testing.TB) [][]byte {
	var all [][]byte
	for _, pragmas := range []string{"PRAGMA page_size=512", "PRAGMA page_size=1024; PRAGMA auto_vacuum=full; PRAGMA encoding='UTF-16le'"} {
		path, _ := database(t, pragmas, fillOdd(t, 60))
		all = append(all, readFile(t, path))
		path, _ = database(t, pragmas, fillMessages(t, 300))
		all = append(all, readFile(t, path))
	}
	return all
}

func TestRandomDamage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, seed := range seeds(t) {
		exercise(t, seed)
		for range 150 {
			b := bytes.Clone(seed)
			for range 1 + rnd.IntN(12) {
				at := rnd.IntN(len(b))
				if rnd.IntN(2) == 0 { // page headers, cell pointers and the first cells are where it hurts
					at = at/512*512 + rnd.IntN(40)
				}
				b[at] = byte(rnd.IntN(256))
			}
			if rnd.IntN(5) == 0 {
				b = b[:rnd.IntN(len(b))]
			}
			exercise(t, b)
		}
	}
}

// FuzzOpen needs -fuzzminimizetime 1x to get anywhere: files are large and minimizing them takes all the time.
func FuzzOpen(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) { exercise(t, b) })
}

func FuzzWAL(f *testing.F) {
	path, db := walDatabase(f, "PRAGMA page_size=512")
	l := snapshot(f, path, db)
	f.Add(l.main[:4096], l.wal[:32+(512+24)*40])
	exec(f, db, `PRAGMA wal_checkpoint(RESTART); UPDATE odd SET a = 1 WHERE id = 1`)
	l = snapshot(f, path, db)
	f.Add(l.main[:4096], l.wal[:32+(512+24)*20])
	f.Add(l.main[:4096], rechecksum(l.wal[:32+(512+24)*3], 512))
	f.Fuzz(func(t *testing.T, main, wal []byte) {
		w, err := pages.OpenWAL(bytes.NewReader(wal), int64(len(wal)))
		if err != nil {
			return
		}
		s, err := w.Scan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o, err := pages.NewOverlay(bytes.NewReader(main), int64(len(main)), w, s)
		if err != nil {
			return
		}
		view, err := pages.Open(o, o.Size())
		if err != nil {
			return
		}
		// What the WAL claims may be missing in main, which is a reading error and not one of the format.
		view.Schema(t.Context())
		for root := range min(view.Pages(), 20) {
			view.Table(t.Context(), root, func(_ int64, rec *pages.Record) error { rec.Len(); return nil })
		}
	})
}
