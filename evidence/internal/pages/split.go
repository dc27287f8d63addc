package pages

import "context"

const (
	// maxRanges bounds what Split makes, and with it the memory that a hostile tree can ask for.
	maxRanges = 64
	// itemsPerRange is how many subtrees a range should have, so that ranges are about equally long.
	itemsPerRange = 8
)

// Range is a contiguous part of a table or an index, made by Split. The zero Range is empty.
type Range struct {
	table   bool
	items   []item
	upper   []uint32 // pages above the items, which the items must not reach again
	after   int64    // of a table: rowids are greater than this one
	bounded bool     // after holds
}

// item is a subtree, or one entry of an interior page of an index.
type item struct {
	page  uint32
	depth int
	entry int   // -1 for a subtree
	bound int64 // of a table's subtree: rowids are greater than this one
	low   bool  // bound holds
}

// Split cuts the table or index at page root into at most n contiguous ranges of about the same number of pages
// (n between 1 and 64), in key order. Small trees give fewer. It reads only pages near the root; errors are as for
// Table and Index.
func (f *File) Split(ctx context.Context, root uint32, n int) ([]Range, error) {
	c := f.cursor(ctx, false, newPageSet(f.pages))
	defer f.release(c)
	n = min(max(n, 1), maxRanges)
	want := n * itemsPerRange
	if n == 1 {
		want = 1 // the whole tree is one item
	}
	items, upper, err := c.frontier(root, want)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	n = min(n, len(items))
	ranges := make([]Range, 0, n)
	for i := range n {
		part := items[len(items)*i/n : len(items)*(i+1)/n]
		ranges = append(ranges, Range{table: c.table, items: part, upper: upper, after: part[0].bound, bounded: part[0].low})
	}
	return ranges, nil
}

// frontier opens level after level until at least want subtrees are known or the leaves are reached.
func (c *cursor) frontier(root uint32, want int) (items []item, upper []uint32, err error) {
	items = []item{{page: root, entry: -1}}
	c.table, err = c.kindOf(root)
	if err != nil {
		return nil, nil, err
	}
	for depth := 0; len(items) < want; depth++ {
		var below []item
		opened := false
		for _, it := range items {
			if it.entry >= 0 || it.depth < depth {
				below = append(below, it)
				continue
			}
			n, err := c.load(it.page, depth)
			if err != nil {
				return nil, nil, err
			}
			if n.leaf() {
				below = append(below, it)
				continue
			}
			opened = true
			upper = append(upper, it.page)
			if below, err = n.open(below, it); err != nil {
				return nil, nil, err
			}
		}
		items = below
		if !opened {
			break
		}
	}
	return items, upper, nil
}

// kindOf tells whether a root belongs to a table.
func (c *cursor) kindOf(root uint32) (bool, error) {
	seen := c.seen
	defer func() { c.seen = seen }()
	c.seen, c.table = nil, true
	_, err := c.load(root, 0)
	if err == nil {
		return true, nil
	}
	c.table = false
	_, err = c.load(root, 0)
	return false, err
}

// open appends the children of an interior page, and the entries between them where it belongs to an index.
func (n *node) open(items []item, it item) ([]item, error) {
	bound, low := it.bound, it.low
	for i := 0; i <= n.cells; i++ {
		child, err := n.child(i)
		if err != nil {
			return nil, err
		}
		items = append(items, item{page: child, depth: it.depth + 1, entry: -1, bound: bound, low: low})
		switch {
		case i == n.cells:
		case n.table():
			key, at := varint(n.body, n.cell(i)+4)
			if at > len(n.body) {
				return nil, n.badCell(i)
			}
			bound, low = int64(key), true
		default:
			items = append(items, item{page: n.page, depth: it.depth, entry: i})
		}
	}
	return items, nil
}

// walkRange is descend for a range.
func (c *cursor) walkRange(r Range, v visitor) error {
	if len(r.items) == 0 {
		return nil
	}
	if r.table != c.table {
		return c.wrongKind(r.items[0].page, 0)
	}
	for _, page := range r.upper {
		c.seen.add(page)
	}
	return c.walkItems(r.items, v)
}

func (c *cursor) walkItems(items []item, v visitor) error {
	for _, it := range items {
		if it.entry < 0 {
			if err := c.descend(it.page, it.depth, v); err != nil {
				return err
			}
			continue
		}
		n := &c.nodes[it.depth]
		if n.page != it.page { // else it is still there from the entry before
			seen := c.seen
			c.seen = nil // Split has counted it
			var err error
			n, err = c.load(it.page, it.depth)
			c.seen = seen
			if err != nil {
				return err
			}
		}
		if it.entry >= n.cells || n.leaf() {
			return corrupt(it.page, "changed during the walk")
		}
		if err := v.cells(n, it.entry, it.entry+1); err != nil {
			return err
		}
	}
	return nil
}
