package pages

import "encoding/binary"

// LooksLikeTree says whether a page that is not the first has the shape of a b-tree page: its kind, its cells, their
// pointers and the bounds of its content agree with one another. Chance gives that to about one page of random bytes in
// a million. A page of zeros, an overflow page and a free page have no such shape.
func LooksLikeTree(page []byte, size int) bool {
	if len(page) < size || size < 512 {
		return false
	}
	n := node{page: 2, buf: page[:size], body: page[:size]}
	if n.parse() != nil {
		return false
	}
	content := int(binary.BigEndian.Uint16(page[5:]))
	if content == 0 {
		content = 65536
	}
	if content > size || content < n.ptrs+2*n.cells || page[7] > 60 || int(binary.BigEndian.Uint16(page[1:])) >= size {
		return false
	}
	if !n.leaf() && n.right == 0 {
		return false
	}
	for i := range n.cells {
		if at := n.cell(i); at < content {
			return false
		}
	}
	return true
}
