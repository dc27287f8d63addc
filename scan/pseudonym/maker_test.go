package pseudonym_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

func maker(key byte) *pseudonym.Maker {
	return pseudonym.New(pseudonym.Key{key}, pseudonym.Fixed())
}

func TestNameKeepsItsShape(t *testing.T) {
	m := maker(1)
	id := m.Name("20260801_101112_ab12cd34")
	for _, c := range []struct {
		what, in string
		ok       func(out string) bool
	}{
		{"a key keeps its layout and its platform", "agent:main:telegram:dm:77001", func(s string) bool {
			return strings.HasPrefix(s, "agent:main:telegram:dm:9") && len(s) == len("agent:main:telegram:dm:")+12
		}},
		{"an id keeps its moment and its length", "20260801_101112_ab12cd34", func(s string) bool {
			return strings.HasPrefix(s, "20260801_101112_") && len(s) == 24
		}},
		{"what is no moment does not stay", "20269901_101112_ab12cd34", func(s string) bool { return !strings.Contains(s, "2026") }},
		{"the same id in another text is the same", `{"_reset_from": "20260801_101112_ab12cd34"}`, func(s string) bool {
			return s == `{"_reset_from": "`+id+`"}`
		}},
		{"an abbreviation begins the whole", "0123456789abcdef0123456789abcdef01234567", func(s string) bool {
			return len(s) == 40 && strings.HasPrefix(s, m.Name("01234567")[:0]+m.Name("0123456789ab")[:12])
		}},
		{"a path keeps its depth", "/home/anna smith/notes.txt", func(s string) bool {
			return strings.Count(s, "/") == 3 && strings.HasSuffix(s, ".txt") && !strings.Contains(s, "anna") && !strings.Contains(s, "smith")
		}},
		{"emoji are words", "🍕🍕🍕🍕", func(s string) bool { return !strings.Contains(s, "🍕") }},
		{"marks alone are a word", "!!!!!", func(s string) bool { return !strings.Contains(s, "!") }},
		{"what is not UTF-8 stays so", "Ann\xe9 K", func(s string) bool { return !utf8.ValidString(s) && !strings.Contains(s, "Ann") }},
		{"a pseudonym is its own", m.Name("Anna"), func(s string) bool { return s == m.Name("Anna") }},
	} {
		if got := m.Name(c.in); !c.ok(got) {
			t.Errorf("%s: %q became %q", c.what, c.in, got)
		}
	}
	if maker(1).Name("Anna") != m.Name("Anna") || maker(2).Name("Anna") == m.Name("Anna") {
		t.Error("the key does not decide the pseudonym")
	}
	if a, b := m.Name("Ann\xe9"), m.Name("Ann\xe8"); a == b {
		t.Error("two names that are not UTF-8 became one")
	}
}

// Whatever a name holds, no word of it that is long enough to tell anything survives.
func TestNameHidesEveryWord(t *testing.T) {
	keep, random := pseudonym.Fixed(), rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("abcdefABZ0123456789_-:/.@ \"'\x00éßж李🍕\u202e!\n")
	m := maker(3)
	for range 5000 {
		name := make([]rune, random.IntN(40))
		for i := range name {
			name[i] = alphabet[random.IntN(len(alphabet))]
		}
		s := string(name)
		out := m.Name(s)
		if again := m.Name(out); again != out {
			t.Fatalf("%q became %q, and that %q", s, out, again)
		}
		pseudonym.Map(s, func(w string) string {
			if utf8.RuneCountInString(w) >= 4 && !keep[w] && strings.Contains(out, w) {
				t.Fatalf("%q of %q is in %q", w, s, out)
			}
			return w
		})
	}
}
