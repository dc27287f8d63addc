package bundle

import (
	"bufio"
	"io"
)

// valued are the members of reports whose value is that of a cell. Any other number is a count, a size, a place or a time of
// this program's own: it may be that of a word of the source, as the count of a large table is, and tells nothing of it.
var valued = set("value old new before after")

// uncounted gives a JSON document of this program without the numbers that it worked out itself.
type uncounted struct {
	in      *bufio.Reader
	text    []byte // of the string that is being read, or was read last
	inText  bool
	escaped bool
	member  string
}

// Read is that of io.Reader.
func (u *uncounted) Read(p []byte) (int, error) {
	for i := range p {
		c, err := u.in.ReadByte()
		if err != nil {
			if i > 0 {
				err = nil
			}
			return i, err
		}
		p[i] = u.next(c)
	}
	return len(p), nil
}

var _ io.Reader = (*uncounted)(nil)

// longestMember bounds what is remembered of a string: members of reports are shorter.
const longestMember = 64

func (u *uncounted) next(c byte) byte {
	switch {
	case u.escaped:
		u.escaped = false
	case u.inText && c == '\\':
		u.escaped = true
	case c == '"':
		if u.inText = !u.inText; u.inText {
			u.text = u.text[:0]
		}
		return c
	}
	switch {
	case u.inText:
		if len(u.text) < longestMember {
			u.text = append(u.text, c)
		}
	case c == ':':
		u.member = string(u.text)
	case c >= '0' && c <= '9' && !valued[u.member]:
		return ' '
	}
	return c
}
