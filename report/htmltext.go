package report

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
)

// span is a piece of a sentence: prose, or an id, a key, a path or a statement, which is set as code. Badge is the letter
// of the row that it names in the picture beside it.
type span struct {
	Text  string
	Code  bool
	Short bool // it fits a line of a telephone, and is not broken
	Badge string
	Role  string
}

// wordLimit is how many characters of one word of a sentence are shown: ids and keys are shorter, and a longer one would
// bury the sentence.
const wordLimit = 160

// shortCode is how many characters of code fit a line of a telephone.
const shortCode = 30

// spans cleans a sentence and finds the words in it that are not prose, by the rule of Markdown's code spans.
func spans(s string) []span {
	var out []span
	prose, room := "", proseLimit
	say := func(text string) { prose += text }
	for i, w := range strings.Split(strings.TrimSpace(s), " ") {
		w = Clean(w, wordLimit)
		if room -= len(w); room < 0 {
			say(" …")
			break
		}
		if i > 0 {
			say(" ")
		}
		time := moment(w)
		if plain(w) && !time && !strings.HasPrefix(w, "--") {
			say(w)
			continue
		}
		open, core, end := punctuation(w)
		say(open)
		if prose != "" {
			out = append(out, span{Text: prose})
			prose = ""
		}
		out = append(out, span{Text: core, Code: !time, Short: time || utf8.RuneCountInString(core) <= shortCode})
		say(end)
	}
	if prose != "" {
		out = append(out, span{Text: prose})
	}
	return out
}

// moment says that a word is a date or a time of day, which is prose.
func moment(w string) bool {
	w = strings.TrimRight(w, ".,;)。，；）")
	_, day := time.Parse(time.DateOnly, w)
	_, hour := time.Parse("15:04", w)
	return day == nil || hour == nil
}

// badges marks the ids of rows in a sentence with the letters of their picture.
func (l *htmlLetters) badges(list []span) []span {
	for i := range list {
		if b, ok := l.of[list[i].Text]; ok && list[i].Code {
			list[i].Badge, list[i].Role = b.letter, b.role
		}
	}
	return list
}

// rowName is the id of a row in the words of say.
type rowName string

// say puts the ids of rows, with their letters, for each percent sign of a sentence; a text among the arguments follows
// the sentence so far.
func (l *htmlLetters) say(sentence string, with ...any) []span {
	out := l.english(sentence, with...)
	if l.lang == nil {
		return out
	}
	whole := ""
	for _, x := range out {
		whole += x.Text
	}
	if said := l.lang.Prose(whole); said != whole {
		return l.badges(spans(said))
	}
	return out
}

// prose says a whole sentence of a scan.
func (l *htmlLetters) prose(sentence string) []span { return l.badges(spans(l.lang.Prose(sentence))) }

func (l *htmlLetters) english(sentence string, with ...any) []span {
	var out []span
	for _, w := range with {
		switch w := w.(type) {
		case rowName:
			before, after, _ := strings.Cut(sentence, "%")
			sentence = after
			id := Clean(string(w), wordLimit)
			b := l.of[id]
			out = append(out, span{Text: before},
				span{Text: id, Code: true, Short: utf8.RuneCountInString(id) <= shortCode, Badge: b.letter, Role: b.role})
		case string:
			out = append(out, append([]span{{Text: sentence}}, spans(w)...)...)
			if strings.HasPrefix(w, " ") {
				out = slices.Insert(out, len(out)-len(spans(w)), span{Text: " "})
			}
			sentence = ""
		}
	}
	return append(out, span{Text: sentence})
}

// htmlLetters names the rows of one picture, and says in which language.
type htmlLetters struct {
	of   map[string]letter
	lang *lang.Tongue
}

type letter struct{ letter, role string }

// cell is one cell of a table.
type htmlCell struct {
	Text, Class, Label string
	Code               bool
	Badge, Role        string
}

type htmlColumn struct {
	Title string
	Right bool
}

// htmlTable is a table whose cells are clean.
type htmlTable struct {
	Label   string
	Columns []htmlColumn
	Rows    [][]htmlCell
}

// longWord is from how many characters on a word of a table may be broken.
const longWord = 26

// rowsShown bounds the rows of one table, so that a page of a large store still opens.
const rowsShown = 200

// htmlGrid sets a grid, but for the rows that are too many, which are counted.
func htmlGrid(label string, g *grid, noun string) (t *htmlTable, more string) {
	t = &htmlTable{Label: Clean(label, cellLimit)}
	for _, c := range g.columns {
		t.Columns = append(t.Columns, htmlColumn{c.title, c == right(c.title)})
	}
	rows := g.rows
	if len(rows) > rowsShown {
		rows, more = rows[:rowsShown], hidden(len(rows)-rowsShown, noun)
	}
	for _, r := range rows {
		cells := make([]htmlCell, len(r))
		for i, c := range r {
			cells[i] = t.cell(i, c)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, more
}

// cell cleans a cell of column i; ids and keys are set as code.
func (t *htmlTable) cell(i int, raw string) htmlCell {
	c := htmlCell{Text: Clean(raw, cellLimit), Label: t.Columns[i].Title}
	if t.Columns[i].Right {
		c.Class = "r"
		return c
	}
	if _, err := time.Parse("2006-01-02 15:04:05Z", raw); err == nil {
		c.Class = "t"
		return c
	}
	for w := range strings.SplitSeq(c.Text, " ") {
		if !plain(w) && !moment(w) {
			c.Code = !strings.Contains(c.Text, " ")
		}
		if utf8.RuneCountInString(w) > longWord {
			c.Class = "long"
		}
	}
	if c.Class == "" && len(c.Text) > 40 {
		c.Class = "wide"
	}
	return c
}
