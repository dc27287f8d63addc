package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// treeWalk walks one tree for a Survey.
type treeWalk struct {
	s      *surveyor
	tree   int
	leafAt int // depth at which the leaves stand, which are then not read; -1 = read them
	last   int64
	any    bool // last holds
}

// page takes the cells of one page, and what lies below it.
func (w *treeWalk) page(n *node, depth int, keys Keys) error {
	w.s.out.Trees[w.tree].Pages++
	if free := n.inFreeSpace(); free > 0 {
		w.s.trouble(Trouble{Page: n.page, Tree: w.tree, Lost: true, Reason: fmt.Sprintf("%d of its %d cells lie in bytes that the page calls free", free, n.cells)})
	}
	if n.leaf() {
		return w.leaf(n, keys)
	}
	page, bad, order, all := n.page, 0, 0, keys
	for i := 0; i <= n.cells; i++ {
		child, err := n.child(i)
		if err != nil {
			bad++
			continue
		}
		below := keys
		if i < n.cells && n.table() {
			key, at := varint(n.body, n.cell(i)+4)
			if at > len(n.body) {
				bad++
				continue
			}
			below.High, below.HasHigh = int64(key), true
			if keys.HasLow && below.High <= keys.Low || keys.HasHigh && below.High > keys.High {
				order++
				below.HasLow, below.HasHigh = false, false
			} else {
				keys.Low, keys.HasLow = below.High, true
			}
		}
		if err := w.below(child, n, depth, below); err != nil {
			return err
		}
		// The entry on an interior page of an index stands behind the child that is left of it.
		if i < n.cells && !n.table() && w.leafAt < 0 {
			ok, err := w.entry(n, i)
			if err != nil {
				return err
			}
			if !ok {
				bad++
			}
		}
	}
	if order > 0 {
		w.s.trouble(Trouble{Page: page, Tree: w.tree, Lost: true, Reason: fmt.Sprintf("%d of its %d keys are out of order", order, n.cells), Keys: all})
	}
	if bad > 0 {
		w.s.trouble(Trouble{Page: page, Tree: w.tree, Lost: true, Reason: fmt.Sprintf("%d of its %d cells cannot be read, with what lies below them", bad, n.cells), Keys: all})
	}
	return nil
}

// below walks a child.
func (w *treeWalk) below(child uint32, n *node, depth int, keys Keys) error {
	s := w.s
	s.keys = keys
	defer func() { s.keys = Keys{} }()
	if !s.claim(child, n.page, w.tree, "a child", mapTree) {
		return nil
	}
	switch {
	case depth+1 >= maxDepth:
		s.trouble(Trouble{Page: child, Tree: w.tree, Lost: true, Reason: fmt.Sprintf("the tree is deeper than %d pages", maxDepth)})
		return nil
	case w.leafAt == depth+1:
		s.out.Trees[w.tree].Pages++
		return nil
	}
	c, err := s.load(child, depth+1, w.tree)
	if c == nil || err != nil {
		return err
	}
	if c.table() != n.table() {
		s.trouble(Trouble{Page: child, Tree: w.tree, Lost: true, Reason: "it is a page of another kind of tree than its root", Looks: Looks(child, c.buf)})
		return nil
	}
	s.keys = Keys{}
	return w.page(c, depth+1, keys)
}

// leaf takes the rows of a table or the entries of an index.
func (w *treeWalk) leaf(n *node, keys Keys) error {
	w.s.keys = keys
	defer func() { w.s.keys = Keys{} }()
	bad, order := 0, 0
	for i := range n.cells {
		var ok bool
		var err error
		if n.table() {
			var inOrder bool
			ok, inOrder, err = w.row(n, i, keys)
			if !inOrder {
				order++
			}
		} else {
			ok, err = w.entry(n, i)
		}
		if err != nil {
			return err
		}
		if !ok {
			bad++
		}
	}
	if bad > 0 {
		reason := fmt.Sprintf("%d of its %d cells cannot be read", bad, n.cells)
		w.s.trouble(Trouble{Page: n.page, Tree: w.tree, Lost: true, Reason: reason, Looks: Looks(n.page, n.buf), Keys: keys})
	}
	if order > 0 {
		w.s.trouble(Trouble{Page: n.page, Tree: w.tree, Lost: true, Reason: fmt.Sprintf("%d of its %d rowids are out of order", order, n.cells), Keys: keys})
	}
	return nil
}

