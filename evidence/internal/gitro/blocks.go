package gitro

import (
	"io"
	"slices"
	"sync/atomic"
)

// blockSize is how much of a pack or an index is read at a time.
const blockSize = 32 << 10

// blockFile is a file that is read in blocks. Mapping it would be less code, but a file that is cut short while it is
// mapped kills the process.
type blockFile struct {
	name string // below the git directory; "" = of no file
	file content
	size int64
	// table holds the blocks of an index, which is asked for ids at random and by all workers: no lock, no order of
	// use, and all is dropped when the budget is spent. nil for a pack.
	table []atomic.Pointer[[]byte]
}

func (f *blockFile) read(index int64, buf []byte) ([]byte, error) {
	buf = buf[:min(blockSize, f.size-index*blockSize)]
	if _, err := f.file.ReadAt(buf, index*blockSize); err != nil {
		if err == io.EOF {
			return nil, corrupt("the file became shorter while it was read")
		}
		return nil, bare(err)
	}
	return buf, nil
}

// indexBlocks bounds what the tables of all indexes hold.
type indexBlocks struct {
	room  int64 // blocks
	held  atomic.Int64
	files []*blockFile // complete before two goroutines read
}

func newIndexBlocks(budget int64) *indexBlocks {
	return &indexBlocks{room: max(budget/blockSize, 32)}
}

// add gives an index its table.
func (b *indexBlocks) add(f *blockFile) {
	f.table = make([]atomic.Pointer[[]byte], (f.size+blockSize-1)/blockSize)
	b.files = append(b.files, f)
}

// drop forgets an index that nothing reads any more.
func (b *indexBlocks) drop(f *blockFile) {
	b.files = slices.DeleteFunc(b.files, func(other *blockFile) bool { return other == f })
}

// get gives a block of an index. It is never written again.
func (b *indexBlocks) get(f *blockFile, index int64) ([]byte, error) {
	if data := f.table[index].Load(); data != nil {
		return *data, nil
	}
	data, err := f.read(index, make([]byte, min(blockSize, f.size-index*blockSize)))
	if err != nil {
		return nil, err
	}
	if b.held.Add(1) > b.room {
		b.held.Store(1)
		for _, f := range b.files {
			for at := range f.table {
				f.table[at].Store(nil)
			}
		}
	}
	f.table[index].Store(&data)
	return data, nil
}

// windowSlots is how many blocks of packs one window keeps: packs are read in their own order.
const windowSlots = 8

// window reads files through blocks for one goroutine.
type window struct {
	indexes *indexBlocks
	slots   [windowSlots]slot
	copied  []byte
	whole   bool // look-ups also find objects that git does not see
}

type slot struct {
	file  *blockFile
	index int64
	data  []byte
}

// at gives want bytes of f from off on, or fewer at its end. The answer is valid until the next call.
func (w *window) at(f *blockFile, off int64, want int) ([]byte, error) {
	if off < 0 || off >= f.size {
		return nil, nil
	}
	want = int(min(int64(want), f.size-off))
	index := off / blockSize
	data, err := w.block(f, index)
	if err != nil {
		return nil, err
	}
	start := int(off - index*blockSize)
	if start+want <= len(data) {
		return data[start : start+want], nil
	}
	w.copied = append(w.copied[:0], data[start:]...)
	for len(w.copied) < want {
		index++
		if data, err = w.block(f, index); err != nil {
			return nil, err
		}
		w.copied = append(w.copied, data[:min(len(data), want-len(w.copied))]...)
	}
	return w.copied, nil
}

func (w *window) block(f *blockFile, index int64) ([]byte, error) {
	if f.table != nil {
		return w.indexes.get(f, index)
	}
	s := &w.slots[index%windowSlots]
	if s.file == f && s.index == index {
		return s.data, nil
	}
	s.file = nil // the memory is used again
	if cap(s.data) < blockSize {
		s.data = make([]byte, blockSize)
	}
	data, err := f.read(index, s.data[:blockSize])
	if err != nil {
		return nil, err
	}
	s.file, s.index, s.data = f, index, data
	return data, nil
}
