package pages

import (
	"context"
	"math"
)

// Table gives every row of the rowid table at page root to fn, in order of rowid. Rowids that do not ascend are an
// error that wraps ErrCorrupt, a root of another kind one that wraps ErrWithoutRowid; an error of fn ends the walk and
// is returned as it is. Rows given before an error stand. The context is checked at each page.
func (f *File) Table(ctx context.Context, root uint32, fn func(rowid int64, rec *Record) error) error {
	c := f.cursor(ctx, true, newPageSet(f.pages))
	defer f.release(c)
	v := &rowVisitor{c: c, fn: fn, last: math.MinInt64, first: true}
	return stopped(ctx, c.descend(root, 0, v))
}

// TableRange is Table for one of the ranges that Split made. Ranges may be walked at the same time.
func (f *File) TableRange(ctx context.Context, r Range, fn func(rowid int64, rec *Record) error) error {
	c := f.cursor(ctx, true, newPageSet(f.pages))
	defer f.release(c)
	v := &rowVisitor{c: c, fn: fn, last: r.after, first: !r.bounded}
	return stopped(ctx, c.walkRange(r, v))
}

// rowVisitor gives the rows of leaves to fn.
type rowVisitor struct {
	c     *cursor
	fn    func(int64, *Record) error
	last  int64
	first bool // nothing stands before the next row, not even last
}

func (v *rowVisitor) cells(n *node, from, to int) error {
	rec := &v.c.rec
	for i := from; i < to; i++ {
		rowid, err := n.row(v.c.f, i, rec)
		if err != nil {
			return err
		}
		if rowid <= v.last && !v.first {
			return corrupt(n.page, "rowid %d stands behind %d", rowid, v.last)
		}
		v.last, v.first = rowid, false
		if err := v.fn(rowid, rec); err != nil {
			return err
		}
		if rec.err != nil {
			return rec.err
		}
	}
	return nil
}
