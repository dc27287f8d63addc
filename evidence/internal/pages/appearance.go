package pages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Looks says in a few words what the bytes of a page look like, and gives none of them that may be a person's text.
func Looks(page uint32, b []byte) string {
	head := 0
	if page == 1 {
		head = headerSize
	}
	switch zeros := len(b) - len(bytes.TrimLeft(b, "\x00")); {
	case zeros == len(b):
		return "NUL bytes"
	case page != 1 && bytes.HasPrefix(b, []byte(headerMagic)):
		return "the beginning of another database"
	case len(b) >= 4 && binary.BigEndian.Uint32(b)&^1 == walMagic:
		return "the beginning of a write-ahead log"
	case zeros >= len(b)/2:
		return fmt.Sprintf("%d NUL bytes, then others", zeros)
	}
	n := node{page: page, buf: b, body: b}
	if len(b) > head+12 && n.parse() == nil {
		kind := map[byte]string{indexInterior: "an interior page of an index", tableInterior: "an interior page of a table", indexLeaf: "a leaf of an index", tableLeaf: "a leaf of a table"}[n.kind]
		return fmt.Sprintf("%s with %d cells", kind, n.cells)
	}
	if printable(b) {
		return "text"
	}
	if len(b) > head+8 {
		return fmt.Sprintf("bytes that begin with % x", b[head:head+8])
	}
	return "too few bytes"
}

// printable says that nearly all of b is text.
func printable(b []byte) bool {
	good := 0
	for rest := b; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r != utf8.RuneError && (r >= ' ' || r == '\n' || r == '\t' || r == '\r') {
			good += n
		}
		rest = rest[n:]
	}
	return good*20 >= len(b)*19
}
