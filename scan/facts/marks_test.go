package facts

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarks(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want Marks
	}{
		"empty text":        {"", Marks{Blank: true, EmptyText: true, Malformed: true}},
		"torn":              {`{"_delegate_from": "a`, Marks{Malformed: true}},
		"no marker":         {`{"model": "m", "nested": {"_branched_from": "x"}}`, Marks{}},
		"markers":           {`{"a": [1, {"b": "}"}], "_branched_from" : "b", "_delegate_from":"d","_reset_from":"r"}`, Marks{Branched: "b", HasBranched: true, Delegate: "d", HasDelegate: true, Reset: "r", HasReset: true}},
		"null marker":       {`{"_branched_from": null}`, Marks{HasBranched: true}},
		"a number":          {`{"_delegate_from": 7}`, Marks{HasDelegate: true}},
		"escaped value":     {`{"_reset_from": "a\"b\u0041"}`, Marks{Reset: `a"bA`, HasReset: true}},
		"Python's literals": {`{"x": NaN, "y": -Infinity, "_delegate_from": "NaN"}`, Marks{Delegate: "NaN", HasDelegate: true}},
		"an array":          {`["_branched_from", "x"]`, Marks{}},
		"a string":          {`"_branched_from"`, Marks{}},
		"space around":      {" \n{ \"_reset_from\" :\t\"r\" }\n", Marks{Reset: "r", HasReset: true}},
	} {
		if diff := cmp.Diff(&tt.want, ParseMarks([]byte(tt.text))); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tt.text, diff)
		}
	}
	if m := marksOf(nil, true); !m.Blank || m.Malformed || m.EmptyText {
		t.Errorf("NULL: %+v", m)
	}
}

// FuzzMarks holds the scan for members against the decoder: whatever is valid, both see the same markers.
func FuzzMarks(f *testing.F) {
	for _, seed := range []string{`{"_branched_from":"a","b":{"c":[1,"]"]}}`, `{"a":NaN}`, `{}`, `[{"_reset_from":1}]`, `{"_delegate_from":"\\","x":"\""}`, `"_from"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m := ParseMarks(text)
		var doc map[string]json.RawMessage
		if json.Unmarshal(text, &doc) != nil || doc == nil {
			return
		}
		if m.Malformed {
			t.Fatalf("%q is JSON", text)
		}
		_, branched := doc["_branched_from"]
		_, delegate := doc["_delegate_from"]
		_, reset := doc["_reset_from"]
		if branched && !m.HasBranched && !escaped(text) || delegate && !m.HasDelegate && !escaped(text) || reset && !m.HasReset && !escaped(text) {
			t.Fatalf("%q: %+v", text, m)
		}
		if m.HasBranched && !branched || m.HasDelegate && !delegate || m.HasReset && !reset {
			t.Fatalf("%q has no such member: %+v", text, m)
		}
	})
}

// escaped says that a name may be spelt with escapes, which the product's encoder never does to a plain one.
func escaped(text []byte) bool {
	for _, c := range text {
		if c == '\\' {
			return true
		}
	}
	return false
}
