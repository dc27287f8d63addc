package bundle

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// veil replaces what is private and remembers the words that it saw.
type veil struct {
	maker *pseudonym.Maker
	shift int64 // seconds that times are moved by
	seed  maphash.Seed
	seen  map[uint64]struct{} // hashes of the source's words that are long enough to tell something
	full  bool                // seenLimit was reached

	projects map[string]string                       // ids of projects, and what they are in the skeleton
	ids      map[evidence.ObjectID]evidence.ObjectID // checkpoints, likewise
	stamps   map[string]time.Time                    // files and folders whose time counts
}

// seenLimit is how many words are remembered: some tens of megabytes.
const seenLimit = 4 << 20

// telling is how many characters a word must have to tell something.
const telling = 4

func newVeil(key pseudonym.Key, shift int64) *veil {
	m := pseudonym.New(key, pseudonym.Fixed())
	m.Shift(shift)
	return &veil{maker: m, shift: shift, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{},
		projects: map[string]string{}, ids: map[evidence.ObjectID]evidence.ObjectID{}, stamps: map[string]time.Time{}}
}

// see remembers the words of a private text.
func (v *veil) see(s string) {
	pseudonym.Map(s, func(w string) string {
		if len(w) < telling || v.maker.Keeps(w) {
			return w
		}
		if len(v.seen) >= seenLimit {
			v.full = true
			return w
		}
		v.seen[maphash.String(v.seed, w)] = struct{}{}
		return w
	})
}

// saw says whether the source had the word.
func (v *veil) saw(w string) bool {
	_, is := v.seen[maphash.String(v.seed, w)]
	return is
}

// name replaces the words of a name, key or path. A time in ISO form stays one.
func (v *veil) name(s string) string {
	if t, ok := v.iso(s); ok {
		return t
	}
	v.see(s)
	return v.maker.Name(s)
}

// isoForms are the spellings of times in routing entries (spec/state-db.md 1.4).
var isoForms = []string{
	"2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04", "2006-01-02",
}

func (v *veil) iso(s string) (string, bool) {
	if len(s) < len("2006-01-02") || s[4] != '-' {
		return "", false
	}
	for _, form := range isoForms {
		if t, err := time.Parse(form, s); err == nil {
			if v.shift == 0 {
				return s, true
			}
			return t.Add(time.Duration(v.shift) * time.Second).Format(form), true
		}
	}
	return "", false
}

// text gives a stand-in for a text: equal for equal ones, of its length in bytes where that is not below 14, since shorter
// ones could not all be told apart, and no UTF-8 where it is none. The mark of multi-part content stays (spec/state-db.md 3.2).
func (v *veil) text(s string) string {
	if s == "" {
		return s
	}
	mark := ""
	if rest, ok := strings.CutPrefix(s, "\x00json:"); ok {
		mark, s = "\x00json:", rest
	}
	v.see(s)
	out := v.maker.Digest(s)
	if n := len(s) - len(out); n > 0 {
		out += strings.Repeat(".", n)
	}
	if !utf8.ValidString(s) {
		out += "\xff"
	}
	return mark + out
}

// document replaces the strings of a JSON text and leaves its form as it is. What Python would not decode stays so.
func (v *veil) document(s string) string {
	if s == "" {
		return s
	}
	valid := scan.ValidJSON([]byte(s))
	out := v.json(s)
	if !valid || !scan.ValidJSON([]byte(out)) {
		v.see(s)
		out = v.maker.Name(s)
		if scan.ValidJSON([]byte(out)) { // a spelling that was wrong came out right
			out = "{" + out
		}
	}
	return out
}

// json walks the text: strings are names, and numbers stay where a member of the product holds a number.
func (v *veil) json(s string) string {
	var b strings.Builder
	member := ""
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := i + 1
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) {
				b.WriteString(v.maker.Name(s[i:]))
				return b.String()
			}
			end++
			var text string
			if json.Unmarshal([]byte(s[i:end]), &text) != nil {
				b.WriteString(`"` + v.name(s[i+1:end-1]) + `"`)
				i = end
				continue
			}
			rest := strings.TrimLeft(s[end:], " \t\r\n")
			if strings.HasPrefix(rest, ":") {
				member = text
			}
			b.WriteString(quote(v.name(text)))
			i = end
		case c >= '0' && c <= '9':
			end := i
			for end < len(s) && strings.IndexByte("0123456789.eE+-", s[end]) >= 0 {
				end++
			}
			b.WriteString(v.number(member, s[i:end]))
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// number replaces the digits of an id that is written as a number, and of members that the product does not have.
func (v *veil) number(member, digits string) string {
	if len(digits) < telling || v.maker.Keeps(member) && !strings.HasSuffix(member, "_id") && !strings.HasSuffix(member, "_alt") {
		return digits
	}
	v.see(digits)
	whole, _, _ := strings.Cut(digits, ".")
	return v.maker.Word(whole)
}

func quote(s string) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""`
	}
	return strings.TrimRight(buf.String(), "\n")
}

// epoch moves a time; what does not count as one stays (spec/state-db.md 7.0).
func (v *veil) epoch(t float64) float64 {
	if t >= 1 && t <= 4.2e9 {
		return t + float64(v.shift)
	}
	return t
}
