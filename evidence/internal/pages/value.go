package pages

import (
	"bytes"
	"cmp"
	"math"
)

// Kind is the storage class of a Value.
type Kind uint8

// The five storage classes, in the order in which SQLite sorts them (integers and reals compare as numbers).
const (
	Null Kind = iota
	Int
	Float
	Text
	Blob
)

// Value is one stored cell. Bytes holds the raw bytes of a Text (in the file's encoding) or a Blob and is only valid
// until the callback that received it returns.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
	Bytes []byte
}

// compare orders two values as an ascending index with the BINARY collation does.
func compare(a, b *Value) int {
	ra, rb := rank(a.Kind), rank(b.Kind)
	if ra != rb {
		return cmp.Compare(ra, rb)
	}
	switch {
	case a.Kind >= Text:
		return bytes.Compare(a.Bytes, b.Bytes)
	case a.Kind == Null:
		return 0
	case a.Kind == Int && b.Kind == Int:
		return cmp.Compare(a.Int, b.Int)
	case a.Kind == Int:
		return compareIntFloat(a.Int, b.Float)
	case b.Kind == Int:
		return -compareIntFloat(b.Int, a.Float)
	}
	return cmp.Compare(a.Float, b.Float)
}

// rank puts both kinds of number in one class.
func rank(k Kind) Kind {
	if k == Int {
		return Float
	}
	return k
}

// compareIntFloat compares without rounding the integer, which has more digits than a float64 holds.
func compareIntFloat(i int64, f float64) int {
	switch {
	case f != f:
		return 1
	case f < -0x1p63:
		return 1
	case f >= 0x1p63:
		return -1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}
