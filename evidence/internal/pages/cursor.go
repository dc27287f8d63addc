package pages

import (
	"context"
	"errors"
	"fmt"
)

// maxDepth is SQLite's own limit; a tree that is deeper is damaged.
const maxDepth = 20

// maxKept bounds the overflow buffer, in bytes, that outlives a walk.
const maxKept = 1 << 20

// visitor takes the cells of a walk in key order, one page at a time: all cells of a leaf, or one cell of an interior
// page of an index.
type visitor interface {
	cells(n *node, from, to int) error
}

// cursor is the state of one walk: a page buffer for each level, and one record.
type cursor struct {
	f     *File
	done  <-chan struct{}
	seen  *pageSet
	table bool // the kind of tree that is expected
	nodes [maxDepth]node
	rec   Record
}

// cursor takes a cursor from the pool; release gives it back. A nil seen means that pages may be read repeatedly.
func (f *File) cursor(ctx context.Context, table bool, seen *pageSet) *cursor {
	c, ok := f.cursors.Get().(*cursor)
	if !ok {
		c = &cursor{f: f}
		c.rec.chain.f = f
	}
	c.done, c.seen, c.table = ctx.Done(), seen, table
	c.rec.chain.done, c.rec.chain.seen = c.done, seen
	for i := range c.nodes {
		c.nodes[i].page = 0
	}
	return c
}

func (f *File) release(c *cursor) {
	if cap(c.rec.chain.data) > maxKept {
		c.rec.chain.data = nil
	}
	c.rec.data = nil
	f.cursors.Put(c)
}

// load reads a page of the tree into the buffer of its level.
func (c *cursor) load(page uint32, depth int) (*node, error) {
	select {
	case <-c.done:
		return nil, errStopped
	default:
	}
	if depth >= maxDepth {
		return nil, corrupt(page, "tree is deeper than %d pages", maxDepth)
	}
	if c.seen != nil && page <= c.f.pages && !c.seen.add(page) {
		return nil, corrupt(page, "reached twice")
	}
	n := &c.nodes[depth]
	if n.buf == nil {
		n.buf = make([]byte, c.f.header.PageSize)
		n.body = n.buf[:c.f.usable:c.f.usable]
	}
	n.page = 0 // stays 0 unless the buffer holds the page
	if err := c.f.read(page, n.buf); err != nil {
		return nil, err
	}
	n.page = page
	if err := n.parse(); err != nil {
		n.page = 0
		return nil, err
	}
	if n.table() != c.table {
		n.page = 0
		return nil, c.wrongKind(page, depth)
	}
	return n, nil
}

func (c *cursor) wrongKind(page uint32, depth int) error {
	switch {
	case depth > 0:
		return corrupt(page, "kind differs from that of the tree's root")
	case c.table:
		return fmt.Errorf("page %d: %w", page, ErrWithoutRowid)
	}
	return fmt.Errorf("page %d: %w", page, ErrNotIndex)
}

// descend walks the subtree under a page.
func (c *cursor) descend(page uint32, depth int, v visitor) error {
	n, err := c.load(page, depth)
	if err != nil {
		return err
	}
	if n.leaf() {
		return v.cells(n, 0, n.cells)
	}
	for i := 0; i <= n.cells; i++ {
		child, err := n.child(i)
		if err != nil {
			return err
		}
		if err := c.descend(child, depth+1, v); err != nil {
			return err
		}
		if i < n.cells && !c.table {
			if err := v.cells(n, i, i+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopped gives the context's own error for a walk that it ended.
func stopped(ctx context.Context, err error) error {
	if errors.Is(err, errStopped) {
		return ctx.Err()
	}
	return err
}
