package pages

import (
	"encoding/binary"
	"slices"
)

// overflow follows the chains of one cursor's records.
type overflow struct {
	f    *File
	done <-chan struct{} // the walk's context, which a record must not keep
	seen *pageSet        // nil in a seek, where the length that is wanted bounds the work
	buf  []byte          // one page
	data []byte          // the payload that was put together, used again for the next record
}

// extend brings at least n bytes of the payload into data. A page that belongs to two chains is an error: else a
// small file could ask for endless work.
func (r *Record) extend(n int) bool {
	if r.err != nil {
		return false
	}
	c := &r.chain
	joined := r.data
	if !r.joined {
		joined = append(c.data[:0], r.data...)
	}
	joined = slices.Grow(joined, max(0, n-len(joined))) // a payload is never longer than its file
	for len(joined) < n {
		if r.err = c.load(r.page, r.next); r.err != nil {
			r.fields = r.fields[:0]
			return false
		}
		take := min(r.size-len(joined), c.f.usable-4)
		joined = append(joined, c.buf[4:4+take]...)
		r.next = binary.BigEndian.Uint32(c.buf)
	}
	c.data, r.data, r.joined = joined, joined, true
	return true
}

// load reads one overflow page of a payload that began on page from.
func (c *overflow) load(from, page uint32) error {
	select {
	case <-c.done:
		return errStopped
	default:
	}
	if page == 0 || page > c.f.pages {
		return corrupt(from, "overflow continues on page %d of %d", page, c.f.pages)
	}
	if c.seen != nil && !c.seen.add(page) {
		return corrupt(from, "overflow page %d is used twice", page)
	}
	if c.buf == nil {
		c.buf = make([]byte, c.f.header.PageSize)
	}
	return c.f.read(page, c.buf)
}
