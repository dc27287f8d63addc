package rollback

import (
	"slices"
	"strings"
	"unicode"
)

// maxLinks is how many links one selection may lead through before the system gives up (ELOOP).
const maxLinks = 40

// blank reports what the product takes for an empty path: only what Python counts as white space, which is Unicode's
// with four of ASCII's separators.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F }) == ""
}

// confine is the product's test of a selection before git sees it: "" where it passes, else what is wrong. It reads
// the selection as a path whether it is one or not, so magic hides an absolute pattern from it, and ":/.." does not
// leave.
func confine(text string, r Request) string {
	switch {
	case blank(text):
		return "the path is empty"
	case strings.ContainsRune(text, 0):
		return "the path holds a NUL"
	case rooted(text, r.Platform):
		return "the path is absolute, but must be relative to the working directory"
	case foreignDrive(text, r):
		return "the path names another drive than that of the working directory"
	}
	top := components(r.Work, r.Platform)
	p := resolver{request: r, top: top, at: slices.Clone(top)}
	p.follow(components(text, r.Platform))
	switch {
	case p.loop:
		return "the path leads through links that never end"
	case len(p.at) < len(top) || !slices.Equal(p.at[:len(top)], top) || p.outside:
		return "the path leaves the working directory"
	}
	return ""
}

// rooted is the product's notion of an absolute path. On Windows a leading slash without a drive is one as well: it
// would leave the working directory if it were not.
func rooted(text string, p Platform) bool {
	if p == Windows {
		text = text[len(letterDrive(text)):]
	}
	return text != "" && separator(text[0], p)
}

// foreignDrive reports a path like "D:x" below a working directory on C:. Where that is not known, every drive is
// foreign.
func foreignDrive(text string, r Request) bool {
	if r.Platform != Windows || letterDrive(text) == "" {
		return false
	}
	return !strings.EqualFold(letterDrive(text), letterDrive(r.Work))
}

// letterDrive is the product's notion of a drive, which is narrower than git's: "::x" is a name to it.
func letterDrive(path string) string {
	if d := drive(path); d != "" && fold(d[0]) >= 'a' && fold(d[0]) <= 'z' {
		return d
	}
	return ""
}

// components splits a path without resolving "..", as the product does before it compares: "." and empty parts go.
// A Windows drive is a component of its own.
func components(path string, p Platform) []string {
	var out []string
	if d := letterDrive(path); p == Windows && d != "" {
		out, path = append(out, strings.ToUpper(d)), path[len(d):]
	}
	for _, part := range strings.FieldsFunc(path, func(c rune) bool { return c < 0x80 && separator(byte(c), p) }) {
		if part != "." {
			out = append(out, part)
		}
	}
	return out
}

// textual removes ".." from components by the text alone, never through a link. What leads above the top stays.
func textual(parts []string) []string {
	var out []string
	for _, part := range parts {
		if n := len(out); part == ".." && n > 0 && out[n-1] != ".." {
			out = out[:n-1]
		} else {
			out = append(out, part)
		}
	}
	return out
}

// overlaps is the product's component rule: one path is the other or a folder above it.
func overlaps(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// resolver walks a path through today's links, as far as they are known.
type resolver struct {
	request Request
	top     []string
	at      []string // where the path has led so far
	links   int
	loop    bool
	outside bool // led by a link to where nothing is known
}

func (p *resolver) follow(parts []string) {
	for _, part := range parts {
		switch {
		case p.loop || p.outside:
			return
		case part == "..":
			// Above a working directory of which the place is not known, nothing is known.
			p.outside = len(p.at) == 0 && p.request.Work == ""
			p.at = p.at[:max(len(p.at)-1, 0)]
		case p.request.Platform == Windows && len(part) == 2 && letterDrive(part) != "":
			// the drive of the working directory itself
		default:
			p.at = append(p.at, part)
			p.link()
		}
	}
}

// link replaces the last part by what it points to, if it is a link inside the working directory.
func (p *resolver) link() {
	n := len(p.top)
	if p.request.Today == nil || len(p.at) < n || !slices.Equal(p.at[:n], p.top) {
		return
	}
	today := p.request.Today
	now, ok := today.Paths[strings.Join(p.at[n:], "/")]
	if !ok || now.Kind != Link {
		return
	}
	if p.links++; p.links > maxLinks {
		p.loop = true
		return
	}
	p.at = p.at[:len(p.at)-1]
	target, platform := now.Target, p.request.Platform
	if !absolute(target, platform) {
		p.follow(components(target, platform))
		return
	}
	for _, root := range []string{p.request.Work, today.Root} {
		top, parts := components(root, platform), components(target, platform)
		if root != "" && len(parts) >= len(top) && slices.Equal(parts[:len(top)], top) {
			p.at = slices.Clone(p.top)
			p.follow(parts[len(top):])
			return
		}
	}
	p.outside = true
}
