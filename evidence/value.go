package evidence

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the storage class of a cell, which in SQLite belongs to the value and not to the column.
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

// Value is one cell. Bytes holds the raw bytes of a Text or Blob, which may be invalid UTF-8 or hold NUL,
// and is only valid until the callback that received it returns.
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

// Quote spells s as an SQL literal that reads back as the same bytes: a plain string, or a cast blob where s
// is not UTF-8 or holds anything invisible (controls, bidi marks, zero-width characters), so that the statement can
// be pasted anywhere.
func Quote(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) }) < 0 {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return fmt.Sprintf("CAST(X'%x' AS TEXT)", s)
}

// QuoteName spells an identifier so that it is one in any SQL statement.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
