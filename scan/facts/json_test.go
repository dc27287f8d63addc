package facts

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reader of single members must say what a decoder of the whole object says.
func TestObjectReadsAsADecoderDoes(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a": 1}`, `{"a": "x", "b": null, "c": true, "d": false, "e": -1.5e3}`,
		`{"a": 1, "a": "two"}`, `{"a": {"b": 1}, "a": {"c": 2}}`, `{"\u0061": "escaped name", "b\"": 2, "c\\": [1, "]", {"}": 1}]}`,
		`{"a": "quote \" brace } bracket ] \u00e9 \ud83d\ude00"}`, "{\"a\":\t\"x\"\r\n,\n\"b\" : [ ] }",
		"{\"a\": \"\xff\xfe\", \"\xff\": 1}", `{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN"}`, `{"": "", "a": ""}`,
		`[1]`, `"{}"`, `null`, `12`, `{"a": 1`, `{"a"}`, ``, `{'a': 1}`, `{"a": 1} x`,
	} {
		var want map[string]any
		wantOK := json.Unmarshal(plainJSON([]byte(text)), &want) == nil && want != nil
		doc, ok := parseObject([]byte(text), new(room))
		if ok != wantOK {
			t.Errorf("%q: an object: %v, want %v", text, ok, wantOK)
			continue
		}
		if !ok {
			continue
		}
		got := map[string]any{}
		for name := range want {
			got[name] = doc.get(name)
			if _, there := doc.raw(name); !there && name != "\ufffd" {
				t.Errorf("%q: no member %q", text, name)
			}
		}
		delete(want, "\ufffd") // a name that is not UTF-8 stays as it is
		delete(got, "\ufffd")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if doc.get("absent") != nil {
			t.Errorf("%q: a member that is not there has a value", text)
		}
	}
}
