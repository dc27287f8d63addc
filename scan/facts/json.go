package facts

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// object is a JSON object of which few members are asked for: nothing is decoded before that.
type object []member

type member struct{ name, value []byte }

// room is for the members that an object of the product has; a caller's own array saves the heap.
type room [20]member

// parseObject reads a JSON object as Python's decoder would. ok is false for text of any other kind.
func parseObject(text []byte, r *room) (o object, ok bool) {
	text = plainJSON(text)
	if !json.Valid(text) {
		return nil, false
	}
	return objectOf(text, r)
}

// objectOf is parseObject for text that is known to be JSON.
func objectOf(text []byte, r *room) (o object, ok bool) {
	if text = bytes.TrimLeft(text, " \t\r\n"); len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	o = r[:0]
	eachMember(text, func(name, value []byte) {
		if bytes.IndexByte(name, '\\') >= 0 {
			quoted := append(append([]byte{'"'}, name...), '"')
			name = []byte(jsonText(quoted))
		}
		o = append(o, member{name, value})
	})
	return o, true
}

// raw gives the text of a member; of two with one name the last counts, as it does for Python.
func (o object) raw(name string) (value []byte, ok bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].name) == name {
			return o[i].value, true
		}
	}
	return nil, false
}

// get gives the value of a member, nil where there is none.
func (o object) get(name string) any {
	value, ok := o.raw(name)
	if !ok {
		return nil
	}
	switch value[0] {
	case 'n':
		return nil
	case 't', 'f':
		return value[0] == 't'
	case '"':
		if text := value[1 : len(value)-1]; bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
			return string(text)
		}
	}
	var v any
	if json.Unmarshal(value, &v) != nil {
		return nil // a number beyond all bounds
	}
	return v
}

func (o object) text(name string) string { return textOf(o.get(name)) }

// jsonText is the text of a JSON string, "" for any other value.
func jsonText(value []byte) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
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
