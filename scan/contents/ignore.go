package contents

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Ignored says which line keeps a path out of every checkpoint that does not have it yet.
type Ignored struct {
	File    string // "info/exclude", or a .gitignore by its path below the working directory
	Line    int    // counted from 1
	Pattern string // the line as it stands
	Path    string // the file, or the folder above it that the line names
}

func (i *Ignored) String() string {
	return fmt.Sprintf("line %d of %s (%s) leaves %s out", i.Line, i.File, i.Pattern, i.Path)
}

// Ignores are the lines that keep files out of a checkpoint: the store's own list, and the .gitignore files of a
// checkpoint, or of the working directory of today. What the user's own git configuration ignores is not known.
type Ignores struct {
	read    func(name string) ([]byte, bool) // a .gitignore by its path; false where there is none to be read
	exclude []ignoreLine
	byDir   map[string][]ignoreLine // of the folder's own .gitignore
	verdict map[string]*Ignored     // of folders that were asked for
}

// NewIgnores reads the store's list; a .gitignore is read when a path below it is asked for. tree may be the zero id.
func NewIgnores(s *evidence.CheckpointStore, r *evidence.ObjectReader, tree evidence.ObjectID) *Ignores {
	return NewIgnoresOf(s, func(name string) ([]byte, bool) {
		if tree.IsZero() {
			return nil, false
		}
		p, err := Find(r, tree, name)
		if err != nil || p.State != Recorded || p.Size > IgnoreBytes || p.Entry.Kind() != File && p.Entry.Kind() != Executable {
			return nil, false
		}
		data, err := r.Expect(p.Entry.ID, evidence.KindBlob)
		return data, err == nil
	})
}

// NewIgnoresOf is NewIgnores for .gitignore files that read gives by their paths below the working directory; false where
// there is none, it is no plain file, or larger than IgnoreBytes. Each is asked for once.
func NewIgnoresOf(s *evidence.CheckpointStore, read func(name string) ([]byte, bool)) *Ignores {
	g := &Ignores{read: read, byDir: map[string][]ignoreLine{}, verdict: map[string]*Ignored{}}
	if s.Exclude != nil {
		g.exclude = parseIgnore("info/exclude", "", s.Exclude.Lines)
	}
	return g
}

// Match gives the line that leaves a path out, nil for none. A file in a folder that is left out is left out.
// A path that is longer than any system takes has none.
func (g *Ignores) Match(path string, folder bool) *Ignored {
	if len(path) > ignorePath {
		return nil
	}
	for at := 0; ; {
		next := strings.IndexByte(path[at:], '/')
		if next < 0 {
			return g.match(path, folder)
		}
		at += next
		dir := path[:at]
		found, known := g.verdict[dir]
		if !known {
			found = g.match(dir, true)
			g.verdict[dir] = found
		}
		if found != nil {
			return found
		}
		at++
	}
}

// match asks the lists that apply to one path, the nearest first; within a list the last line wins.
func (g *Ignores) match(path string, folder bool) *Ignored {
	dir := path
	for dir != "" {
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
		if found, decided := decide(g.folder(dir), path, folder); decided {
			return found
		}
	}
	found, _ := decide(g.exclude, path, folder)
	return found
}

// What is looked at of a stranger's list: matching costs the length of the list times that of the path.
const (
	IgnoreBytes = 64 << 10 // of one list
	ignoreLines = 1024
	longestLine = 1024 // bytes of one line
	ignorePath  = 4096
)

// folder reads the .gitignore of a folder of the checkpoint.
func (g *Ignores) folder(dir string) []ignoreLine {
	if lines, ok := g.byDir[dir]; ok {
		return lines
	}
	var lines []ignoreLine
	name := join(dir, ".gitignore")
	if data, ok := g.read(name); ok {
		lines = parseIgnore(name, dir, strings.Split(string(data), "\n"))
	}
	g.byDir[dir] = lines
	return lines
}

func decide(lines []ignoreLine, path string, folder bool) (found *Ignored, decided bool) {
	for i := len(lines) - 1; i >= 0; i-- {
		if l := &lines[i]; l.matches(path, folder) {
			if l.negative {
				return nil, true
			}
			return &Ignored{l.file, l.line, l.text, path}, true
		}
	}
	return nil, false
}

