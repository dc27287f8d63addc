package rollback

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// shortMagic are the characters that git reserves after a leading colon (its GIT_PATHSPEC_MAGIC).
const shortMagic = "!\"#%&',-/:;<=>@_`~"

// parseMagic takes the magic off the front of text and gives the pattern behind it, with the number after
// "prefix:", -1 where there is none.
func parseMagic(it *item, text string) (body string, prefix int, err error) {
	switch {
	case strings.HasPrefix(text, ":("):
		return parseLong(it, text[2:])
	case strings.HasPrefix(text, ":"):
		body, err = parseShort(it, text[1:])
		return body, -1, err
	}
	return text, -1, nil
}

func parseShort(it *item, rest string) (string, error) {
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == ':':
			return rest[i+1:], nil
		case c == '/':
			it.magic |= magicTop
		case c == '!' || c == '^':
			it.magic |= magicExclude
		case strings.IndexByte(shortMagic, c) >= 0:
			return "", fmt.Errorf("unimplemented pathspec magic %q", c)
		default:
			return rest[i:], nil
		}
	}
	return "", nil
}

func parseLong(it *item, rest string) (body string, prefix int, err error) {
	prefix = -1
	for rest != "" && rest[0] != ')' {
		n := wordLength(rest)
		word := rest[:n]
		if rest = rest[n:]; rest != "" && rest[0] == ',' {
			rest = rest[1:]
		}
		if word == "" {
			continue
		}
		if number, ok := strings.CutPrefix(word, "prefix:"); ok {
			if prefix, ok = prefixNumber(number); !ok {
				return "", -1, errors.New("invalid parameter for pathspec magic 'prefix'")
			}
			continue
		}
		if err := longWord(it, word); err != nil {
			return "", -1, err
		}
	}
	if rest == "" {
		return "", -1, errors.New("missing ')' at the end of pathspec magic")
	}
	return rest[1:], prefix, nil
}

// wordLength is the length of a word up to a comma or the closing bracket; a backslash hides the byte after it.
func wordLength(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
		case s[i] == ',' || s[i] == ')':
			return i
		}
	}
	return len(s)
}

func longWord(it *item, word string) error {
	if spec, ok := strings.CutPrefix(word, "attr:"); ok {
		return parseAttributes(it, spec)
	}
	switch word {
	case "top":
		it.magic |= magicTop
	case "literal":
		it.magic |= magicLiteral
	case "glob":
		it.magic |= magicGlob
	case "icase":
		it.magic |= magicIcase
	case "exclude":
		it.magic |= magicExclude
	case "attr": // git accepts the bare word and then asks for nothing
	default:
		return fmt.Errorf("invalid pathspec magic %q", word)
	}
	return nil
}

// prefixNumber reads a number as C's strtol does and keeps its low 32 bits, as git does. No digits are 0. A negative
// number is the same as none.
func prefixNumber(s string) (int, bool) {
	if s == "" {
		return 0, true
	}
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return max(int(int32(n)), -1), true
}

// parseAttributes checks what follows "attr:" as git does and counts the requirements; whether an entry meets them
// is not known here.
func parseAttributes(it *item, spec string) error {
	if it.magic&magicAttr != 0 {
		return errors.New("only one 'attr:' specification is allowed")
	}
	if spec == "" {
		return errors.New("attr spec must not be empty")
	}
	it.magic |= magicAttr
	for one := range strings.SplitSeq(spec, " ") {
		if one == "" {
			continue
		}
		it.attrs++
		if err := attribute(one); err != nil {
			return err
		}
	}
	return nil
}

func attribute(one string) error {
	name, value := one, ""
	if one[0] == '!' || one[0] == '-' {
		name = one[1:]
	} else {
		name, value, _ = strings.Cut(one, "=")
	}
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' {
			if i++; i == len(value) {
				return errors.New("the escape character '\\' is not allowed as last character of an attribute's value")
			}
		}
		if !alphanumeric(value[i]) && strings.IndexByte(",-_", value[i]) < 0 {
			return fmt.Errorf("cannot use %q for value matching", value[i])
		}
	}
	bad := func(r rune) bool { return r >= 0x80 || !alphanumeric(byte(r)) && !strings.ContainsRune("-._", r) }
	if name == "" || name[0] == '-' || strings.ContainsFunc(name, bad) {
		return fmt.Errorf("invalid attribute name %q", name)
	}
	return nil
}

func alphanumeric(c byte) bool { return c >= '0' && c <= '9' || fold(c) >= 'a' && fold(c) <= 'z' }
