package facts

import (
	"bytes"
	"encoding/json"
)

// marksOf reads model_config. The text comes from Python's encoder, which writes NaN and Infinity, so those count
// as JSON although SQLite's functions refuse them.
func marksOf(text []byte, isNull bool) *Marks {
	if isNull {
		return &Marks{Blank: true}
	}
	if len(text) == 0 {
		return &Marks{Blank: true, EmptyText: true, Malformed: true}
	}
	if !ValidJSON(text) {
		return &Marks{Malformed: true}
	}
	m := &Marks{}
	if !bytes.Contains(text, []byte("_from")) {
		return m
	}
	eachMember(plainJSON(text), func(name, value []byte) {
		switch string(name) {
		case "_branched_from":
			m.Branched, m.HasBranched = jsonText(value), true
		case "_delegate_from":
			m.Delegate, m.HasDelegate = jsonText(value), true
		case "_reset_from":
			m.Reset, m.HasReset = jsonText(value), true
		}
	})
	return m
}

// jsonText is the text of a JSON string, "" for any other value.
func jsonText(value []byte) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// ParseMarks reads the text of a model_config that is not NULL.
func ParseMarks(text []byte) *Marks { return marksOf(text, false) }

// ValidJSON says whether Python's decoder would take text: JSON, with NaN and the infinities as literals.
func ValidJSON(text []byte) bool {
	return json.Valid(text) || json.Valid(plainJSON(text))
}

// plainJSON replaces the literals NaN, Infinity and -Infinity outside strings by null.
func plainJSON(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	out := make([]byte, 0, len(text))
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c, text[i+1])
			i++
			continue
		case c == '"':
			inString = !inString
		case !inString:
			if n := literalLen(text[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

func literalLen(text []byte) int {
	for _, lit := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(lit)) {
			return len(lit)
		}
	}
	return 0
}

// eachMember gives the members of a JSON object, names as they are spelt. text must be valid; a document of another
// kind has none. It is a scan, since a file has thousands of configurations that differ in one marker.
func eachMember(text []byte, fn func(name, value []byte)) {
	i := bytes.IndexByte(text, '{') + 1
	if i == 0 || len(bytes.TrimLeft(text[:i-1], " \t\r\n")) > 0 {
		return
	}
	for {
		for i < len(text) && text[i] != '"' && text[i] != '}' {
			i++
		}
		if i >= len(text) || text[i] == '}' {
			return
		}
		end := stringEnd(text, i)
		name := text[i+1 : end-1]
		for i = end; text[i] != ':'; i++ {
		}
		start := i + 1
		i = valueEnd(text, start)
		fn(name, bytes.TrimSpace(text[start:i]))
	}
}

// stringEnd is the place behind the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueEnd is the place of the comma or brace that ends the value at i.
func valueEnd(text []byte, i int) int {
	for depth := 0; ; i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
}
