package pages

import (
	"encoding/binary"
	"fmt"
)

// freelist walks the trunks of free pages.
func (s *surveyor) freelist() error {
	h := s.f.header
	if s.spare == nil {
		s.spare = make([]byte, h.PageSize)
	}
	page, from := h.FreelistHead, uint32(1)
	most := uint32(s.f.usable/4 - 2)
	for page != 0 {
		select {
		case <-s.ctx.Done():
			return errStopped
		default:
		}
		if !s.claim(page, from, FileTree, "the next part of the freelist", mapFree) {
			return nil
		}
		if err := s.read(page, s.spare); err != nil {
			return err
		}
		s.out.Free++
		n := binary.BigEndian.Uint32(s.spare[4:])
		if n > most {
			s.trouble(Trouble{Page: page, Tree: FileTree, Reason: fmt.Sprintf("a part of the freelist names %d pages, more than fit", n), Looks: Looks(page, s.spare)})
			return nil
		}
		for i := range n {
			if s.claim(binary.BigEndian.Uint32(s.spare[8+4*i:]), page, FileTree, "the freelist", mapFree) {
				s.out.Free++
			}
		}
		from, page = page, binary.BigEndian.Uint32(s.spare)
	}
	if s.out.Free != int64(h.FreelistCount) {
		s.trouble(Trouble{Page: 1, Tree: FileTree, Reason: fmt.Sprintf("the freelist has %d pages, the header counts %d", s.out.Free, h.FreelistCount)})
	}
	return nil
}

// unused tells of pages that nothing uses, in runs.
func (s *surveyor) unused() error {
	if !s.out.Whole {
		return nil
	}
	lock := uint32(1<<30/s.f.header.PageSize) + 1 // the bytes that SQLite locks lie there, and it is never used
	for page := uint32(1); page != 0 && page <= s.f.pages; page++ {
		if s.owner.of(page) != nobody || page == lock || s.ptr.is(page) {
			continue
		}
		if page&1023 == 0 {
			if err := s.ctx.Err(); err != nil {
				return errStopped
			}
		}
		first := page
		for page+1 <= s.f.pages && s.owner.of(page+1) == nobody && page+1 != lock && !s.ptr.is(page+1) {
			page++
		}
		s.out.Unused += int64(page-first) + 1
		if err := s.read(first, s.spare); err != nil {
			return err
		}
		reason := "nothing uses this page"
		if page > first {
			reason = fmt.Sprintf("nothing uses pages %d to %d", first, page)
		}
		s.trouble(Trouble{Page: first, Tree: FileTree, Reason: reason, Looks: Looks(first, s.spare)})
	}
	return nil
}

// nobody owns a page that was not taken.
const nobody = -2

// owners says which tree uses a page. It takes memory near pages that were taken, two bytes for each.
type owners struct{ chunks []*[chunkPages]uint16 }

func newOwners(pages uint32) *owners {
	return &owners{make([]*[chunkPages]uint16, pages/chunkPages+1)}
}

// take gives a page to a tree, or says who has it.
func (o *owners) take(page uint32, tree int) (had int) {
	c := o.chunks[page/chunkPages]
	if c == nil {
		c = new([chunkPages]uint16)
		o.chunks[page/chunkPages] = c
	}
	at := &c[page%chunkPages]
	if *at != 0 {
		return int(*at) - 2
	}
	*at = uint16(tree + 2)
	return nobody
}

func (o *owners) of(page uint32) int {
	if c := o.chunks[page/chunkPages]; c != nil {
		return int(c[page%chunkPages]) - 2
	}
	return nobody
}

// mapKind is what an entry of the pointer map says a page is (file format, section 1.8).
type mapKind byte

const (
	mapRoot          mapKind = 1
	mapFree          mapKind = 2
	mapOverflowFirst mapKind = 3
	mapOverflowNext  mapKind = 4
	mapTree          mapKind = 5
)

// pointerMap reads the back pointers of a file that has auto_vacuum.
type pointerMap struct {
	per  uint32 // pages that one page of the map speaks of, itself included; 0 = there is none
	page uint32 // that buf holds
	buf  []byte
}

func (p *pointerMap) begin(f *File) {
	if f.header.LargestRoot != 0 {
		p.per = uint32(f.usable/5) + 1
	}
}

// is says that a page is one of the map.
func (p *pointerMap) is(page uint32) bool { return p.per > 0 && page >= 2 && (page-2)%p.per == 0 }

// check says what is wrong with the entry of a page; "" = nothing.
func (p *pointerMap) check(s *surveyor, page, from uint32, kind mapKind) string {
	if p.per == 0 || page == 1 {
		return ""
	}
	if p.is(page) {
		return "it belongs to the pointer map, and something else leads to it"
	}
	of := (page-2)/p.per*p.per + 2
	if of == uint32(1<<30/s.f.header.PageSize)+1 { // the map moves behind the page that SQLite locks
		return ""
	}
	if p.page != of {
		if p.buf == nil {
			p.buf = make([]byte, s.f.header.PageSize)
		}
		if s.read(of, p.buf) != nil {
			p.page = 0
			return ""
		}
		p.page = of
	}
	at := 5 * int(page-of-1)
	if at+5 > s.f.usable {
		return ""
	}
	got, parent := mapKind(p.buf[at]), binary.BigEndian.Uint32(p.buf[at+1:])
	if kind == mapRoot || kind == mapFree {
		from = 0
	}
	if got != kind || parent != from {
		return fmt.Sprintf("the pointer map says kind %d below page %d, and it is kind %d below page %d", got, parent, kind, from)
	}
	return ""
}
