package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownProse(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a sentence stays", "Row 7 holds 1,204 messages (2.7 days), at 2026-08-06 16:18:36Z.", "Row 7 holds 1,204 messages (2.7 days), at 2026-08-06 16:18:36Z."},
		{"chinese stays", "会话 重启。", "会话 重启。"},
		{"mention", "ask @octocat", "ask `@octocat`"},
		{"team mention in brackets", "(@org/team)", "(`@org/team`)"},
		{"issue", "see #123", "see `#123`"},
		{"issue elsewhere", "see owner/repo#123", "see `owner/repo#123`"},
		{"issue by prefix", "see GH-123", "see `GH-123`"},
		{"commit", "at deadbeef12", "at `deadbeef12`"},
		{"link", "https://evil.example/x", "`https://evil.example/x`"},
		{"bare link", "go to WWW.evil.example", "go to `WWW.evil.example`"},
		{"emoji", "a :bomb: b", "a `:bomb`: b"},
		{"html", "<img src=x> <!-- x", "`<img` `src=x>` `<!--` x"},
		{"entity", "&lt;", "`&lt`;"},
		{"markdown link", "[x](y) ![x](y)", "`[x](y)` `![x](y)`"},
		{"emphasis", "*a* _b_ ~~c~~", "`*a*` `_b_` `~~c~~`"},
		{"heading", "# x", "`#` x"},
		{"quote", "> x", "`>` x"},
		{"bullet", "- x", "`-` x"},
		{"number", "1. x", "`1`. x"},
		{"rule", "---", "`---`"},
		{"code", "a `b` ``c", "a `` `b` `` ``` ``c ```"},
		{"stops stay outside", "row a_b, (c_d); f(x_y). (e_f(g)) ::", "row `a_b`, (`c_d`); `f(x_y)`. `(e_f(g))` `::`"},
		{"backslash", `\@x`, "`\\@x`"},
		{"newline", "a\n# b", "`a\\n#` b"},
		{"indented", "    x", "x"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, markdownProse(c.in)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestMarkdownCell(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"word", "telegram", "telegram"},
		{"key", "agent:main:telegram:dm:1", "`agent:main:telegram:dm:1`"},
		{"bar", "a|b", "`a\\|b`"},
		{"two bars", "||", "`\\|\\|`"},
		{"backslash before a bar", `a\|b`, "`a\\\\x7cb`"},
		{"backslash at the end", `a\`, "`a\\`"},
		{"newline", "a\nb", "`a\\nb`"},
		{"backticks", "``", "``` `` ```"},
		{"blank", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, markdownCell(c.in)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestMarkdownFence(t *testing.T) {
	got := markdownFence("sql", "SELECT '````'\n;")
	if d := cmp.Diff([]string{"`````sql", "SELECT '````'", ";", "`````"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"@a #1 `x` ``", "a|b\\|c", "<b>\n---", "https://x", "1) `", "` `", "`a` ```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{markdownProse(s), markdownCell(s)} {
			if !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r") {
				t.Fatalf("%q is not one line of text", got)
			}
			if left := outsideSpans(got); strings.ContainsAny(left, "`<>@#|*_[]\\&~$=") {
				t.Fatalf("%q leaves %q outside of code", got, left)
			}
		}
		cell := markdownCell(s)
		for _, part := range strings.SplitAfter(cell, "|") {
			if strings.HasSuffix(part, "|") && (!strings.HasSuffix(part, `\|`) || strings.HasSuffix(part, `\\|`)) {
				t.Fatalf("%q ends a cell", cell)
			}
		}
	})
}

// outsideSpans removes code spans as CommonMark finds them: a run of backticks up to the next run of that length.
func outsideSpans(s string) string {
	var out strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '`')
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		s = s[i:]
		run := len(s) - len(strings.TrimLeft(s, "`"))
		rest, closed := s[run:], false
		for at := 0; at < len(rest) && !closed; {
			j := strings.IndexByte(rest[at:], '`')
			if j < 0 {
				break
			}
			at += j
			n := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
			at += n
			if n == run {
				rest, closed = rest[at:], true
			}
		}
		if !closed {
			out.WriteString(s[:run])
		}
		s = rest
	}
	return out.String() + s
}
