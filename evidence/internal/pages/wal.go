package pages

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	walHeaderSize   = 32
	frameHeaderSize = 24
	walMagic        = 0x377f0682 // the last bit says that checksums read big-endian words
	walVersion      = 3007000
)

// Salts name one generation of a WAL: SQLite changes both each time that it starts the file again.
type Salts struct {
	First  uint32 // one more than in the generation before
	Second uint32 // random
}

// WALHeader is the first 32 bytes of a WAL (file format, section 4.1).
type WALHeader struct {
	BigEndian  bool // checksums read the content as big-endian words
	Version    uint32
	PageSize   int
	Checkpoint uint32 // checkpoint sequence number
	Salts      Salts
	// ChecksumValid is false where SQLite would take the whole WAL for empty.
	ChecksumValid bool
}

// WAL is a write-ahead log opened for reading. The bytes must not change while it is used.
type WAL struct {
	r      io.ReaderAt
	size   int64
	header WALHeader
	seed   checksum // after the header, from which the first frame goes on
}

// OpenWAL reads the header of the size bytes behind r. What is shorter than a header, or has a magic, version or page
// size that SQLite does not read, is an error that wraps ErrNotWAL; a wrong checksum is not, see ChecksumValid.
func OpenWAL(r io.ReaderAt, size int64) (*WAL, error) {
	if size < walHeaderSize {
		return nil, fmt.Errorf("read wal header: %d bytes, want %d: %w", size, walHeaderSize, ErrNotWAL)
	}
	var b [walHeaderSize]byte
	if _, err := readFull(r, b[:], 0); err != nil {
		return nil, fmt.Errorf("read wal header: %w", err)
	}
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	magic := u32(0)
	h := WALHeader{
		BigEndian:  magic&1 != 0,
		Version:    u32(4),
		PageSize:   int(min(u32(8), 1<<20)),
		Checkpoint: u32(12),
		Salts:      Salts{u32(16), u32(20)},
	}
	switch {
	case magic&^1 != walMagic:
		return nil, fmt.Errorf("read wal header: magic is %#x: %w", magic, ErrNotWAL)
	case h.Version != walVersion:
		return nil, fmt.Errorf("read wal header: version is %d: %w", h.Version, ErrNotWAL)
	case !validPageSize(h.PageSize):
		return nil, fmt.Errorf("read wal header: page size is %d: %w", u32(8), ErrNotWAL)
	}
	seed := checksum{}.add(b[:24], h.BigEndian)
	h.ChecksumValid = seed == checksum{u32(24), u32(28)}
	return &WAL{r: r, size: size, header: h, seed: seed}, nil
}

// Header gives the header as it stands in the file.
func (w *WAL) Header() WALHeader { return w.header }

// slots gives the number of whole frames that the file has room for.
func (w *WAL) slots() int64 { return (w.size - walHeaderSize) / w.frameSize() }

func (w *WAL) frameSize() int64 { return int64(w.header.PageSize) + frameHeaderSize }

func (w *WAL) frameAt(i int64) int64 { return walHeaderSize + i*w.frameSize() }

// checksum is the running sum over a WAL (file format, section 4.2).
type checksum struct{ a, b uint32 }

// add takes in b, whose length is a multiple of 8.
func (s checksum) add(b []byte, bigEndian bool) checksum {
	if bigEndian {
		for ; len(b) >= 8; b = b[8:] {
			s.a += binary.BigEndian.Uint32(b) + s.b
			s.b += binary.BigEndian.Uint32(b[4:]) + s.a
		}
		return s
	}
	for ; len(b) >= 8; b = b[8:] {
		s.a += binary.LittleEndian.Uint32(b) + s.b
		s.b += binary.LittleEndian.Uint32(b[4:]) + s.a
	}
	return s
}
