package lang

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

//go:embed *.txt
var files embed.FS

// Languages lists the languages by their codes, English first.
func Languages() []string { return []string{"en", "fr", "zh"} }

// Tongue is one language, read and ready. A nil Tongue is English.
type Tongue struct {
	code      string
	checks    map[string]entry
	words     map[string]string
	sentences []sentence
	prose     []told
}

// entry is the documentation of a check in one language.
type entry struct {
	digest string // of the English text
	doc    scan.Doc
	title  string
}

// sentence turns an English sentence with numbers into one of the language.
type sentence struct {
	english *regexp.Regexp
	title   bool   // a heading that holds a name, and no part of a sentence
	words   string // $1 is what the first group matched; {1|one|many} chooses by its number
}

// Parse reads the value of --lang. English is nil.
func Parse(code string) (*Tongue, error) {
	switch {
	case code == "en":
		return nil, nil
	case !slices.Contains(Languages(), code):
		return nil, fmt.Errorf("unknown language %q (known: %s)", code, strings.Join(Languages(), ", "))
	}
	return load(code)
}

// Environment reads the language that a value of LC_ALL, LC_MESSAGES or LANG names, such as fr_CA.UTF-8. What names none
// of the languages is English.
func Environment(value string) (*Tongue, error) {
	code, _, _ := strings.Cut(strings.ToLower(value), ".")
	code, _, _ = strings.Cut(code, "@")
	code, _, _ = strings.Cut(code, "_")
	code, _, _ = strings.Cut(code, "-")
	if !slices.Contains(Languages(), code) {
		return nil, nil
	}
	return Parse(code)
}

// Code is the language's code: en, fr or zh.
func (t *Tongue) Code() string {
	if t == nil {
		return "en"
	}
	return t.code
}

// Say gives a heading or another fixed text of a report; one that has no translation as it is.
func (t *Tongue) Say(english string) string {
	if t == nil {
		return english
	}
	if s, ok := t.words[english]; ok {
		return s
	}
	return english
}

// Check gives a check with its title and documentation in the language; where the translation is missing or is one of an
// older English text, as it is. How to see it by hand is a command in every language.
func (t *Tongue) Check(c scan.Check) scan.Check {
	if t == nil {
		return c
	}
	if e, ok := t.checks[c.ID]; ok && e.digest == Digest(c) {
		e.doc.ByHand = c.Doc.ByHand
		c.Title, c.Doc = e.title, e.doc
	}
	return c
}

// Digest names the English text of a check: eight hex digits that change with its title or documentation.
func Digest(c scan.Check) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Title, c.Doc.What, c.Doc.Not, c.Doc.Origin, c.Doc.Safe, c.Doc.Unsafe}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// Sentence gives a sentence of a verdict, or the counts behind it. It may be made of parts that "; " or ", " join; a part
// that has no translation stays English, and known says that there is none such.
func (t *Tongue) Sentence(english string) (said string, known bool) {
	if t == nil {
		return english, true
	}
	if s, ok := t.words[english]; ok {
		return s, true
	}
	for _, s := range t.sentences {
		if m := s.english.FindStringSubmatch(english); m != nil && !s.title {
			return t.fill(s.words, m), true
		}
	}
	for _, joint := range []string{"; ", ", "} {
		parts := strings.Split(english, joint)
		if len(parts) == 1 {
			continue
		}
		known = true
		for i, p := range parts {
			var ok bool
			parts[i], ok = t.Sentence(p)
			known = known && ok
		}
		return strings.Join(parts, t.Say(joint)), known
	}
	return english, false
}

// fill puts what was matched into the words of a sentence.
func (t *Tongue) fill(words string, match []string) string {
	var b strings.Builder
	for words != "" {
		i := strings.IndexAny(words, "${")
		if i < 0 || i+1 == len(words) {
			break
		}
		b.WriteString(words[:i])
		n := int(words[i+1] - '0')
		if n < 0 || n >= len(match) {
			b.WriteByte(words[i])
			words = words[i+1:]
			continue
		}
		value := match[n]
		if words[i] == '$' {
			b.WriteString(t.number(value))
			words = words[i+2:]
			continue
		}
		choice, rest, _ := strings.Cut(words[i+1:], "}")
		forms := strings.Split(choice, "|")
		form := forms[len(forms)-1]
		if value == "0" || value == "1" { // which French takes for one thing, and Chinese does not tell apart
			form = forms[min(1, len(forms)-1)]
		}
		b.WriteString(form)
		words = rest
	}
	return b.String() + words
}

// number spells a number that came in the English form: French has no comma between thousands.
func (t *Tongue) number(s string) string {
	if t.code == "fr" && strings.Trim(s, "0123456789,") == "" {
		return strings.ReplaceAll(s, ",", "")
	}
	return s
}

// Title gives a heading of a report, which may hold a number or a name; one that has no translation as it is.
func (t *Tongue) Title(english string) string {
	if t == nil {
		return english
	}
	if s, ok := t.words[english]; ok {
		return s
	}
	for _, s := range t.sentences {
		if m := s.english.FindStringSubmatch(english); m != nil {
			return t.fill(s.words, m)
		}
	}
	return english
}

// Checks lists the ids of the checks that the language documents, sorted.
func (t *Tongue) Checks() []string {
	if t == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.checks))
}
