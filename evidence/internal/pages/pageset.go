package pages

import "sync/atomic"

const chunkPages = 1 << 15

// pageSet is a set of page numbers that several goroutines may fill. It takes memory only near numbers that were
// added, so that a sparse file cannot make it large.
type pageSet struct {
	chunks []atomic.Pointer[pageChunk]
}

type pageChunk [chunkPages / 64]atomic.Uint64

func newPageSet(pages uint32) *pageSet {
	return &pageSet{chunks: make([]atomic.Pointer[pageChunk], pages/chunkPages+1)}
}

// add puts a page in and tells whether it is new. The page must not be beyond the number that the set was made for.
func (s *pageSet) add(page uint32) bool {
	slot := &s.chunks[page/chunkPages]
	c := slot.Load()
	if c == nil {
		slot.CompareAndSwap(nil, new(pageChunk))
		c = slot.Load()
	}
	bit := uint64(1) << (page % 64)
	return c[page%chunkPages/64].Or(bit)&bit == 0
}
