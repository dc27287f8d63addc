package rollback

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Platform is the system on which the rollback would run: it decides what separates the parts of a path.
type Platform string

// The two families of path syntax.
const (
	POSIX   Platform = "posix"
	Windows Platform = "windows"
)

// magic is the set of git's pathspec magic that a pattern carries.
type magic uint8

const (
	magicTop magic = 1 << iota
	magicLiteral
	magicGlob
	magicIcase
	magicExclude
	magicAttr
)

// item is one parsed pattern. Its fields are those of git's struct pathspec_item, because the quirks of matching
// follow from them.
type item struct {
	match   []byte // the pattern without magic, normalised
	magic   magic
	literal int  // bytes before the first wildcard: git's nowildcard_len
	prefix  int  // bytes that icase compares exactly: what prefix:N named
	oneStar bool // one star and no other wildcard: git compares the tail only
	attrs   int  // attribute requirements
	stars   int  // runs of stars, for the matcher's memory
}

// Pathspec is a selection as git understands it: one pattern or several, and where all exclude the implicit pattern
// that selects everything. It is immutable.
type Pathspec struct {
	items []item
}

// BadPathspec is the error for text that git refuses as a pathspec, in about git's words.
type BadPathspec struct {
	Text   string
	Reason string
}

// Error gives the reason with the text in quotes.
func (e *BadPathspec) Error() string { return fmt.Sprintf("pathspec %q: %s", e.Text, e.Reason) }

// errOutside is a path that leaves the working directory.
var errOutside = errors.New("leaves the working directory")

// ParsePathspec reads text as git's command line does in the top folder of a working directory. A refusal is a
// *BadPathspec. The empty text is refused, as git refuses it; in the product it never gets that far.
func ParsePathspec(text string, p Platform) (Pathspec, error) {
	if text == "" {
		return Pathspec{}, &BadPathspec{text, "the empty string is not a valid pathspec"}
	}
	return parseAll([]string{text}, p)
}

// parseAll reads several texts as one pathspec, as git does with several arguments: where all of them exclude, what
// they exclude from is everything.
func parseAll(texts []string, p Platform) (Pathspec, error) {
	var ps Pathspec
	positive := false
	for _, text := range texts {
		it, err := parseItem(text, p)
		if err != nil {
			return Pathspec{}, err
		}
		ps.items = append(ps.items, it)
		positive = positive || it.magic&magicExclude == 0
	}
	if !positive {
		ps.items = append(ps.items, item{})
	}
	return ps, nil
}

func parseItem(text string, p Platform) (item, error) {
	it := item{}
	body, prefix, err := parseMagic(&it, text)
	if err != nil {
		return it, &BadPathspec{text, err.Error()}
	}
	if it.magic&magicLiteral != 0 && it.magic&magicGlob != 0 {
		return it, &BadPathspec{text, "'literal' and 'glob' are incompatible"}
	}
	switch {
	case prefix >= 0:
		it.match, it.prefix = []byte(body), prefix
	case it.magic&magicTop != 0:
		it.match = []byte(body)
	default:
		if it.match, err = normalise(body, p); err != nil {
			return it, &BadPathspec{text, err.Error()}
		}
	}
	if it.literal = len(it.match); it.magic&magicLiteral == 0 {
		if i := bytes.IndexAny(it.match, wildcards); i >= 0 {
			it.literal = i
		}
		it.literal = max(it.literal, it.prefix)
	}
	if it.literal > len(it.match) || it.prefix > len(it.match) {
		return it, &BadPathspec{text, "the number after 'prefix:' is larger than the pattern is long"}
	}
	rest := it.match[it.literal:]
	it.oneStar = it.magic&magicGlob == 0 && len(rest) > 0 && rest[0] == '*' && !bytes.ContainsAny(rest[1:], wildcards)
	it.stars = starRuns(rest)
	return it, nil
}

// wildcards are the bytes at which a pattern stops being literal.
const wildcards = `*?[\`

// starRuns counts the places at which matching may have to go back.
func starRuns(pattern []byte) int {
	n := 0
	for i, c := range pattern {
		if c == '*' && (i == 0 || pattern[i-1] != '*') {
			n++
		}
	}
	return n
}

// hasWildcard is git's flag of the whole pathspec that turns one of its short cuts off.
func (ps Pathspec) hasWildcard() bool {
	for i := range ps.items {
		if ps.items[i].wild() {
			return true
		}
	}
	return false
}

func (ps Pathspec) excludes() bool {
	return slices.ContainsFunc(ps.items, func(it item) bool { return it.magic&magicExclude != 0 })
}

// attributed reports whether matching depends on git attributes, which no checkpoint records as they are today.
func (ps Pathspec) attributed() bool { return ps.items[0].attrs > 0 }

// wild reports whether the pattern goes on after its literal head.
func (it *item) wild() bool { return it.literal < len(it.match) }

// normalise is git's own cleaning of a pattern: it drops "." and empty parts, resolves "..", and keeps one trailing
// slash. An absolute pattern, and one that leaves the top folder, is an error.
func normalise(path string, p Platform) ([]byte, error) {
	if absolute(path, p) {
		return nil, errOutside
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); {
		end := i
		for end < len(path) && !separator(path[end], p) {
			end++
		}
		part := path[i:end]
		slash := end < len(path)
		switch {
		case part == "..":
			if len(out) == 0 {
				return nil, errOutside
			}
			out = out[:len(out)-1]
			out = out[:bytes.LastIndexByte(out, '/')+1]
		case part == "." || part == "":
		default:
			out = append(out, part...)
			if slash {
				out = append(out, '/')
			}
		}
		i = end + 1
	}
	return out, nil
}

func separator(c byte, p Platform) bool { return c == '/' || p == Windows && c == '\\' }

// absolute is git's test, which on Windows takes any drive for a root.
func absolute(path string, p Platform) bool {
	if path == "" {
		return false
	}
	return separator(path[0], p) || p == Windows && drive(path) != ""
}

// drive is the drive of a Windows path, such as "C:", or "".
func drive(path string) string {
	if len(path) >= 2 && path[1] == ':' && path[0] < 0x80 {
		return path[:2]
	}
	return ""
}

// equalFold compares with ASCII letters folded, as git's icase does in the C locale.
func equalFold(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if fold(a[i]) != fold(b[i]) {
			return false
		}
	}
	return true
}

func fold(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
