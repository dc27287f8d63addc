package pages

import (
	"encoding/binary"
	"math"
)

const (
	// maxRecordHeader is SQLite's own bound, from its limit of 32767 columns.
	maxRecordHeader = 98307
	parseAhead      = 16
	// serialSizes holds the length of the content for the serial types below 10.
	serialSizes = "\x00\x01\x02\x03\x04\x06\x08\x08\x00\x00"
)

// Record is one row of a table or one entry of an index: its columns, read when they are asked for. It and all that
// it gave are only valid until the callback that received it returns. It must not be used by two goroutines.
type Record struct {
	page   uint32
	size   int    // whole payload, as declared and no longer than the file
	data   []byte // the payload's beginning, as far as it was read
	next   uint32 // overflow page behind data, 0 at the end
	joined bool   // data is no longer on the b-tree page
	header int    // length of the record header, 0 as long as it was not read
	pos    int    // offset of the next serial type
	end    int    // offset of the next column's content
	fields []field
	err    error

	chain overflow
}

// field is where the content of a column stands in the payload.
type field struct {
	serial, at, end int32
}

// reset points the record at another payload.
func (r *Record) reset(page uint32, local []byte, size int, next uint32) {
	r.page, r.size, r.data, r.next, r.joined = page, size, local, next, false
	r.header = 0
	r.fields = r.fields[:0]
	r.err = nil
}

// Len gives the number of columns that were stored, which may be fewer than the table has today.
func (r *Record) Len() int {
	r.parse(math.MaxInt)
	return len(r.fields)
}

// Err gives the first problem that Column or Len met. The walk returns it too, as soon as the callback is back.
func (r *Record) Err() error { return r.err }

// Column gives the stored value of column i, counted from 0. It is Null where the record has no such column, and
// where it cannot be read, which Err tells apart. Overflow pages are read as far as the column reaches.
func (r *Record) Column(i int) (v Value) {
	r.ColumnTo(i, &v)
	return v
}

// ColumnTo is Column for callers to whom a copy of the value matters.
func (r *Record) ColumnTo(i int, v *Value) {
	if uint(i) >= uint(len(r.fields)) {
		if r.parse(i); uint(i) >= uint(len(r.fields)) {
			*v = Value{}
			return
		}
	}
	r.read(r.fields[i], v)
}

// EachText gives the stored columns that hold text, in order, but for those at which skip is true. Columns of other
// kinds cost only a look at their type.
func (r *Record) EachText(skip []bool, fn func(column int, text []byte)) {
	r.parse(math.MaxInt)
	for i := 0; i < len(r.fields); i++ {
		if fd := r.fields[i]; fd.serial >= 13 && fd.serial&1 == 1 && (i >= len(skip) || !skip[i]) {
			var v Value
			if r.read(fd, &v); v.Kind == Text {
				fn(i, v.Bytes)
			}
		}
	}
}

// prefix is Column for text and blobs of which no more than the first n bytes matter.
func (r *Record) prefix(i, n int) (v Value) {
	if i >= len(r.fields) {
		r.parse(i)
	}
	if uint(i) >= uint(len(r.fields)) {
		return v
	}
	fd := r.fields[i]
	if fd.serial >= 12 && int(fd.end-fd.at) > n {
		fd.end = fd.at + int32(n)
	}
	r.read(fd, &v)
	return v
}

// read decodes one column, which may be the prefix of a text or a blob, into v.
func (r *Record) read(fd field, v *Value) {
	*v = Value{}
	if int(fd.end) > len(r.data) && !r.extend(int(fd.end)) {
		return
	}
	b := r.data[fd.at:fd.end:fd.end]
	switch {
	case fd.serial >= 12:
		v.Kind = Blob - Kind(fd.serial&1)
		v.Bytes = b
	case fd.serial == 0:
	case fd.serial == 7:
		f := math.Float64frombits(binary.BigEndian.Uint64(b))
		if f == f { // else NaN, which SQLite reads as NULL
			v.Kind, v.Float = Float, f
		}
	case fd.serial >= 8:
		v.Kind, v.Int = Int, int64(fd.serial-8)
	default:
		v.Kind, v.Int = Int, integer(b)
	}
}

func contentSize(serial int) int {
	if serial < 12 {
		return int(serialSizes[serial])
	}
	return (serial - 12) / 2
}

func integer(b []byte) int64 {
	switch len(b) {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	}
	v := int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return v
}

// parse reads serial types until column want is known, and some more because the next question will be about them.
// Damage behind want is left to the question that meets it.
func (r *Record) parse(want int) {
	if r.err != nil || r.header == 0 && !r.begin() {
		return
	}
	head, pos, end, fields := r.data[:r.header], r.pos, r.end, r.fields
	ahead := want
	if ahead < math.MaxInt-parseAhead {
		ahead += parseAhead
	}
	size, limit := r.size, 2*uint64(r.size)+13
	problem := ""
	for ahead >= len(fields) && pos < len(head) {
		serial, next := uint64(head[pos]), pos+1
		if serial >= 0x80 {
			serial, next = varint(head, pos)
		}
		if next > len(head) || serial > limit || serial == 10 || serial == 11 {
			problem = "serial type of column %d"
			break
		}
		to := end + contentSize(int(serial))
		if to > size {
			problem = "column %d is longer than its record"
			break
		}
		fields = append(fields, field{int32(serial), int32(end), int32(to)})
		pos, end = next, to
	}
	r.pos, r.end, r.fields = pos, end, fields
	switch {
	case problem != "" && len(fields) <= want:
		r.fail(problem, len(fields))
	case pos == len(head) && end != r.size && len(fields) <= want:
		r.fail("record of %d bytes has columns of %d", r.size, end)
	}
}

// begin reads the length of the header, which never overflows, and brings all of the header into data.
func (r *Record) begin() bool {
	n, pos := varint(r.data, 0)
	if pos > len(r.data) || n < uint64(pos) || n > uint64(r.size) || n > maxRecordHeader {
		r.fail("record header of %d bytes", n)
		return false
	}
	r.header, r.pos, r.end = int(n), pos, int(n)
	return r.header <= len(r.data) || r.extend(r.header)
}

func (r *Record) fail(format string, args ...any) {
	r.fields = r.fields[:0]
	r.err = corrupt(r.page, format, args...)
}