// row takes one row; it is given to SurveyQuery.Row also where its rowid is out of order.
func (w *treeWalk) row(n *node, i int, keys Keys) (ok, inOrder bool, err error) {
	rec := &w.s.rec
	rowid, err := n.row(w.s.f, i, rec)
	if err != nil {
		return false, true, readingOnly(err)
	}
	inOrder = (!w.any || rowid > w.last) && (!keys.HasLow || rowid > keys.Low) && (!keys.HasHigh || rowid <= keys.High)
	if inOrder {
		w.last, w.any = rowid, true
	}
	if ok, err = w.chain(n.page, rec); !ok || err != nil {
		if err == nil && w.s.q.Torn != nil {
			if rowid, err = n.row(w.s.f, i, rec); err == nil {
				rec.next = 0 // what the chain leads to may be another row's
				err = w.s.q.Torn(w.tree, n.page, rowid, rec)
			}
		}
		return false, inOrder, err
	}
	w.s.out.Trees[w.tree].Cells++
	if w.s.q.Row != nil {
		if err := w.s.q.Row(w.tree, n.page, rowid, rec); err != nil {
			return false, inOrder, err
		}
	}
	return true, inOrder, nil
}

// entry takes one entry of an index.
func (w *treeWalk) entry(n *node, i int) (ok bool, err error) {
	rec := &w.s.rec
	if err := n.index(w.s.f, i, rec); err != nil {
		return false, readingOnly(err)
	}
	if ok, err = w.chain(n.page, rec); !ok || err != nil {
		return false, err
	}
	w.s.out.Trees[w.tree].Cells++
	if w.s.q.Entry != nil {
		if err := w.s.q.Entry(w.tree, rec); err != nil {
			return false, err
		}
	}
	return true, nil
}

// chain follows the overflow pages of a record to their end, and then looks at its columns.
func (w *treeWalk) chain(page uint32, rec *Record) (ok bool, err error) {
	left, next, from, per := rec.size-len(rec.data), rec.next, page, w.s.f.usable-4
	kind := mapOverflowFirst
	for left > 0 {
		if !w.s.claim(next, from, w.tree, "an overflow page", kind) {
			return false, nil
		}
		select {
		case <-w.s.ctx.Done():
			return false, errStopped
		default:
		}
		w.s.out.Trees[w.tree].Overflow++
		if w.s.over == nil {
			w.s.over = make([]byte, w.s.f.header.PageSize)
		}
		if err := w.s.read(next, w.s.over); err != nil {
			return false, err
		}
		// Its number of the next page would fit a last page: only the content shows that it was wiped.
		if allZero(w.s.over) {
			w.s.trouble(Trouble{Page: next, Tree: w.tree, Lost: true, Reason: "an overflow page is nothing but NUL bytes", Looks: "NUL bytes"})
			return false, nil
		}
		from, next, kind = next, binary.BigEndian.Uint32(w.s.over), mapOverflowNext
		left -= per
	}
	if next != 0 {
		w.s.trouble(Trouble{Page: from, Tree: w.tree, Reason: fmt.Sprintf("a chain of overflow pages goes on behind its end, to page %d", next)})
	}
	rec.Len()
	return rec.err == nil, readingOnly(rec.err)
}

// allZero says whether a page holds no other byte than NUL.
func allZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	return true
}

// readingOnly drops errors about bytes that break the format, which a Survey tells otherwise.
func readingOnly(err error) error {
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	return err
}

// depth finds the level at which a tree's leaves stand, which is the same everywhere in a tree that is whole. Where no way
// down can be read it is -1: then everything is walked.
func (s *surveyor) depth(root *node) (int, error) {
	if root.leaf() {
		return -1, nil
	}
	if s.spare == nil {
		s.spare = make([]byte, s.f.header.PageSize)
	}
	child := root.right
	for d := 1; d < maxDepth; d++ {
		if child == 0 || child > s.f.pages {
			return -1, nil
		}
		if err := s.read(child, s.spare); err != nil {
			return -1, err
		}
		n := node{page: child, buf: s.spare, body: s.spare[:s.f.usable:s.f.usable]}
		if n.parse() != nil || n.table() != root.table() {
			return -1, nil
		}
		if n.leaf() {
			return d, nil
		}
		child = n.right
	}
	return -1, nil
}

// inFreeSpace counts the cells that begin before the content of the page does.
func (n *node) inFreeSpace() (cells int) {
	head := n.ptrs - 8
	if !n.leaf() {
		head -= 4
	}
	content := int(binary.BigEndian.Uint16(n.body[head+5:]))
	if content == 0 {
		content = 65536
	}
	for i := range n.cells {
		if int(binary.BigEndian.Uint16(n.body[n.ptrs+2*i:])) < content {
			cells++
		}
	}
	return cells
}
