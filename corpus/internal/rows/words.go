package rows

import (
	"fmt"
	"regexp"
	"strings"
)

// statement is one logical line: a verb, words by position, and named values.
type statement struct {
	line    int
	verb    string
	words   []string
	options []option
}

type option struct{ name, value string }

func (s *statement) get(name string) (string, bool) {
	for _, o := range s.options {
		if o.name == name {
			return o.value, true
		}
	}
	return "", false
}

// statements splits the text into logical lines.
func statements(text string) ([]statement, error) {
	named := regexp.MustCompile(`^([a-z_][a-z0-9_]*)=`)
	var list []statement
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		fields, err := split(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if line[0] == ' ' || line[0] == '\t' {
			if len(list) == 0 {
				return nil, fmt.Errorf("line %d: nothing to continue", i+1)
			}
		} else {
			list = append(list, statement{line: i + 1, verb: fields[0]})
			fields = fields[1:]
		}
		s := &list[len(list)-1]
		for _, f := range fields {
			m := named.FindStringSubmatch(f)
			if m == nil {
				s.words = append(s.words, f)
				continue
			}
			if _, twice := s.get(m[1]); twice {
				return nil, fmt.Errorf("line %d: %s is given twice", i+1, m[1])
			}
			s.options = append(s.options, option{m[1], f[len(m[0]):]})
		}
	}
	return list, nil
}

// split cuts a line at spaces outside quotes. Quotes stay part of the word.
func split(line string) ([]string, error) {
	var words []string
	start, quote := -1, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == ' ' || c == '\t':
			if start >= 0 {
				words = append(words, line[start:i])
				start = -1
			}
		default:
			if start < 0 {
				start = i
			}
			if c == '"' || c == '\'' {
				quote = c
			}
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("quote %c is not closed", quote)
	}
	if start >= 0 {
		words = append(words, line[start:])
	}
	return words, nil
}
