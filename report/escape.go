package report

import (
	"strings"
	"time"
	"unicode"
)

// markdownProse makes a sentence safe for an issue: every word that could be markup, a mention, a reference, a
// link or an emoji becomes a code span, in which GitHub interprets nothing. Escaping by backslash or entity
// would not do: mentions and references are looked for after those are resolved.
func markdownProse(s string) string {
	words := strings.Split(strings.TrimSpace(Clean(s, proseLimit)), " ")
	for i, w := range words {
		if !plain(w) || i == 0 && opensBlock(w) {
			open, core, end := punctuation(w)
			words[i] = open + codeSpan(core) + end
		}
	}
	return strings.Join(words, " ")
}

// punctuation splits a word from the brackets and stops of the sentence around it, so that an id in a code span
// can be copied alone. Stops mean nothing in Markdown where a code span stands before them.
func punctuation(w string) (open, core, end string) {
	core = strings.TrimRight(w, ".,;:")
	if strings.HasPrefix(core, "(") && strings.Count(core, "(") == 1 {
		open, core = "(", core[1:]
		core = strings.TrimRight(core, ").,;:")
	}
	if core == "" {
		return "", w, ""
	}
	return open, core, w[len(open)+len(core):]
}

// markdownCell is one table cell: as it is when nothing in it means anything, else one code span.
func markdownCell(s string) string {
	s = strings.TrimSpace(Clean(s, cellLimit))
	for w := range strings.SplitSeq(s, " ") {
		if !plain(w) {
			// A table is split at its bars before spans are seen, and \| is how a span shows one. Readers differ
			// about a backslash before it.
			s = strings.ReplaceAll(s, `\|`, `\\x7c`)
			return strings.ReplaceAll(codeSpan(s), "|", `\|`)
		}
	}
	return s
}

// plain reports whether a word without spaces means nothing in GitHub's Markdown.
func plain(w string) bool {
	if _, err := time.Parse("15:04:05Z", strings.TrimRight(w, ".,;)")); err == nil {
		return true
	}
	for i, r := range w {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		case strings.ContainsRune(`.,;!?()'"/%+-…–—“”’«»，。：；？！（）、《》`, r):
		case r == ':' && i == len(w)-1: // inside a word it may open a link or an emoji
		default:
			return false
		}
	}
	if strings.Contains(strings.ToLower(w), "www.") {
		return false
	}
	for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		// GH-123 is a reference to an issue, a run of hex digits one to a commit.
		if strings.EqualFold(part, "gh") || commitLike(part) {
			return false
		}
	}
	return true
}

func commitLike(s string) bool {
	return len(s) >= 7 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// opensBlock reports whether a word at the start of a line would begin a list or a rule.
func opensBlock(w string) bool {
	if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+") {
		return true
	}
	rest := strings.TrimLeft(w, "0123456789")
	return rest != w && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")"))
}

// codeSpan quotes clean text with a fence longer than any run of backticks inside.
func codeSpan(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// markdownFence is a block of code whose fence is longer than any run of backticks inside.
func markdownFence(info, code string) []string {
	lines := cleanLines(code, codeLimit)
	run := 2
	for _, l := range lines {
		run = max(run, longestRun(l))
	}
	fence := strings.Repeat("`", run+1)
	return append(append([]string{fence + info}, lines...), fence)
}

func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
