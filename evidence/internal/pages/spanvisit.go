package pages

import (
	"encoding/binary"
	"math"
)

// spanVisitor groups entries as they come and hands over each group when the next begins.
type spanVisitor struct {
	c    *cursor
	q    SpanQuery
	add  func(*Span) error
	span Span   // its key lives in key
	key  []byte // of the group at hand
}

func (v *spanVisitor) flush() error {
	if v.span.Count == 0 {
		return nil
	}
	return v.add(&v.span)
}

func (v *spanVisitor) cells(n *node, from, to int) error {
	for i := v.plain(n, from, to); i < to; i = v.plain(n, i+1, to) {
		rec := &v.c.rec
		if err := n.index(v.c.f, i, rec); err != nil {
			return err
		}
		key, number := rec.Column(0), rec.Column(v.q.Column)
		if rec.err != nil {
			return rec.err
		}
		if err := v.begin(n, &key); err != nil {
			return err
		}
		v.count(&number)
	}
	return nil
}

// plain counts the entries that nearly all are: small, with a text that continues the group at hand and a float in
// bounds. It stops at the first that is not, damaged ones included, counts nothing of it, and gives its place.
func (v *spanVisitor) plain(n *node, from, to int) int {
	s, key := &v.span, v.key
	serial := 13 + 2*len(key) // of the group's own text
	if s.Key.Kind != Text || v.q.Column != 1 || serial >= 0x80 {
		return from
	}
	b, low, high, most := n.body, v.q.Low, v.q.High, min(v.c.f.maxIndex, 0x7f)
	skip := 0
	if n.kind == indexInterior {
		skip = 4
	}
	first, last := s.Min, s.Max
	if s.Numbers == 0 {
		first, last = math.Inf(1), math.Inf(-1)
	}
	pointers := b[n.ptrs+2*from : n.ptrs+2*to]
	content := n.ptrs + 2*n.cells
	i := from
	for ; len(pointers) >= 2; pointers = pointers[2:] {
		at := int(binary.BigEndian.Uint16(pointers))
		if at < content || at+skip+4 > len(b) {
			break
		}
		cell := b[at+skip:]
		size, header := int(cell[0]), int(cell[1])
		if size > most || header < 3 || header >= 0x80 || int(cell[2]) != serial || cell[3] != 7 || size+1 > len(cell) {
			break
		}
		text := cell[1:][:size]
		if header+len(key)+8 > len(text) {
			break
		}
		text = text[header:]
		f := math.Float64frombits(binary.BigEndian.Uint64(text[len(key):]))
		if string(text[:len(key)]) != string(key) || !(f >= low && f <= high) {
			break
		}
		if f < first {
			first = f
		}
		if f > last {
			last = f
		}
		i++
	}
	if i > from {
		s.Count += int64(i - from)
		s.Numbers += int64(i - from)
		s.Min, s.Max = first, last
	}
	return i
}

// begin makes key the group at hand.
func (v *spanVisitor) begin(n *node, key *Value) error {
	if v.span.Count > 0 {
		switch c := compare(&v.span.Key, key); {
		case c == 0:
			return nil
		case c > 0:
			return corrupt(n.page, "keys of the index are out of order")
		}
		if err := v.add(&v.span); err != nil {
			return err
		}
	}
	v.key = append(v.key[:0], key.Bytes...)
	v.span = Span{Key: *key}
	v.span.Key.Bytes = v.key
	return nil
}

// count adds one entry with this number to the group at hand.
func (v *spanVisitor) count(number *Value) {
	s := &v.span
	s.Count++
	f := number.Float
	switch number.Kind {
	case Null:
		s.Nulls++
		return
	case Text, Blob:
		s.Others++
		return
	case Int:
		f = float64(number.Int)
	}
	if !(f >= v.q.Low && f <= v.q.High) {
		s.Outside++
		return
	}
	s.number(f)
}

// number takes a number in bounds into the sums.
func (s *Span) number(f float64) {
	if f < s.Min || s.Numbers == 0 {
		s.Min = f
	}
	if f > s.Max || s.Numbers == 0 {
		s.Max = f
	}
	s.Numbers++
}
