package pages

import "context"

// Index gives every entry of the index at page root to fn, in the order of the tree: the indexed columns, then the
// rowid. That the keys ascend is not checked, because it depends on collations and DESC. Errors are as for Table, with
// ErrNotIndex for a root of another kind. The b-tree of a table WITHOUT ROWID looks the same and is walked too.
func (f *File) Index(ctx context.Context, root uint32, fn func(rec *Record) error) error {
	c := f.cursor(ctx, false, newPageSet(f.pages))
	defer f.release(c)
	return stopped(ctx, c.descend(root, 0, &entryVisitor{c: c, fn: fn}))
}

// IndexRange is Index for one of the ranges that Split made. Ranges may be walked at the same time.
func (f *File) IndexRange(ctx context.Context, r Range, fn func(rec *Record) error) error {
	c := f.cursor(ctx, false, newPageSet(f.pages))
	defer f.release(c)
	return stopped(ctx, c.walkRange(r, &entryVisitor{c: c, fn: fn}))
}

// entryVisitor gives the entries of leaves and interior pages to fn.
type entryVisitor struct {
	c  *cursor
	fn func(*Record) error
}

func (v *entryVisitor) cells(n *node, from, to int) error {
	rec := &v.c.rec
	for i := from; i < to; i++ {
		if err := n.index(v.c.f, i, rec); err != nil {
			return err
		}
		if err := v.fn(rec); err != nil {
			return err
		}
		if rec.err != nil {
			return rec.err
		}
	}
	return nil
}
