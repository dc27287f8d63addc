package evidence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Span sums up the messages of one session.
type Span struct {
	Count       int64
	First, Last float64 // epoch seconds among trusted times: numbers within 1 … 4 200 000 000; NaN when none is
	Untrusted   int64   // messages whose time is none of those
}

// trusted is the SQL of a trusted time. The unary plus takes the column's affinity away: SQLite then compares by
// storage class, so that a text or blob is above every number and NULL is neither.
const trusted = "+timestamp BETWEEN 1 AND 4200000000"

// Rows gives every row of an ordinary table in rowid order, read from the table itself and no index. A column
// that the table lacks is Null in every row. What holds for Query holds here.
func (d *DB) Rows(ctx context.Context, table string, columns []string, fn func(rowid int64, row []Value) error) error {
	t := d.Table(table)
	if t == nil {
		return fmt.Errorf("read %q: %w", table, d.missing())
	}
	if t.rowid == "" {
		return fmt.Errorf("read %q: it has no rowid that can be asked for", table)
	}
	last, given, whole, err := d.direct.rows(ctx, t, columns, fn)
	if err != nil || whole {
		return err
	}
	var q strings.Builder
	q.WriteString("SELECT t." + t.rowid)
	for _, c := range columns {
		if own := t.column(c); own != "" {
			q.WriteString(", t." + QuoteName(own))
		} else {
			q.WriteString(", NULL")
		}
	}
	q.WriteString(" FROM " + QuoteName(t.Name) + " AS t NOT INDEXED")
	if given { // the pages could be read so far
		fmt.Fprintf(&q, " WHERE t.%s > %d", t.rowid, last)
	}
	q.WriteString(" ORDER BY t." + t.rowid)
	err = d.Query(ctx, q.String(), nil, func(row []Value) error { return fn(row[0].Int, row[1:]) })
	if err != nil {
		return fmt.Errorf("read %q: %w", table, err)
	}
	return nil
}

// BadText gives the rows of an ordinary table that hold text which is not UTF-8, with the names of their columns, in
// rowid order; the columns in skip are not read. What holds for Rows holds here.
func (d *DB) BadText(ctx context.Context, table string, skip []string, fn func(rowid int64, columns []string) error) error {
	t := d.Table(table)
	if t == nil {
		return fmt.Errorf("read the texts of %q: %w", table, d.missing())
	}
	if done, err := d.direct.badText(ctx, t, skip, fn); done {
		return err
	}
	names := slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool { return slices.Contains(skip, c) })
	return d.Rows(ctx, table, names, func(rowid int64, row []Value) error {
		var bad []string
		for i, v := range row {
			if v.Kind == Text && !utf8.Valid(v.Bytes) {
				bad = append(bad, names[i])
			}
		}
		if len(bad) == 0 {
			return nil
		}
		return fn(rowid, bad)
	})
}

// Spans gives the span of every session_id among the messages, each once and in SQLite's order: in one ordered pass over the index
// that covers it, or over the table where there is none. A session_id of NULL is a nil slice. What holds for
// Query holds here.
func (d *DB) Spans(ctx context.Context, fn func(session []byte, s Span) error) error {
	t := d.Table("messages")
	if t == nil {
		return fmt.Errorf("read spans of messages: %w", d.missing())
	}
	if !t.Has("session_id") {
		return errors.New("read spans of messages: no column session_id")
	}
	if index := t.spanIndex(); index != nil {
		last, stopped, err := d.direct.spans(ctx, index, readers, fn)
		if err == nil || stopped {
			return err
		}
		if last != nil { // the index is damaged behind this key, and the rest is asked of the table
			_, err := d.spans(ctx, t, "NOT INDEXED WHERE session_id > ?", []any{string(last)}, fn)
			return err
		}
		given, err := d.spans(ctx, t, "INDEXED BY "+QuoteName(index.Name), nil, fn)
		if err == nil {
			return nil
		}
		// An index that is damaged or of another collation is no reason to give up, unless rows were given.
		if given || ctx.Err() != nil {
			return fmt.Errorf("read spans of messages from index %q: %w", index.Name, err)
		}
	}
	if _, err := d.spans(ctx, t, "NOT INDEXED", nil, fn); err != nil {
		return fmt.Errorf("read spans of messages: %w", err)
	}
	return nil
}

// spanIndex is the first whole index over (session_id, timestamp, …); nil when there is none.
func (t *Table) spanIndex() *Index {
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		if !ix.Partial && len(ix.Columns) >= 2 && strings.EqualFold(ix.Columns[0], "session_id") && strings.EqualFold(ix.Columns[1], "timestamp") {
			return ix
		}
	}
	return nil
}

// spans groups inside SQL, so that only sessions-many rows cross into Go; given says whether fn was called.
func (d *DB) spans(ctx context.Context, t *Table, how string, args []any, fn func([]byte, Span) error) (given bool, err error) {
	times := "NULL, NULL, count(*)"
	if t.Has("timestamp") {
		times = fmt.Sprintf("min(timestamp) FILTER (WHERE %[1]s), max(timestamp) FILTER (WHERE %[1]s), count(*) - count(*) FILTER (WHERE %[1]s)", trusted)
	}
	query := "SELECT session_id, count(*), " + times + " FROM messages " + how + " GROUP BY session_id ORDER BY session_id"
	err = d.Query(ctx, query, args, func(row []Value) error {
		given = true
		var session []byte
		switch row[0].Kind {
		case Null:
		case Text, Blob:
			if session = row[0].Bytes; session == nil {
				session = []byte{}
			}
		default:
			session = []byte(row[0].String())
		}
		return fn(session, Span{Count: row[1].Int, First: number(row[2]), Last: number(row[3]), Untrusted: row[4].Int})
	})
	return given, err
}

// number is a time that SQL has already found to be a number, or NaN for none.
func number(v Value) float64 {
	if v.Kind == Null {
		return math.NaN()
	}
	return v.Number()
}

// missing says why a table cannot be read.
func (d *DB) missing() error {
	if d.fault != nil {
		return d.fault
	}
	return errNoTable
}
