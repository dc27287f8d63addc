package pages

import (
	"bytes"
	"cmp"
	"context"
)

// Hit is an entry that a Seeker found. Its number is never NULL, text or a blob.
type Hit struct {
	Found  bool
	Number Value // the second column, an Int or a Float
	Rowid  int64 // the last column
}

// Seeker answers questions to one index by binary search in a few pages, and keeps those at hand for the next
// question, so questions in key order are cheapest. It must not be used by two goroutines at once.
type Seeker struct {
	f    *File
	root uint32
	c    *cursor
}

// Seeker makes a Seeker for the index at page root. Its first two columns must be ascending and, for text, have the
// BINARY collation.
func (f *File) Seeker(root uint32) *Seeker {
	return &Seeker{f: f, root: root, c: f.cursor(context.Background(), false, nil)}
}

// Around looks at the entries whose first column is the text key, given in the file's encoding. Before is the
// greatest of them with a number at most t; after is the smallest with a greater number. Entries of equal number count
// in the order of their rowids. In an index that is damaged or not ordered as Seeker asks, the answer may miss
// entries, but every Hit is one that stands there.
func (s *Seeker) Around(ctx context.Context, key []byte, t float64) (before, after Hit, err error) {
	c := s.c
	c.done = ctx.Done()
	c.rec.chain.done = c.done
	page := s.root
	for depth := 0; ; depth++ {
		n, err := c.visit(page, depth)
		if err != nil {
			return Hit{}, Hit{}, stopped(ctx, err)
		}
		i, err := c.upper(n, key, t)
		if err != nil {
			return Hit{}, Hit{}, stopped(ctx, err)
		}
		// What stands deeper lies between these two, so that it replaces them.
		if i > 0 {
			if before, err = c.hit(n, i-1, key); err != nil {
				return Hit{}, Hit{}, stopped(ctx, err)
			}
		}
		if i < n.cells {
			if after, err = c.hit(n, i, key); err != nil {
				return Hit{}, Hit{}, stopped(ctx, err)
			}
		}
		if n.leaf() {
			return before, after, nil
		}
		if page, err = n.child(i); err != nil {
			return Hit{}, Hit{}, err
		}
	}
}

// visit is load, except that a page which the level's buffer still holds is not read again.
func (c *cursor) visit(page uint32, depth int) (*node, error) {
	if depth < maxDepth && page != 0 && c.nodes[depth].page == page {
		return &c.nodes[depth], nil
	}
	return c.load(page, depth)
}

// upper gives the first cell of a page that is behind (key, t).
func (c *cursor) upper(n *node, key []byte, t float64) (int, error) {
	lo, hi := 0, n.cells
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		order, err := c.compareEntry(n, mid, key, t)
		if err != nil {
			return 0, err
		}
		if order > 0 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo, nil
}

// compareEntry compares cell i with (key, t), reading no more of an overflowing entry than the answer needs.
func (c *cursor) compareEntry(n *node, i int, key []byte, t float64) (int, error) {
	rec := &c.rec
	if err := n.index(c.f, i, rec); err != nil {
		return 0, err
	}
	first := rec.prefix(0, len(key)+1)
	if rec.err != nil {
		return 0, rec.err
	}
	if first.Kind != Text {
		return cmp.Compare(first.Kind, Text), nil
	}
	if order := bytes.Compare(first.Bytes, key); order != 0 {
		return order, nil
	}
	second := rec.prefix(1, 0)
	if rec.err != nil {
		return 0, rec.err
	}
	switch second.Kind {
	case Null:
		return -1, nil
	case Int:
		return compareIntFloat(second.Int, t), nil
	case Float:
		return cmp.Compare(second.Float, t), nil
	}
	return 1, nil
}

// hit gives cell i as an answer, not found where it has another key or no number.
func (c *cursor) hit(n *node, i int, key []byte) (Hit, error) {
	rec := &c.rec
	if err := n.index(c.f, i, rec); err != nil {
		return Hit{}, err
	}
	first := rec.prefix(0, len(key)+1)
	if rec.err == nil && (first.Kind != Text || !bytes.Equal(first.Bytes, key)) {
		return Hit{}, nil
	}
	number := rec.prefix(1, 0)
	if rec.err == nil && number.Kind != Int && number.Kind != Float {
		return Hit{}, nil
	}
	rowid := rec.Column(rec.Len() - 1)
	if rec.err != nil {
		return Hit{}, rec.err
	}
	return Hit{Found: true, Number: number, Rowid: rowid.Int}, nil
}
