package pages

import (
	"encoding/binary"
	"unicode/utf16"
)

// Encoding is the text encoding of a database, as its header spells it.
type Encoding uint32

// The encodings that SQLite knows. A database in which nothing was ever created has 0, which reads as UTF8.
const (
	UTF8    Encoding = 1
	UTF16LE Encoding = 2
	UTF16BE Encoding = 3
)

// Decode gives stored text as a UTF-8 string. Under UTF8 it is the bytes as they are, valid or not; from UTF-16,
// lone surrogates become U+FFFD and an odd last byte is dropped.
func (e Encoding) Decode(b []byte) string {
	var order binary.ByteOrder
	switch e {
	case UTF16LE:
		order = binary.LittleEndian
	case UTF16BE:
		order = binary.BigEndian
	default:
		return string(b)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}
