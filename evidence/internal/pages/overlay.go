package pages

import (
	"errors"
	"fmt"
	"io"
)

// Overlay shows a database file with the committed frames of a WAL over it, as SQLite's readers see the two together.
// Whether the WAL belongs to the file is not for it to say.
type Overlay struct {
	main     io.ReaderAt
	mainSize int64
	wal      *WAL
	latest   map[uint32]int64
	size     int64
}

// NewOverlay lays the frames that scan found in wal over the size bytes of main. It refuses a main file that has a
// valid header with another page size; where nothing is committed, it shows main alone.
func NewOverlay(main io.ReaderAt, size int64, wal *WAL, scan *WALScan) (*Overlay, error) {
	o := &Overlay{main: main, mainSize: size, wal: wal, latest: scan.Latest, size: size}
	if scan.Commits == 0 {
		return o, nil
	}
	o.size = int64(scan.Pages) * int64(wal.header.PageSize)
	f, err := Open(main, size)
	switch {
	case errors.Is(err, ErrNotDatabase): // the WAL may bring page 1
	case err != nil:
		return nil, err
	case f.header.PageSize != wal.header.PageSize:
		return nil, fmt.Errorf("lay wal over database: page size is %d, the database has %d", wal.header.PageSize, f.header.PageSize)
	}
	return o, nil
}

// Size gives the length of the database as its readers see it, in bytes.
func (o *Overlay) Size() int64 { return o.size }

// ReadAt reads as io.ReaderAt says. Bytes that neither the WAL nor the main file has are missing from the database, not from the
// reading: the error wraps ErrCorrupt.
func (o *Overlay) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 {
		return 0, fmt.Errorf("read overlay at %d: negative offset", at)
	}
	ps := int64(o.wal.header.PageSize)
	done := 0
	for done < len(b) {
		if at >= o.size {
			return done, io.EOF
		}
		part := b[done:]
		part = part[:min(int64(len(part)), ps-at%ps, o.size-at)]
		n, err := o.readPart(part, uint32(at/ps)+1, at, at%ps)
		done += n
		at += int64(n)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// readPart reads bytes of one page, which stand at offset at of the whole and within of the page.
func (o *Overlay) readPart(b []byte, page uint32, at, within int64) (int, error) {
	if from, ok := o.latest[page]; ok {
		return readFull(o.wal.r, b, from+within)
	}
	if at >= o.mainSize {
		return 0, corrupt(page, "is neither in the write-ahead log nor in the file")
	}
	return readFull(o.main, b, at)
}
