package pages

import (
	"context"
	"errors"
	"math"
)

// SchemaRows is Schema for a file whose schema is damaged: it gives what can be read, and goes on behind what cannot.
// The error tells the first damage.
func (f *File) SchemaRows(ctx context.Context) ([]Entry, error) {
	var entries []Entry
	kept := 0
	var bad error
	err := f.Scavenge(ctx, 1, func(_ uint32, rowid int64, rec *Record) error {
		text := func(i int) string {
			v := rec.Column(i)
			if kept += len(v.Bytes); v.Kind != Text || kept > maxSchema {
				return ""
			}
			return f.header.Encoding.Decode(v.Bytes)
		}
		e := Entry{Rowid: rowid, Type: text(0), Name: text(1), Table: text(2), SQL: text(4)}
		if root := rec.Column(3); root.Kind == Int && root.Int > 0 && root.Int <= math.MaxUint32 {
			e.Root = uint32(root.Int)
		}
		if rec.Err() != nil {
			bad = rec.Err()
			return nil
		}
		if kept += 100; kept > maxSchema {
			return corrupt(1, "schema of more than %d bytes", maxSchema)
		}
		entries = append(entries, e)
		return nil
	})
	if err == nil {
		err = bad
	}
	return entries, err
}

// Scavenge gives fn every row of a table's tree that can be read, each page once at most, and goes on behind what
// cannot: in the order of the tree, which need not be that of the rowids. The error is fn's, the context's, a failed
// read, or tells the first damage and wraps ErrCorrupt; then the rows that were given stand all the same. A record whose columns
// turn out to be damaged is fn's to notice, by Record.Err.
func (f *File) Scavenge(ctx context.Context, root uint32, fn func(page uint32, rowid int64, rec *Record) error) error {
	c := f.cursor(ctx, true, newPageSet(f.pages))
	defer f.release(c)
	g := &gleaner{c: c, fn: fn}
	if err := g.page(root, 0); err != nil {
		return stopped(ctx, err)
	}
	return g.first
}

// ScavengeIndex is Scavenge for the entries of an index.
func (f *File) ScavengeIndex(ctx context.Context, root uint32, fn func(page uint32, rec *Record) error) error {
	c := f.cursor(ctx, false, newPageSet(f.pages))
	defer f.release(c)
	g := &gleaner{c: c, fn: func(page uint32, _ int64, rec *Record) error { return fn(page, rec) }}
	if err := g.page(root, 0); err != nil {
		return stopped(ctx, err)
	}
	return g.first
}

// ScavengePage gives fn the rows that a leaf of a table holds, whatever tree it belongs to; a page of another kind has
// none. Errors are as for Scavenge.
func (f *File) ScavengePage(ctx context.Context, page uint32, fn func(rowid int64, rec *Record) error) error {
	c := f.cursor(ctx, true, newPageSet(f.pages))
	defer f.release(c)
	n, err := c.load(page, 0)
	if err != nil || !n.leaf() {
		if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrWithoutRowid) {
			return nil
		}
		return stopped(ctx, err)
	}
	g := &gleaner{c: c, fn: func(_ uint32, rowid int64, rec *Record) error { return fn(rowid, rec) }}
	if err := g.leaf(n); err != nil {
		return stopped(ctx, err)
	}
	return g.first
}

// gleaner walks a tree and goes on behind damage.
type gleaner struct {
	c     *cursor
	fn    func(page uint32, rowid int64, rec *Record) error
	first error
}

// note keeps the first damage, and gives back errors that are none.
func (g *gleaner) note(err error) error {
	if err == nil || !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrWithoutRowid) && !errors.Is(err, ErrNotIndex) {
		return err
	}
	if g.first == nil {
		g.first = err
	}
	return nil
}

func (g *gleaner) page(page uint32, depth int) error {
	n, err := g.c.load(page, depth)
	if err != nil {
		return g.note(err)
	}
	if n.leaf() {
		return g.leaf(n)
	}
	for i := 0; i <= n.cells; i++ {
		child, err := n.child(i)
		if err == nil {
			err = g.page(child, depth+1)
		}
		if err := g.note(err); err != nil {
			return err
		}
		if i < n.cells && !g.c.table {
			if err := g.cell(n, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *gleaner) leaf(n *node) error {
	for i := range n.cells {
		if err := g.cell(n, i); err != nil {
			return err
		}
	}
	return nil
}

func (g *gleaner) cell(n *node, i int) error {
	rec := &g.c.rec
	var rowid int64
	var err error
	if n.table() {
		rowid, err = n.row(g.c.f, i, rec)
	} else {
		err = n.index(g.c.f, i, rec)
	}
	if err != nil {
		return g.note(err)
	}
	if err := g.fn(n.page, rowid, rec); err != nil {
		return err
	}
	if rec.err != nil {
		return g.note(rec.err)
	}
	return nil
}
