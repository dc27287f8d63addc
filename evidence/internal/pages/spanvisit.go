package pages

import (
	"bytes"
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
	for i := from; i < to; i++ {
		if v.plain(n, i) {
			continue
		}
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

// plain counts the entry that nearly all are: small, with a text that continues the group at hand and a float in
// bounds. It counts nothing and returns false for every other, damaged ones included.
func (v *spanVisitor) plain(n *node, i int) bool {
	b := n.body
	at := n.cell(i)
	if at == 0 || v.span.Key.Kind != Text || v.q.Column != 1 {
		return false
	}
	if n.kind == indexInterior {
		at += 4
	}
	if at+4 > len(b) {
		return false
	}
	size, header, text, number := int(b[at]), int(b[at+1]), int(b[at+2]), b[at+3]
	if (size|header|text) >= 0x80 || size > v.c.f.maxIndex || header < 3 || number != 7 || text < 13 || text&1 == 0 {
		return false
	}
	at++
	end := at + size
	from := at + header
	to := from + (text-13)/2
	if to+8 > end || end > len(b) {
		return false
	}
	if !bytes.Equal(b[from:to], v.key) {
		return false
	}
	f := math.Float64frombits(binary.BigEndian.Uint64(b[to:]))
	if !(f >= v.q.Low && f <= v.q.High) {
		return false
	}
	v.span.Count++
	v.span.number(f)
	return true
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
