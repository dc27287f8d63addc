package pages

import "encoding/binary"

// The kinds of b-tree page, by their first byte.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// node is one b-tree page in a buffer that the cursor uses again.
type node struct {
	page  uint32
	kind  byte
	cells int
	ptrs  int    // offset of the cell pointers
	right uint32 // last child of an interior page
	buf   []byte
	body  []byte // buf without the reserved bytes
}

// parse checks the page's own header, that of a b-tree page.
func (n *node) parse() error {
	head := 0
	if n.page == 1 {
		head = headerSize
	}
	b := n.body
	n.kind = b[head]
	n.ptrs = head + 8
	switch n.kind {
	case indexLeaf, tableLeaf:
	case indexInterior, tableInterior:
		n.right = binary.BigEndian.Uint32(b[head+8:])
		n.ptrs = head + 12
	default:
		return corrupt(n.page, "b-tree page of kind %d", n.kind)
	}
	n.cells = int(binary.BigEndian.Uint16(b[head+3:]))
	if n.ptrs+2*n.cells > len(b) || n.cells > (len(n.buf)-8)/6 {
		return corrupt(n.page, "%d cells do not fit", n.cells)
	}
	return nil
}

func (n *node) leaf() bool  { return n.kind&8 != 0 }
func (n *node) table() bool { return n.kind&1 != 0 }

// cell gives the offset of cell i, of which at least four bytes are there; 0 where it points outside the content.
func (n *node) cell(i int) int {
	at := int(binary.BigEndian.Uint16(n.body[n.ptrs+2*i:]))
	if at < n.ptrs+2*n.cells || at+4 > len(n.body) {
		return 0
	}
	return at
}

func (n *node) badCell(i int) error { return corrupt(n.page, "cell %d is out of bounds", i) }

// child gives the page left of interior cell i, or the last one for i == cells.
func (n *node) child(i int) (uint32, error) {
	if i == n.cells {
		return n.right, nil
	}
	at := n.cell(i)
	if at == 0 {
		return 0, n.badCell(i)
	}
	return binary.BigEndian.Uint32(n.body[at:]), nil
}

// index points rec at the payload of cell i of an index page.
func (n *node) index(f *File, i int, rec *Record) error {
	at := n.cell(i)
	if at == 0 {
		return n.badCell(i)
	}
	if n.kind == indexInterior {
		at += 4
	}
	if at >= len(n.body) {
		return n.badCell(i)
	}
	size := uint64(n.body[at])
	if at++; size >= 0x80 {
		size, at = varint(n.body, at-1)
	}
	return n.payload(f, i, at, size, f.maxIndex, rec)
}

// row points rec at the payload of cell i of a table leaf and gives its rowid.
func (n *node) row(f *File, i int, rec *Record) (int64, error) {
	at := n.cell(i)
	if at == 0 {
		return 0, n.badCell(i)
	}
	size, at := varint(n.body, at)
	rowid, at := varint(n.body, at)
	return int64(rowid), n.payload(f, i, at, size, f.maxTable, rec)
}

// payload splits a payload of size bytes that starts at offset at into what is on the page and what overflows.
func (n *node) payload(f *File, i, at int, size uint64, maxLocal int, rec *Record) error {
	if size <= uint64(maxLocal) {
		end := at + int(size)
		if end > len(n.body) {
			return n.badCell(i)
		}
		rec.reset(n.page, n.body[at:end], int(size), 0)
		return nil
	}
	if size > maxPayload || int64(size) > f.size {
		return corrupt(n.page, "cell %d claims %d bytes", i, size)
	}
	per := f.usable - 4
	local := f.minLocal + (int(size)-f.minLocal)%per
	if local > maxLocal {
		local = f.minLocal
	}
	end := at + local
	if end+4 > len(n.body) {
		return n.badCell(i)
	}
	rec.reset(n.page, n.body[at:end], int(size), binary.BigEndian.Uint32(n.body[end:]))
	return nil
}