// ignoreLine is one pattern of gitignore(5).
type ignoreLine struct {
	file     string
	line     int
	text     string
	below    string // the folder whose list it is, with a slash, or ""
	re       *regexp.Regexp
	negative bool
	folders  bool // only folders
	whole    bool // the whole path below the list's folder, not only the last element
}

func (l *ignoreLine) matches(path string, folder bool) bool {
	rest, ok := strings.CutPrefix(path, l.below)
	if !ok || l.folders && !folder {
		return false
	}
	if !l.whole {
		rest = rest[strings.LastIndexByte(rest, '/')+1:]
	}
	return l.re.MatchString(latin1(rest))
}

func parseIgnore(file, dir string, lines []string) []ignoreLine {
	below := ""
	if dir != "" {
		below = dir + "/"
	}
	var out []ignoreLine
	for i, text := range lines[:min(len(lines), ignoreLines)] {
		text = strings.TrimSuffix(text, "\r")
		pattern := trimSpaces(text)
		l := ignoreLine{file: file, line: i + 1, text: text, below: below}
		if strings.HasPrefix(pattern, "#") || pattern == "" || len(pattern) > longestLine {
			continue
		}
		pattern, l.negative = strings.CutPrefix(pattern, "!")
		pattern, l.folders = strings.CutSuffix(pattern, "/")
		l.whole = strings.Contains(pattern, "/")
		re, err := regexp.Compile(ignorePattern(strings.TrimPrefix(pattern, "/")))
		if err != nil || pattern == "" {
			continue // a pattern that git cannot read either matches nothing
		}
		l.re = re
		out = append(out, l)
	}
	return out
}

// trimSpaces drops spaces at the end that no backslash protects.
func trimSpaces(s string) string {
	for strings.HasSuffix(s, " ") && !strings.HasSuffix(s, `\ `) {
		s = s[:len(s)-1]
	}
	return s
}

// latin1 makes every byte a character, so that expressions match bytes.
func latin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// ignorePattern translates a pattern into a regular expression, whose time is linear whatever a stranger wrote.
func ignorePattern(p string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '*':
			stars := 1
			for i+stars < len(p) && p[i+stars] == '*' {
				stars++
			}
			start, end := i == 0 || p[i-1] == '/', i+stars == len(p)
			switch {
			case stars < 2 || !start || !end && p[i+stars] != '/':
				b.WriteString(`[^/]*`)
			case end:
				b.WriteString(`.*`)
			default: // "**/": any folders, or none
				b.WriteString(`(?:.*/)?`)
				stars++
			}
			i += stars - 1
		case '?':
			b.WriteString(`[^/]`)
		case '[':
			class, length := bracket(p[i:])
			b.WriteString(class)
			i += length - 1
		case '\\':
			if i++; i < len(p) {
				b.WriteString(regexp.QuoteMeta(string(rune(p[i]))))
			}
		default:
			b.WriteString(regexp.QuoteMeta(string(rune(c))))
		}
	}
	return b.String() + `\z`
}

// bracket translates "[…]" at the start of p and gives its length.
func bracket(p string) (class string, length int) {
	i := 1
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		i++
	}
	for first := true; i < len(p) && (p[i] != ']' || first); i++ {
		first = false
		if p[i] == '\\' {
			i++
		} else if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
	}
	if i >= len(p) {
		return `\[\z.`, 1 // no end: git lets such a pattern match nothing
	}
	body := p[1:i]
	negative := strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^")
	if negative {
		body = body[1:]
	}
	var b strings.Builder
	b.WriteByte('[')
	if negative {
		b.WriteString("^/")
	}
	for k := 0; k < len(body); k++ {
		switch c := body[k]; {
		case strings.HasPrefix(body[k:], "[:") && strings.Contains(body[k:], ":]"):
			end := strings.Index(body[k:], ":]") + 2
			b.WriteString(body[k : k+end])
			k += end - 1
		case c == '\\' && k+1 < len(body):
			k++
			b.WriteString(regexp.QuoteMeta(string(rune(body[k]))))
		case c == '-':
			b.WriteByte('-')
		case c == '^' || c == ']' || c == '[' || c == '&' || c == '~':
			b.WriteString(`\` + string(c))
		default:
			b.WriteRune(rune(c))
		}
	}
	return b.String() + "]", i + 1
}
