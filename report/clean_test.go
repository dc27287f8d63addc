package report_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "agent:main:telegram:dm:123", "agent:main:telegram:dm:123"},
		{"chinese", "会话 重启", "会话 重启"},
		{"ideographic space", "会话\u3000重启", "会话\u3000重启"},
		{"accents, composed and not", "é e\u0301", "é e\u0301"},
		{"backslash stays", `C:\state.db`, `C:\state.db`},
		{"escape sequence", "\x1b[2J\x1b]0;title\a", `\x1b[2J\x1b]0;title\x07`},
		{"carriage return, newline, tab", "a\r\nb\tc", `a\r\nb\tc`},
		{"backspace, NUL, DEL", "a\b\x00\x7f", `a\x08\x00\x7f`},
		{"C1 control sequence introducer", "\u009b31m", `\u009b31m`},
		{"bidi overrides", "\u202aa\u202bb\u202cc\u202dd\u202ee", `\u202aa\u202bb\u202cc\u202dd\u202ee`},
		{"bidi isolates", "\u2066\u2067\u2068\u2069", `\u2066\u2067\u2068\u2069`},
		{"bidi marks", "\u200e\u200f\u061c", `\u200e\u200f\u061c`},
		{"zero width", "\u200b\u200c\u200d\u2060\ufeff\u00ad", `\u200b\u200c\u200d\u2060\ufeff\u00ad`},
		{"line and paragraph separators", "\u2028\u2029\u0085", `\u2028\u2029\u0085`},
		{"no-break and odd spaces", "a\u00a0b\u2003c", `a\u00a0b\u2003c`},
		{"tag characters", "\U000e0041", `\U000e0041`},
		{"variation selectors", "❤\ufe0f \U000e0100", `❤\ufe0f \U000e0100`},
		{"fillers that show nothing", "\u3164\u115f\uffa0\u2800\u034f", `\u3164\u115f\uffa0\u2800\u034f`},
		{"private use and noncharacter", "\ue000\uffff", `\ue000\uffff`},
		{"broken bytes", "a\xff\xc3", `a\xff\xc3`},
		{"lone surrogates", "\xed\xa0\x80\xed\xbf\xbf", `\ud800\udfff`},
		{"half of a surrogate", "\xed\xa0", `\xed\xa0`},
		{"overlong slash", "\xc0\xaf", `\xc0\xaf`},
		{"mark with nothing before it", "\u0301a", `\u0301a`},
		{"mark after an escape", "\n\u0301", `\n\u0301`},
		{"pile of marks", "a" + strings.Repeat("\u0301", 6), "a" + strings.Repeat("\u0301", 4) + `\u0301\u0301`},
		{"mark that hides", "a\u17b4", `a\u17b4`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, report.Clean(c.in, 200)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestCleanLimit(t *testing.T) {
	for _, c := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"fits exactly", "abcd", 4, "abcd"},
		{"one too many", "abcde", 4, "abcd… (+1 byte)"},
		{"an escape is not split", "abc\x1b", 4, "abc… (+1 byte)"},
		{"wide text counts runes", "会话重启", 2, "会话… (+6 bytes)"},
		{"a flood", strings.Repeat("x", 2000), 3, "xxx… (+1,997 bytes)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := report.Clean(c.in, c.limit); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\x1b[0m", "\u202e\xff", "\xed\xa0\x80", "a\u0301\u0301", strings.Repeat("会", 99)} {
		f.Add(s, 50)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(1, min(limit, 10_000))
		got := report.Clean(s, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if n := utf8.RuneCountInString(got); n > limit+40 {
			t.Fatalf("%d runes, limit %d", n, limit)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Variation_Selector) {
				t.Fatalf("%U is left in %q", r, got)
			}
		}
		if again := report.Clean(got, len(got)+1); again != got {
			t.Fatalf("cleaning twice gives %q, once %q", again, got)
		}
	})
}
