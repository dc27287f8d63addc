package lang

import (
	"fmt"
	"regexp"
	"strings"
)

// load reads the files of a language. They are part of the program: an error is a mistake in them.
func load(code string) (*Tongue, error) {
	t := &Tongue{code: code, checks: map[string]entry{}, words: map[string]string{}}
	for _, f := range []struct {
		name string
		line func(line string) error
	}{{"checks", t.checkLine()}, {"words", t.wordLine}, {"sentences", t.sentenceLine}, {"prose", t.proseLine}} {
		name := f.name + "." + code + ".txt"
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if err := f.line(line); err != nil {
				return nil, fmt.Errorf("read %s: line %d: %w", name, n, err)
			}
		}
	}
	return t, nil
}

// checkLine reads `== ID DIGEST`, then one line for each text of the check.
func (t *Tongue) checkLine() func(line string) error {
	var id string
	return func(line string) error {
		if head, ok := strings.CutPrefix(line, "== "); ok {
			name, digest, ok := strings.Cut(head, " ")
			if _, twice := t.checks[name]; !ok || twice {
				return fmt.Errorf("%q names no check with its digest, or one for the second time", line)
			}
			id, t.checks[name] = name, entry{digest: digest}
			return nil
		}
		e := t.checks[id]
		what, text, _ := strings.Cut(line, ": ")
		field := map[string]*string{"title": &e.title, "what": &e.doc.What, "not": &e.doc.Not, "origin": &e.doc.Origin, "safe": &e.doc.Safe, "unsafe": &e.doc.Unsafe}[what]
		if field == nil || id == "" || *field != "" {
			return fmt.Errorf("%q is no text of a check, or one for the second time", line)
		}
		*field = text
		t.checks[id] = e
		return nil
	}
}

// between parts the English from its translation.
const between = " => "

// wordLine reads `English => translation`. Blanks at the ends of a joint count, and stand in quotes.
func (t *Tongue) wordLine(line string) error {
	english, words, ok := strings.Cut(line, between)
	english, words = strings.Trim(english, `"`), strings.Trim(words, `"`)
	if _, twice := t.words[english]; !ok || twice {
		return fmt.Errorf("%q is no pair, or one for the second time", line)
	}
	t.words[english] = words
	return nil
}

// sentenceLine reads `English => translation`, the English as a pattern in which %d is a number and ..., in headings alone, any text; what is
// matched is $1, $2 and so on. (s) and (is|are) stand for what the number changes in English.
func (t *Tongue) sentenceLine(line string) error {
	english, words, ok := strings.Cut(line, between)
	if !ok {
		return fmt.Errorf("%q is no pair", line)
	}
	pattern := regexp.QuoteMeta(english)
	pattern = strings.NewReplacer("%d", `([\d,]+)`, `\.\.\.`, "(.+)", `\(s\)`, "s?", `\(is\|are\)`, "(?:is|are)").Replace(pattern)
	re, err := regexp.Compile("^" + pattern + "$")
	if err != nil {
		return fmt.Errorf("read %q: %w", english, err)
	}
	t.sentences = append(t.sentences, sentence{re, strings.Contains(english, "..."), words})
	return nil
}
