package pages

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxPayload is SQLite's default limit for a record, SQLITE_MAX_LENGTH.
const maxPayload = 1_000_000_000

// File is a database opened for reading. Its methods may be called from several goroutines at once, as far as the
// io.ReaderAt allows it. The bytes must not change while it is used.
type File struct {
	r      io.ReaderAt
	header Header
	size   int64
	pages  uint32
	usable int // bytes of a page that hold content

	maxTable, maxIndex, minLocal int // how much of a payload stays on its page

	cursors sync.Pool
}

// Open reads the header of the size bytes behind r. It refuses what ParseHeader refuses; a damaged page is only
// noticed by the walk that meets it.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var b [headerSize]byte
	n, err := readFull(r, b[:min(size, headerSize)], 0)
	if err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	h, err := ParseHeader(b[:n])
	if err != nil {
		return nil, err
	}
	u := h.PageSize - h.Reserved
	f := &File{r: r, header: h, size: size, usable: u}
	f.bounds()
	f.pages = uint32(min(size/int64(h.PageSize), 1<<32-2))
	if h.VersionValid == h.ChangeCounter && h.PageCount != 0 && h.PageCount < f.pages {
		f.pages = h.PageCount
	}
	return f, nil
}

// bounds says how much of a payload stays on its page (file format, section 1.6).
func (f *File) bounds() {
	f.maxTable = f.usable - 35
	f.maxIndex = (f.usable-12)*64/255 - 23
	f.minLocal = (f.usable-12)*32/255 - 23
}

// Header gives the header as it stands in the file.
func (f *File) Header() Header { return f.header }

// Pages gives the number of pages that can be read: what the header says where its count is in force and the file is
// that long, else the whole pages of the file.
func (f *File) Pages() uint32 { return f.pages }

// Truncated tells whether the file is shorter than its header says or ends inside a page.
func (f *File) Truncated() bool {
	if f.size%int64(f.header.PageSize) != 0 {
		return true
	}
	inForce := f.header.VersionValid == f.header.ChangeCounter
	return inForce && int64(f.header.PageCount) > f.size/int64(f.header.PageSize)
}

// read fills buf with one page.
func (f *File) read(page uint32, buf []byte) error {
	if page == 0 || page > f.pages {
		return corrupt(page, "outside the %d pages of the file", f.pages)
	}
	if _, err := readFull(f.r, buf, int64(page-1)*int64(f.header.PageSize)); err != nil {
		return fmt.Errorf("read page %d: %w", page, err)
	}
	return nil
}

// readFull reads len(b) bytes, and takes the end of the file for an error only where bytes are missing.
func readFull(r io.ReaderAt, b []byte, at int64) (int, error) {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
