package evidence

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// Kind is the storage class of a cell, which in SQLite belongs to the value and not to the column.
type Kind = pages.Kind

// The five storage classes, in the order in which SQLite sorts them (integers and reals compare as numbers).
const (
	Null  = pages.Null
	Int   = pages.Int
	Float = pages.Float
	Text  = pages.Text
	Blob  = pages.Blob
)

// Value is one cell. Bytes holds the raw bytes of a Text or Blob, which may be invalid UTF-8 or hold NUL,
// and is only valid until the callback that received it returns.
type Value = pages.Value

// FormatFloat spells a real so that it can be pasted into SQL and reads back the same.
func FormatFloat(f float64) string { return pages.FormatFloat(f) }

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
