package witness

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unrepr reads the text that Python's repr spelled at the start of s, and gives what follows it. It is false where the
// closing quote is missing: the line was cut.
func unrepr(s string) (value, rest string, ok bool) {
	if len(s) < 2 || s[0] != '\'' && s[0] != '"' {
		return "", "", false
	}
	quote := s[0]
	if end := strings.IndexByte(s[1:], quote); end >= 0 && strings.IndexByte(s[1:1+end], '\\') < 0 {
		return s[1 : 1+end], s[2+end:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); {
		switch c := s[i]; {
		case c == quote:
			return b.String(), s[i+1:], true
		case c == '\\':
			n := escape(&b, s[i:])
			if n == 0 {
				return "", "", false
			}
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return "", "", false
}

// escape reads one escape and gives its length; 0 where it is cut.
func escape(b *strings.Builder, s string) int {
	if len(s) < 2 {
		return 0
	}
	digits := 0
	switch s[1] {
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		b.WriteByte(s[1])
	}
	if digits == 0 {
		return 2
	}
	if len(s) < 2+digits {
		return 0
	}
	n, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil {
		return 0
	}
	b.WriteRune(rune(n))
	return 2 + digits
}

// cut gives the first n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// answered is the text of a turn, ready to be compared with many messages.
type answered struct {
	text string // without the three dots of a preview
	cut  string // its first characters, as many as a message's preview has
	full bool   // it is as long as a preview can be
}

func answeredText(turn string) answered {
	n := utf8.RuneCountInString(turn)
	if n == preview+3 && strings.HasSuffix(turn, "...") {
		turn = strings.TrimSuffix(turn, "...")
		n = preview
	}
	return answered{turn, cut(turn, preview), n >= preview}
}

// is says whether this is the text of a message that came in. Both are cut to the length of a preview; in a shared chat
// the product puts the sender's name before the text.
func (a answered) is(message, sender string) bool {
	if message == "" {
		return false
	}
	if a.cut == message {
		return true
	}
	text, ok := strings.CutPrefix(a.text, "[")
	if ok {
		text, ok = strings.CutPrefix(text, sender)
	}
	if ok {
		text, ok = strings.CutPrefix(text, "] ")
	}
	if !ok || text == "" {
		return false
	}
	if a.full {
		return strings.HasPrefix(message, text)
	}
	return text == message
}
