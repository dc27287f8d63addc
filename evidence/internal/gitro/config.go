package gitro

import (
	"bytes"
	"strings"
)

// Setting is one line of a git config, as data: nothing here is ever obeyed.
type Setting struct {
	Key   string // section and name in lower case, a subsection as written: "remote.X.uploadpack"
	Value string
	Line  int // counted from 1
}

// ParseConfig reads a git config. flaw says what the first line is that git would refuse; the settings before it are
// given, and include.path is one like any other.
func ParseConfig(data []byte) (settings []Setting, flawLine int) {
	p := configParser{rest: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1}
	const most = 100_000
	for len(settings) < most {
		s, more, ok := p.next()
		if !ok {
			return settings, p.line
		}
		if !more {
			return settings, 0
		}
		settings = append(settings, s)
	}
	return settings, p.line
}

type configParser struct {
	rest    []byte
	line    int
	section string
}

// get gives the next byte, CR LF as LF; false at the end.
func (p *configParser) get() (byte, bool) {
	if len(p.rest) == 0 {
		return 0, false
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	if c == '\r' && len(p.rest) > 0 && p.rest[0] == '\n' {
		c, p.rest = '\n', p.rest[1:]
	}
	if c == '\n' {
		p.line++
	}
	return c, true
}

// next gives the next setting; more is false at the end, ok at what is no config.
func (p *configParser) next() (s Setting, more, ok bool) {
	for {
		c, any := p.get()
		switch {
		case !any:
			return s, false, true
		case c == '\n' || c == ' ' || c == '\t' || c == '\r':
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			if !p.header() {
				return s, false, false
			}
		case letter(c):
			s.Line = p.line
			name := []byte{c}
			for len(p.rest) > 0 && (letter(p.rest[0]) || p.rest[0] == '-' || p.rest[0] >= '0' && p.rest[0] <= '9') {
				name = append(name, p.rest[0])
				p.rest = p.rest[1:]
			}
			s.Key = p.section + "." + strings.ToLower(string(name))
			s.Value, ok = p.value()
			return s, true, ok && p.section != ""
		default:
			return s, false, false
		}
	}
}

func (p *configParser) skipLine() {
	for {
		if c, any := p.get(); !any || c == '\n' {
			return
		}
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// header reads a section's name after its bracket.
func (p *configParser) header() bool {
	var name []byte
	for {
		c, any := p.get()
		switch {
		case !any || c == '\n':
			return false
		case c == ']':
			p.section = strings.ToLower(string(name))
			return len(name) > 0
		case c == ' ' || c == '\t':
			sub, ok := p.subsection()
			p.section = strings.ToLower(string(name)) + "." + sub
			return ok && len(name) > 0
		case letter(c) || c >= '0' && c <= '9' || c == '-' || c == '.':
			name = append(name, c)
		default:
			return false
		}
	}
}

func (p *configParser) subsection() (string, bool) {
	p.rest = bytes.TrimLeft(p.rest, " \t")
	if c, any := p.get(); !any || c != '"' {
		return "", false
	}
	var sub []byte
	for {
		c, any := p.get()
		if !any || c == '\n' {
			return "", false
		}
		if c == '"' {
			break
		}
		if c == '\\' {
			if c, any = p.get(); !any || c == '\n' {
				return "", false
			}
		}
		sub = append(sub, c)
	}
	c, any := p.get()
	return string(sub), any && c == ']'
}

// value reads what follows a name: nothing, or "=" and a text that may be quoted and continued.
func (p *configParser) value() (string, bool) {
	p.rest = bytes.TrimLeft(p.rest, " \t")
	c, any := p.get()
	if !any || c == '\n' {
		return "true", true
	}
	if c != '=' {
		return "", false
	}
	p.rest = bytes.TrimLeft(p.rest, " \t")
	var out []byte
	kept, quoted := 0, false
	for {
		c, any := p.get()
		switch {
		case !any || c == '\n':
			return string(out[:kept]), !quoted
		case c == '"':
			quoted = !quoted
			kept = len(out)
			continue
		case !quoted && (c == '#' || c == ';'):
			p.skipLine()
			return string(out[:kept]), true
		case c == '\\':
			c, any = p.get()
			if i := strings.IndexByte("ntb\\\"", c); any && i >= 0 {
				out = append(out, "\n\t\b\\\""[i])
			} else if !any || c != '\n' {
				return "", false
			}
			kept = len(out)
			continue
		}
		out = append(out, c)
		if quoted || c != ' ' && c != '\t' {
			kept = len(out)
		}
	}
}
