package rollback

import "strings"

// class matches c, folded where the matcher folds, against the bracket expression whose inside begins at p. It gives
// where the closing bracket is, -1 where the expression has no end or names no known class: nothing matches then.
func (m *wildmatch) class(p int, c byte) (end int, ok bool) {
	negated := m.at(p) == '!' || m.at(p) == '^'
	if negated {
		p++
	}
	before := byte(0) // the byte that a following "-" would make the start of a range
	for first := true; first || m.at(p) != ']'; first = false {
		b := m.at(p)
		switch {
		case b == 0:
			return -1, false
		case b == '\\':
			if p++; m.at(p) == 0 {
				return -1, false
			}
			b = m.at(p)
			ok = ok || b == c
		case b == '-' && before != 0 && m.at(p+1) != 0 && m.at(p+1) != ']':
			if p++; m.at(p) == '\\' {
				if p++; m.at(p) == 0 {
					return -1, false
				}
			}
			ok = ok || m.inRange(c, before, m.at(p))
			b = 0
		case b == '[' && m.at(p+1) == ':':
			name, length, found := m.className(p + 2)
			switch {
			case length < 0:
				return -1, false
			case !found: // a bracket like any other
				ok = ok || b == c
			default:
				member, known := m.inClass(name, c)
				if !known {
					return -1, false
				}
				ok = ok || member
				p += 2 + length
				b = 0
			}
		default:
			ok = ok || b == c
		}
		before = b
		p++
	}
	return p, ok != negated
}

// inRange also tries the capital of a folded letter, so that icase finds [A-Z].
func (m *wildmatch) inRange(c, low, high byte) bool {
	if c >= low && c <= high {
		return true
	}
	up := c - ('a' - 'A')
	return m.casefold && c >= 'a' && c <= 'z' && up >= low && up <= high
}

// className reads "name:]" at p: the name, and the length up to and with the closing bracket's place. found is false
// where the next bracket does not follow a colon, length is negative where there is none.
func (m *wildmatch) className(p int) (name string, length int, found bool) {
	length = strings.IndexByte(string(m.pattern[p:]), ']')
	if length < 1 || m.pattern[p+length-1] != ':' {
		return "", length, false
	}
	return string(m.pattern[p : p+length-1]), length, true
}

// inClass knows POSIX's classes as git's own tables define them, which know ASCII only and count neither vertical
// tab nor form feed as a space.
func (m *wildmatch) inClass(name string, c byte) (member, known bool) {
	lower, upper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
	digit := c >= '0' && c <= '9'
	space := c == ' ' || c == '\t' || c == '\n' || c == '\r'
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < 0x20 || c == 0x7F, true
	case "digit":
		return digit, true
	case "graph":
		return c > 0x20 && c < 0x7F, true
	case "lower":
		return lower, true
	case "print":
		return c >= 0x20 && c < 0x7F, true
	case "punct":
		return c > 0x20 && c < 0x7F && !lower && !upper && !digit, true
	case "space":
		return space, true
	case "upper":
		return upper || m.casefold && lower, true
	case "xdigit":
		return digit || fold(c) >= 'a' && fold(c) <= 'f', true
	}
	return false, false
}
