package facts

import "bytes"

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

// ParseMarks reads the text of a model_config that is not NULL.
func ParseMarks(text []byte) *Marks { return marksOf(text, false) }
