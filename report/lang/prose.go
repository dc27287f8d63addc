package lang

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// told is a sentence of a story with names, times and numbers in it.
type told struct {
	english *regexp.Regexp
	kinds   []string // of its groups: n, days, age, id, row or x
	words   string
}

// places are the groups of a sentence: a number, days or moments, a length of time, and any text, such as the name of a row.
var places = regexp.MustCompile(`<(n|days|age|id|row|x)>`)

// proseLine reads `English => translation`. In the English <n> is a number, <days> are days or moments as a report spells
// them, <age> is a length of time and <x> any text; (s) and (is|are) stand for what a number changes. In the translation
// $1 is what the first of them matched, in the language, and {1|one|many} chooses by its number.
func (t *Tongue) proseLine(line string) error {
	english, words, ok := strings.Cut(line, between)
	if !ok {
		return fmt.Errorf("%q is no pair", line)
	}
	s := told{words: words}
	for _, m := range places.FindAllStringSubmatch(english, -1) {
		s.kinds = append(s.kinds, m[1])
	}
	pattern := strings.NewReplacer("<n>", `([\d,]+)`, "<days>", `(.+?)`, "<age>", `(-?[\d.,]+ (?:second|minute|hour|day)s?)`, "<x>", "(.+?)", "<id>", `(\S+)`, "<row>", `(\S+|nothing \(the next message begins a new session\))`,
		`\(s\)`, "s?", `\(is\|are\)`, "(?:is|are)").Replace(regexp.QuoteMeta(english))
	re, err := regexp.Compile("^" + pattern + "$")
	if err != nil {
		return fmt.Errorf("read %q: %w", english, err)
	}
	s.english = re
	t.prose = append(t.prose, s)
	return nil
}

// Prose gives a sentence of a story, of its steps, or of the reasons of a restart in the language, with its days, times and
// numbers; one that has no translation as it is. Names stay. The first letter and a last full stop do not count.
func (t *Tongue) Prose(english string) string {
	if t == nil {
		return english
	}
	bare, stop := strings.CutSuffix(english, ".")
	s := t.tell(bare)
	switch {
	case s == "":
		return english
	case stop:
		return s + t.Say(".")
	}
	return s
}

func (t *Tongue) tell(english string) string {
	for _, form := range []string{english, lower(english)} {
		for i := range t.prose {
			s := &t.prose[i]
			m := s.english.FindStringSubmatch(form)
			if m == nil {
				continue
			}
			values := slices.Clone(m)
			for k, kind := range s.kinds {
				switch kind {
				case "days":
					values[k+1] = t.Days(m[k+1])
				case "age":
					values[k+1] = t.Age(m[k+1])
				case "x", "row":
					if said := t.Prose(m[k+1]); said != m[k+1] {
						values[k+1] = said
					}
				}
			}
			said := t.fill(s.words, values)
			if form != english || english != lower(english) {
				said = upper(said)
			}
			return said
		}
	}
	return ""
}

// lower and upper change the first letter where it is one of A to Z.
func lower(s string) string {
	if s != "" && s[0] >= 'A' && s[0] <= 'Z' {
		return string(s[0]+'a'-'A') + s[1:]
	}
	return s
}

func upper(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// dayForm is a day, or a range of days of one month, as a report spells it; the year may stand elsewhere.
var dayForm = regexp.MustCompile(`\b(\d{1,2}(?:–\d{1,2})?) ([A-Z][a-z]{2,8})(?: (\d{4}))?\b`)

// monthOf is the month that an English name means, whole or its first three letters; 0 = none.
func monthOf(name string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if name == m.String() || name == m.String()[:3] {
			return m
		}
	}
	return 0
}

// Days spells the days and months of a text as the language does; everything else of it stays, but for the word between two
// moments.
func (t *Tongue) Days(s string) string {
	if t == nil {
		return s
	}
	s = dayForm.ReplaceAllStringFunc(s, func(day string) string {
		m := dayForm.FindStringSubmatch(day)
		month := monthOf(m[2])
		if month == 0 {
			return day
		}
		if t.code == "zh" {
			out := fmt.Sprintf("%d月%s日", int(month), m[1])
			if m[3] != "" {
				out = m[3] + "年" + out
			}
			return out
		}
		return strings.TrimRight(m[1]+" "+t.Say(m[2])+" "+m[3], " ")
	})
	if s == "unknown days" || s == "at unknown times" {
		return t.Say(s)
	}
	if t.code == "zh" {
		return strings.ReplaceAll(s, " to ", " 至 ")
	}
	return strings.ReplaceAll(s, " to ", " au ")
}

// Age spells a length of time as the language does: "2.7 days" is "2,7 jours".
func (t *Tongue) Age(s string) string {
	number, unit, ok := strings.Cut(s, " ")
	if t == nil || !ok {
		return s
	}
	one := strings.TrimSuffix(unit, "s")
	word := t.Say(one)
	if word == one && one != "minute" {
		return s
	}
	if t.code != "fr" {
		return number + " " + word
	}
	if number != "1" && number != "0" && !strings.HasPrefix(number, "0.") && !strings.HasPrefix(number, "1.") {
		word += "s"
	}
	return strings.ReplaceAll(number, ".", ",") + " " + word
}
