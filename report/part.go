package report

import (
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// part is a piece of a document before it has a format. Its lines and cells are raw and are cleaned by whoever writes
// it; title is the tool's own words, of which data may be a part.
type part struct {
	title string
	lines []string
	grid  *grid
	files []string // hashes with their files, clean already, never wrapped: each is a line for sha256sum
	code  []string // commands, each to be copied as it is
	sql   []string // statements, as code
	noun  string   // of a line, where only the first few are shown; "" = all are
}

// shown parts the lines from those that are counted instead.
func (x *part) shown() (lines []string, more string) {
	if x.noun == "" || len(x.lines) <= pathsShown {
		return x.lines, ""
	}
	return x.lines[:pathsShown], hidden(len(x.lines)-pathsShown, x.noun)
}

// document is a headline and parts, for people.
type document struct {
	word, color, rest string
	inputs            []evidence.Input // which the page is about
	other             []evidence.Input // of the other side, where two are compared
	parts             []part
}

func (d *document) table(w io.Writer, o Options) error {
	p := newPage(w, o)
	p.lead(d.word, d.color, d.rest)
	p.about(d.inputs, d.other)
	for i := range d.parts {
		x := &d.parts[i]
		p.heading(Clean(x.title, cellLimit))
		lines, more := x.shown()
		for _, l := range lines {
			p.hang("  ", "    ", l)
		}
		if more != "" {
			p.line("  " + more)
		}
		if x.grid != nil {
			p.grid("  ", x.grid)
		}
		for _, f := range x.files {
			p.line("  " + f)
		}
		for _, c := range slices.Concat(x.sql, x.code) {
			// One line whatever it holds: a line break from a path would end the command when it is pasted.
			p.line("  " + Clean(c, codeLimit))
		}
	}
	p.foot(d.inputs, d.other)
	return p.flush()
}

// lead writes the first sentence, with its word in colour.
func (p *page) lead(word, color, rest string) {
	word = p.lang.Say(word)
	for i, l := range wrap(Clean(word+": "+p.by.prose(rest), proseLimit), p.width) {
		if i == 0 && len(l) > len(word) {
			l = p.paint(color, l[:len(word)]) + l[len(word):]
		}
		p.line(l)
	}
}

func (d *document) markdown(w io.Writer, o Options) error {
	s := newSheet(w, o)
	s.block("**" + s.lang.Say(d.word) + "**: " + markdownProse(d.rest))
	s.about(d.inputs, d.other)
	for i := range d.parts {
		x := &d.parts[i]
		s.heading(x.title)
		lines, more := x.shown()
		s.bullets(lines)
		if more != "" {
			s.block(more)
		}
		if x.grid != nil {
			s.grid(x.grid)
		}
		if len(x.files) > 0 {
			s.block(markdownFence("text", strings.Join(x.files, "\n"))...)
		}
		if len(x.sql) > 0 {
			statements := make([]string, len(x.sql))
			for i, c := range x.sql {
				statements[i] = Clean(c, codeLimit)
			}
			s.block(markdownFence("sql", strings.Join(statements, "\n"))...)
		}
		for _, c := range x.code {
			s.block(markdownFence("sh", Clean(c, codeLimit))...)
		}
	}
	s.about(d.inputs, d.other)
	return s.flush()
}
