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
	var doc map[string]any
	if json.Unmarshal(plainJSON(text), &doc) != nil {
		return m // an array or a scalar is JSON and carries no marker
	}
	m.Branched, m.HasBranched = marker(doc, "_branched_from")
	m.Delegate, m.HasDelegate = marker(doc, "_delegate_from")
	m.Reset, m.HasReset = marker(doc, "_reset_from")
	return m
}

// ParseMarks reads the text of a model_config that is not NULL.
func ParseMarks(text []byte) *Marks { return marksOf(text, false) }

func marker(doc map[string]any, name string) (string, bool) {
	v, ok := doc[name]
	s, _ := v.(string)
	return s, ok
}

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
