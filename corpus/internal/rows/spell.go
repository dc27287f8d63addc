package rows

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// bareWord is a text that Parse reads as itself without quotes: no number, no time, no keyword.
var bareWord = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./:-]*$`)

// Word spells a cell so that Parse reads it back: nil, int64, float64, string (text, any bytes) or []byte (a blob). A real
// that is a whole number is spelled like an integer, as which SQLite stores it in a column of reals.
func Word(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		switch {
		case math.IsInf(v, 1):
			return "inf"
		case math.IsInf(v, -1):
			return "-inf"
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []byte:
		return fmt.Sprintf("blob'%x'", v)
	case string:
		switch {
		case !utf8.ValidString(v):
			return fmt.Sprintf("x'%x'", v)
		case bareWord.MatchString(v) && v != "NULL" && v != "inf":
			return v
		}
		return strconv.Quote(v)
	}
	return "NULL"
}
