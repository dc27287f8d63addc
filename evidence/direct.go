package evidence

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// direct reads b-trees from the pages of the file, for passes in which every row would have to cross from SQLite into
// Go. It is only a faster way: whatever it does not understand is left to SQLite.
type direct struct {
	file *os.File
	tree *pages.File
}

// openDirect gives nil where the pages cannot be read this way.
func openDirect(path string) *direct {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err == nil {
		var tree *pages.File
		if tree, err = pages.Open(f, info.Size()); err == nil && tree.Header().Encoding == pages.UTF8 {
			return &direct{f, tree}
		}
	}
	_ = f.Close() // opened for reading
	return nil
}

func (d *direct) close() error {
	if d == nil {
		return nil
	}
	return d.file.Close()
}

// layout says how a column is stored.
type layout struct {
	at    int   // place in the record; -1 = it has none: a generated column, whose value only SQLite knows
	alias bool  // it is another name of the rowid, and stored as NULL
	real  bool  // whole numbers are stored as integers and read as reals
	blank Value // what a row that is older than the column reads as
	known bool  // blank is known
}

// layoutOf reads a row of PRAGMA table_xinfo: cid, name, type, notnull, dflt_value, pk, hidden.
func layoutOf(row []Value, stored *int) layout {
	l := layout{at: *stored}
	kind := strings.ToUpper(row[2].String())
	if row[6].Int == 2 { // generated when it is read
		l.at = -1
	} else {
		*stored++
	}
	l.alias = kind == "INTEGER" && row[5].Int == 1
	// The rules of column affinity, in SQLite's order.
	l.real = !strings.Contains(kind, "INT") && !strings.Contains(kind, "CHAR") && !strings.Contains(kind, "CLOB") &&
		!strings.Contains(kind, "TEXT") && !strings.Contains(kind, "BLOB") &&
		(strings.Contains(kind, "REAL") || strings.Contains(kind, "FLOA") || strings.Contains(kind, "DOUB"))
	l.blank, l.known = literal(row[4])
	return l
}

// literal reads the default of a column where it is one of the few that the product's schemas have.
func literal(v Value) (Value, bool) {
	if v.Kind == Null {
		return Value{}, true
	}
	switch text := v.String(); {
	case strings.EqualFold(text, "NULL"):
		return Value{}, true
	case len(text) > 0 && len(text) < 10 && strings.Trim(text, "0123456789") == "":
		n := int64(0)
		for _, c := range text {
			n = 10*n + int64(c-'0')
		}
		return Value{Kind: Int, Int: n}, true
	case text == "''":
		return Value{Kind: Text, Bytes: []byte{}}, true
	}
	return Value{}, false
}

// rows walks a table. last is the rowid of the last row that was given to fn; ok is false where SQLite has to go on
// behind it. An error of fn ends the walk and is returned.
func (d *direct) rows(ctx context.Context, t *Table, columns []string, fn func(int64, []Value) error) (last int64, given, ok bool, err error) {
	if d == nil || t.root == 0 {
		return 0, false, false, nil
	}
	wanted := make([]layout, len(columns))
	for i, name := range columns {
		wanted[i] = layout{at: math.MaxInt, known: true} // a column that the table lacks
		for k, c := range t.Columns {
			if strings.EqualFold(c, name) {
				wanted[i] = t.layout[k]
			}
		}
		if wanted[i].at < 0 || !wanted[i].known {
			return 0, false, false, nil
		}
	}
	row := make([]Value, len(columns))
	var stop error
	walked := d.tree.Table(ctx, t.root, func(rowid int64, rec *pages.Record) error {
		for i := range wanted {
			wanted[i].read(rowid, rec, &row[i])
		}
		if rec.Err() != nil {
			return rec.Err()
		}
		last, given = rowid, true
		stop = fn(rowid, row)
		return stop
	})
	switch {
	case walked == nil:
		return last, given, true, nil
	case stop != nil:
		return last, given, true, stop
	case ctx.Err() != nil:
		return last, given, true, ctx.Err()
	}
	return last, given, false, nil
}

// badText walks a table for text that is not UTF-8. ok is false where SQLite has to look instead, because nothing was
// given yet.
func (d *direct) badText(ctx context.Context, t *Table, skip []string, fn func(rowid int64, columns []string) error) (ok bool, err error) {
	if d == nil || t.root == 0 {
		return false, nil
	}
	var names []string // by place in the record
	var skipped []bool
	for k, l := range t.layout {
		if l.at < 0 {
			return false, nil
		}
		names = append(names, t.Columns[k])
		skipped = append(skipped, slices.ContainsFunc(skip, func(s string) bool { return strings.EqualFold(s, t.Columns[k]) }))
	}
	given := false
	var bad []string
	note := func(column int, text []byte) {
		if column < len(names) && !utf8.Valid(text) {
			bad = append(bad, names[column])
		}
	}
	err = d.tree.Table(ctx, t.root, func(rowid int64, rec *pages.Record) error {
		rec.EachText(skipped, note)
		if rec.Err() != nil || len(bad) == 0 {
			return rec.Err()
		}
		given = true
		columns := bad
		bad = nil
		return fn(rowid, columns)
	})
	return err == nil || given || ctx.Err() != nil, err
}

func (l *layout) read(rowid int64, rec *pages.Record, v *Value) {
	switch {
	case l.at == math.MaxInt:
		*v = Value{}
		return
	case l.alias:
		*v = Value{Kind: Int, Int: rowid}
		return
	}
	rec.ColumnTo(l.at, v)
	switch {
	case l.real && v.Kind == Int:
		*v = Value{Kind: Float, Float: float64(v.Int)}
	case v.Kind == Null && l.blank.Kind != Null && l.at >= rec.Len():
		*v = l.blank
	}
}

// readers is how many goroutines read an index: these machines have two cores, and one more reader than that is no
// faster.
const readers = 2

// errNotDirect says that SQLite has to be asked.
var errNotDirect = errors.New("the pages cannot be read directly")

// spans sums up an index over (session_id, timestamp, …). stopped says that err is final: it is fn's or the context's.
// Else last is the last key that was given to fn, nil for none, and SQLite has to go on behind it.
func (d *direct) spans(ctx context.Context, ix *Index, workers int, fn func([]byte, Span) error) (last []byte, stopped bool, err error) {
	if d == nil || !ix.plain || ix.root == 0 {
		return nil, false, errNotDirect
	}
	q := pages.SpanQuery{Column: 1, Low: 1, High: 4_200_000_000, Workers: workers}
	var stop error
	err = d.tree.Spans(ctx, ix.root, q, func(s *pages.Span) error {
		out := Span{Count: s.Count, First: math.NaN(), Last: math.NaN(), Untrusted: s.Count - s.Numbers}
		if s.Numbers > 0 {
			out.First, out.Last = s.Min, s.Max
		}
		k := key(s.Key)
		last = append(last[:0], k...)
		stop = fn(k, out)
		return stop
	})
	if stop != nil {
		return last, true, stop
	}
	return last, ctx.Err() != nil, err
}

// key spells a session_id of any storage class as Spans gives it.
func key(v Value) []byte {
	switch v.Kind {
	case Null:
		return nil
	case Text, Blob:
		if v.Bytes == nil {
			return []byte{}
		}
		return v.Bytes
	}
	return []byte(v.String())
}
