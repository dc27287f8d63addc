package witness

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// LineLimit is the longest line that is looked at, in bytes; the product's own lines are a few hundred bytes long.
const LineLimit = 64 << 10

// Lines cuts a stream of blocks into lines. The zero value begins a file; Each is called with every whole line.
type Lines struct {
	Number   int    // of the line that was given last, counted from 1
	Long     int    // lines left out because they are longer than LineLimit
	Encoding string // as iconv names it: UTF-16 by its byte-order mark, UTF-16LE or UTF-16BE by its first characters; "" = bytes
	Foreign  int    // lines that are no UTF-8: they are read byte by byte
	Zeros    int    // lines with NUL bytes: of a file that was zeroed in part, or in an encoding that is not read

	carry []byte // the beginning of a line whose end is in the next block
	skip  bool   // inside a line that is too long
	begun bool
	order binary.ByteOrder // of a wide file
	odd   []byte           // a byte whose other half, or a half of a pair, is in the next block
	buf   []byte
}

// Write takes the next block and calls each with the lines that end in it, without their ends. The first block holds at
// least four bytes, or the whole file.
func (l *Lines) Write(block []byte, each func(line []byte)) {
	if !l.begun {
		l.begin(&block)
	}
	if l.Encoding != "" {
		block = l.narrow(block)
	}
	for {
		n := bytes.IndexByte(block, '\n')
		if n < 0 {
			break
		}
		line := block[:n]
		block = block[n+1:]
		l.Number++
		switch {
		case l.skip:
			l.skip, l.carry = false, l.carry[:0]
			continue
		case len(l.carry) > 0:
			l.carry = append(l.carry, line...)
			line = l.carry
			l.carry = l.carry[:0]
		}
		l.give(line, each)
	}
	if l.skip {
		return
	}
	if len(l.carry)+len(block) > LineLimit {
		l.skip, l.carry = true, l.carry[:0]
		l.Long++
		return
	}
	l.carry = append(l.carry, block...)
}

// Close gives the last line where no line end follows it: it may be cut, and is read for what it is.
func (l *Lines) Close(each func(line []byte)) {
	if l.skip || len(l.carry) == 0 {
		return
	}
	l.Number++
	l.give(l.carry, each)
}

func (l *Lines) give(line []byte, each func([]byte)) {
	if len(line) > LineLimit {
		l.Long++
		return
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		l.Zeros++
	case !utf8.Valid(line):
		l.Foreign++
	}
	each(line)
}

// begin looks for a byte-order mark. A rotated file has none where the one before it was cut off in UTF-16: a line begins with
// digits, of which every other byte is NUL then.
func (l *Lines) begin(block *[]byte) {
	l.begun = true
	switch b := *block; {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		l.Encoding, l.order, *block = "UTF-16", binary.LittleEndian, b[2:]
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		l.Encoding, l.order, *block = "UTF-16", binary.BigEndian, b[2:]
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		*block = b[3:]
	case len(b) >= 4 && b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		l.Encoding, l.order = "UTF-16LE", binary.LittleEndian
	case len(b) >= 4 && b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		l.Encoding, l.order = "UTF-16BE", binary.BigEndian
	}
}

// narrow turns UTF-16 into UTF-8.
func (l *Lines) narrow(block []byte) []byte {
	in := append(l.odd, block...)
	l.buf = l.buf[:0]
	for len(in) >= 2 {
		r := rune(l.order.Uint16(in))
		if utf16.IsSurrogate(r) {
			if len(in) < 4 {
				break
			}
			if pair := utf16.DecodeRune(r, rune(l.order.Uint16(in[2:]))); pair != utf8.RuneError {
				l.buf, in = utf8.AppendRune(l.buf, pair), in[4:]
				continue
			}
		}
		l.buf, in = utf8.AppendRune(l.buf, r), in[2:]
	}
	l.odd = append([]byte(nil), in...)
	return l.buf
}
