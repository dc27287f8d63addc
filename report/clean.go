package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many runes of one value from a database are shown; the rest is counted, never silently dropped.
const (
	cellLimit  = 300  // an id, a key, a path, one cell of a table
	proseLimit = 2000 // a sentence that may quote values
	codeLimit  = 8000 // a statement: cutting it makes it useless, so this only stops a flood
)

// marksLimit is how many combining marks one character may carry before they are spelled out: real scripts stay
// below it, and a pile of marks would paint over the lines around it.
const marksLimit = 4

// Clean makes text from a database safe to print on a terminal and to paste: the result is valid UTF-8 on one
// line, and whatever could move the cursor, reorder or hide text stands as a visible escape (\n, \x1b, \u202e,
// \ud800 for a lone surrogate, \xff for a byte that is not UTF-8). More than limit runes are cut at the end
// and counted. A backslash stays single, so that statements keep working; JSON is the exact form.
func Clean(s string, limit int) string {
	var b strings.Builder
	shown, marks := 0, marksLimit // a mark with nothing before it would join the text to its left
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+size]
		switch {
		case r == utf8.RuneError && size == 1:
			piece, size = brokenByte(s[i:])
			marks = marksLimit
		case unicode.In(r, unicode.Mn, unicode.Me) && visible(r):
			if marks++; marks > marksLimit {
				piece = escape(r)
			}
		case visible(r):
			marks = 0
		default:
			piece, marks = escape(r), marksLimit
		}
		if shown += utf8.RuneCountInString(piece); shown > limit {
			fmt.Fprintf(&b, "… (+%s)", plural(int64(len(s)-i), "byte"))
			break
		}
		b.WriteString(piece)
		i += size
	}
	return b.String()
}

// cleanLines is Clean for text of which the newlines are the tool's own.
func cleanLines(s string, limit int) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(Clean(l, limit), " ")
	}
	return lines
}

// visible reports whether a rune shows as itself: it prints, takes up room, and has no effect on its neighbours.
func visible(r rune) bool {
	if r == '\u3000' { // the space of CJK text
		return true
	}
	return unicode.IsPrint(r) && !ignorable(r)
}

// ignorable holds the characters that Unicode counts as letters, marks or symbols but that show nothing
// (Default_Ignorable_Code_Point outside category Cf), and the blank Braille pattern, which looks like a space.
func ignorable(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0:
		return true
	case r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// brokenByte spells the start of s, which is not UTF-8: a surrogate encoded like a character (as Python's
// surrogatepass writes it) as one escape, anything else byte by byte.
func brokenByte(s string) (piece string, size int) {
	if len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return fmt.Sprintf(`\u%04x`, 0xD000|rune(s[1]&0x3F)<<6|rune(s[2]&0x3F)), 3
	}
	return fmt.Sprintf(`\x%02x`, s[0]), 1
}
