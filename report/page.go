package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// page writes text for a terminal. The first failure of the writer is kept and ends all output.
type page struct {
	w     *bufio.Writer
	width int
	color bool
	grids *setter   // made when first needed
	by    *Redactor // nil = nothing is redacted
	lang  *lang.Tongue
	err   error
}

func newPage(w io.Writer, o Options) *page {
	w, by := through(w)
	return &page{w: bufio.NewWriter(w), width: o.width(), color: o.Color, by: by, lang: o.Lang}
}

func (p *page) flush() error {
	if p.err == nil {
		p.err = p.w.Flush()
	}
	if p.err != nil {
		return fmt.Errorf("write report: %w", p.err)
	}
	return nil
}

// line writes text as it is; its parts are clean already.
func (p *page) line(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, p.by.prose(text))
	}
}

// para cleans text and wraps it under indent.
func (p *page) para(indent, text string) { p.hang(indent, indent, text) }

// hang cleans text and wraps it: the first line after first, the others after rest.
func (p *page) hang(first, rest, text string) {
	for i, l := range wrap(Clean(p.by.prose(text), proseLimit), max(p.width-textWidth(rest), 20)) {
		if i == 0 {
			p.line(strings.TrimRight(first+l, " "))
		} else {
			p.line(rest + l)
		}
	}
}

// code writes a statement under indent with its own line breaks and no others, so that it can be copied.
func (p *page) code(indent, text string) {
	for _, l := range cleanLines(p.by.prose(text), codeLimit) {
		p.line(indent + l)
	}
}

func (p *page) grid(indent string, g *grid) {
	if p.err != nil {
		return
	}
	if p.grids == nil {
		p.grids = newSetter()
	}
	p.err = p.grids.write(p.w, p.by.grid(g.in(p.lang)), indent, p.width)
}

// heading separates sections by a blank line.
func (p *page) heading(text string) {
	p.line("")
	p.line(p.lang.Title(text))
}

// label is a fixed word before a text, with what joins the two.
func (p *page) label(english string) string { return p.lang.Say(english) + ": " }

// paint colours a word of a fixed vocabulary; data never reaches it.
func (p *page) paint(color, word string) string {
	if !p.color || color == "" {
		return word
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m"
}

// The colours of a terminal by number, bold.
const (
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
	cyan   = "1;36"
)

func severityColor(s scan.Severity) string {
	return map[scan.Severity]string{scan.Error: red, scan.Warning: yellow, scan.Notice: cyan}[s]
}

func wordColor(w scan.Word) string {
	return map[scan.Word]string{
		scan.Damaged: red, scan.Absent: red, scan.Inconclusive: yellow, scan.SoundElsewhere: yellow, scan.Sound: green,
	}[w]
}
