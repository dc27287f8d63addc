package pages

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
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

// String names the class as SQLite's typeof() does.
func (k Kind) String() string {
	return [...]string{"null", "integer", "real", "text", "blob"}[k]
}

// Value is one stored cell. Bytes holds the raw bytes of a Text (in the file's encoding) or a Blob and is only valid
// until the callback that received it returns.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
	Bytes []byte
}

// Number gives the cell as a float64. Null gives NaN; Text and Blob give +Inf, because SQLite sorts both
// behind every number.
func (v Value) Number() float64 {
	switch v.Kind {
	case Int:
		return float64(v.Int)
	case Float:
		return v.Float
	case Null:
		return math.NaN()
	}
	return math.Inf(1)
}

// String gives text and blobs byte for byte, numbers in SQLite's spelling, and "" for Null.
func (v Value) String() string {
	switch v.Kind {
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Float:
		return FormatFloat(v.Float)
	case Text, Blob:
		return string(v.Bytes)
	}
	return ""
}

// FormatFloat spells a real the shortest way that reads back the same and never with an exponent below 1e15,
// so that an epoch can be pasted into SQL.
func FormatFloat(f float64) string {
	if math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
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
