package pages

import (
	"context"
)

// Span sums up the entries of an index that have the same first column.
type Span struct {
	Key     Value // the first column; Bytes are valid until the callback returns
	Count   int64 // entries
	Numbers int64 // of them, those whose number is in bounds
	Min     float64
	Max     float64 // Min and Max of the numbers in bounds, 0 where there is none
	Outside int64   // entries whose number is out of bounds
	Nulls   int64   // entries with NULL for a number
	Others  int64   // entries with text or a blob for a number
}

// SpanQuery says what Spans sums up.
type SpanQuery struct {
	Column    int     // the index column that holds the number, counted from 0; 0 is read as 1
	Low, High float64 // the bounds, both inside; for epoch seconds 1 and 4.2e9
	Workers   int     // goroutines that read, 1 to 64; 0 is read as 1
}

// Spans reads a whole index in one ordered pass and gives one Span for each distinct first column, in key order, to
// fn, which runs in the calling goroutine. The first column must be ascending with the BINARY collation; keys that
// are not in order are an error that wraps ErrCorrupt. Errors are as for Index. With several workers no Span is wrong
// either, but which of several damages is reported may differ from run to run.
func (f *File) Spans(ctx context.Context, root uint32, q SpanQuery, fn func(*Span) error) error {
	q.Column = max(q.Column, 1)
	ranges, err := f.Split(ctx, root, q.Workers)
	if err != nil {
		return err
	}
	seen := newPageSet(f.pages)
	for _, page := range ranges[0].upper {
		seen.add(page)
	}
	j := &spanJoiner{root: root, fn: fn}
	if len(ranges) == 1 {
		err = f.spanRange(ctx, ranges[0], q, seen, j.add)
	} else {
		err = f.spanRanges(ctx, ranges, q, seen, j)
	}
	if err != nil {
		return err
	}
	return j.flush()
}

// spanRange gives the spans of one range to add, which must copy what it keeps.
func (f *File) spanRange(ctx context.Context, r Range, q SpanQuery, seen *pageSet, add func(*Span) error) error {
	c := f.cursor(ctx, false, seen)
	defer f.release(c)
	if r.table {
		return c.wrongKind(r.items[0].page, 0)
	}
	v := &spanVisitor{c: c, q: q, add: add}
	if err := c.walkItems(r.items, v); err != nil {
		return stopped(ctx, err)
	}
	return v.flush()
}

// spanJoiner merges a group that two ranges share, and checks the order of groups across ranges.
type spanJoiner struct {
	root uint32
	fn   func(*Span) error
	held Span // its key lives in key
	key  []byte
}

func (j *spanJoiner) add(s *Span) error {
	if j.held.Count > 0 {
		switch c := compare(&j.held.Key, &s.Key); {
		case c == 0:
			j.held.merge(s)
			return nil
		case c > 0:
			return corrupt(j.root, "keys of the index below are out of order")
		}
		if err := j.fn(&j.held); err != nil {
			return err
		}
	}
	j.key = append(j.key[:0], s.Key.Bytes...)
	j.held = *s
	j.held.Key.Bytes = j.key
	return nil
}

func (j *spanJoiner) flush() error {
	if j.held.Count == 0 {
		return nil
	}
	return j.fn(&j.held)
}

func (s *Span) merge(t *Span) {
	switch {
	case t.Numbers == 0:
	case s.Numbers == 0:
		s.Min, s.Max = t.Min, t.Max
	default:
		s.Min, s.Max = min(s.Min, t.Min), max(s.Max, t.Max)
	}
	s.Count += t.Count
	s.Numbers += t.Numbers
	s.Outside += t.Outside
	s.Nulls += t.Nulls
	s.Others += t.Others
}
