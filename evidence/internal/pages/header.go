package pages

import (
	"encoding/binary"
	"fmt"
)

const (
	headerSize  = 100
	headerMagic = "SQLite format 3\x00"
)

// Header is the first 100 bytes of a database file (file format, section 1.3), as they stand there.
type Header struct {
	PageSize       int   // bytes, a power of two in 512..65536
	WriteVersion   uint8 // 1 rollback journal, 2 WAL; more means that SQLite only reads the file
	ReadVersion    uint8 // 1 rollback journal, 2 WAL
	Reserved       int   // bytes left unused at the end of each page
	ChangeCounter  uint32
	PageCount      uint32 // as the header says; see File.Pages for what holds
	FreelistHead   uint32 // first trunk page, 0 for none
	FreelistCount  uint32 // free pages, trunks included
	SchemaCookie   uint32
	SchemaFormat   uint32 // 1..4; 0 where nothing was ever created
	CacheSize      uint32
	LargestRoot    uint32 // not 0 only under auto_vacuum
	Encoding       Encoding
	UserVersion    uint32
	Incremental    uint32 // not 0 under auto_vacuum=incremental
	ApplicationID  uint32
	VersionValid   uint32 // the change counter at which PageCount and LibraryVersion were written
	LibraryVersion uint32 // SQLite's version number, such as 3040001
}

// ParseHeader reads the first 100 bytes of a database file. It refuses, with an error that wraps ErrNotDatabase, what
// SQLite refuses too: a wrong magic, page size, payload fraction or read version. On an error about a field behind the
// magic the Header still holds what was read.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < headerSize {
		return Header{}, fmt.Errorf("read header: %d bytes, want %d: %w", len(b), headerSize, ErrNotDatabase)
	}
	if string(b[:len(headerMagic)]) != headerMagic {
		return Header{}, fmt.Errorf("read header: magic is %q: %w", b[:len(headerMagic)], ErrNotDatabase)
	}
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	h := Header{
		PageSize:       int(binary.BigEndian.Uint16(b[16:])),
		WriteVersion:   b[18],
		ReadVersion:    b[19],
		Reserved:       int(b[20]),
		ChangeCounter:  u32(24),
		PageCount:      u32(28),
		FreelistHead:   u32(32),
		FreelistCount:  u32(36),
		SchemaCookie:   u32(40),
		SchemaFormat:   u32(44),
		CacheSize:      u32(48),
		LargestRoot:    u32(52),
		Encoding:       Encoding(u32(56)),
		UserVersion:    u32(60),
		Incremental:    u32(64),
		ApplicationID:  u32(68),
		VersionValid:   u32(92),
		LibraryVersion: u32(96),
	}
	if h.PageSize == 1 { // 65536 does not fit the field
		h.PageSize = 65536
	}
	return h, h.check(b[21:24])
}

// check refuses values under which no page could be read.
func (h Header) check(fractions []byte) error {
	switch {
	case !validPageSize(h.PageSize):
		return fmt.Errorf("read header: page size is %d: %w", h.PageSize, ErrNotDatabase)
	case h.PageSize-h.Reserved < 480:
		return fmt.Errorf("read header: %d of %d bytes of a page are reserved: %w", h.Reserved, h.PageSize, ErrNotDatabase)
	case string(fractions) != "\x40\x20\x20":
		return fmt.Errorf("read header: payload fractions are %d: %w", fractions, ErrNotDatabase)
	case h.ReadVersion > 2:
		return fmt.Errorf("read header: read version is %d: %w", h.ReadVersion, ErrNotDatabase)
	case h.SchemaFormat > 4:
		return fmt.Errorf("read header: schema format is %d: %w", h.SchemaFormat, ErrNotDatabase)
	case h.Encoding > UTF16BE:
		return fmt.Errorf("read header: text encoding is %d: %w", h.Encoding, ErrNotDatabase)
	}
	return nil
}

func validPageSize(n int) bool { return n >= 512 && n <= 65536 && n&(n-1) == 0 }
