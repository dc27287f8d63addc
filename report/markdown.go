package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// sheet writes Markdown for an issue tracker. The first failure of the writer is kept and ends all output.
type sheet struct {
	w     *bufio.Writer
	begun bool
	by    *Redactor // nil = nothing is redacted
	lang  *lang.Tongue
	err   error
}

func newSheet(w io.Writer, o Options) *sheet {
	w, by := through(w)
	return &sheet{w: bufio.NewWriter(w), by: by, lang: o.Lang}
}

// heading begins a section; data may be a part of its text.
func (s *sheet) heading(text string) { s.block("### " + markdownProse(s.lang.Title(text))) }

// block writes lines after a blank one. Its parts are escaped already.
func (s *sheet) block(lines ...string) {
	text := s.by.prose(strings.Join(lines, "\n")) + "\n"
	if s.begun {
		text = "\n" + text
	}
	s.begun = true
	if s.err == nil {
		_, s.err = s.w.WriteString(text)
	}
}

// label is a fixed word before a text, with what joins the two.
func (s *sheet) label(english string) string {
	word := []rune(s.lang.Say(english))
	word[0] = unicode.ToUpper(word[0])
	return string(word) + ": "
}

func (s *sheet) flush() error {
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err != nil {
		return fmt.Errorf("write report: %w", s.err)
	}
	return nil
}

func (s *sheet) grid(g *grid) {
	g = s.by.grid(g.in(s.lang))
	lines := make([]string, 0, len(g.rows)+2)
	titles, rules := make([]string, len(g.columns)), make([]string, len(g.columns))
	for i, c := range g.columns {
		titles[i], rules[i] = c.title, "---"
		if c == right(c.title) {
			rules[i] = "---:"
		}
	}
	lines = append(lines, "| "+strings.Join(titles, " | ")+" |", "| "+strings.Join(rules, " | ")+" |")
	for _, r := range g.rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = markdownCell(c)
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
	}
	s.block(lines...)
}

func (s *sheet) bullets(items []string) {
	if len(items) == 0 {
		return
	}
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = "- " + markdownProse(item)
	}
	s.block(lines...)
}

func (r *Report) markdown(w io.Writer, o Options) error {
	s, res := newSheet(w, o), r.result
	word, sentence, counts := r.verdict(o.Lang)
	s.block("**" + word + "**: " + markdownProse(sentence) + " (" + counts + ")")
	s.about(r.inputs)
	for _, st := range res.Stories {
		s.story(st, len(res.Databases) > 1)
	}
	for f, same := range r.grouped(o.Known) {
		s.finding(f)
		if len(same) > 0 {
			s.block(markdownProse(sameOf(same)))
		}
	}
	if len(res.Census) > 0 {
		s.heading("census")
		s.grid(r.censusGrid())
	}
	if g := r.endGrid(); g != nil {
		s.heading(endTitle)
		s.grid(g)
	}
	if len(res.NotDamage) > 0 {
		s.heading(notDamageTitle)
		s.bullets(r.notDamageLines())
	}
	if o.Events && res.Timeline != nil {
		s.heading("what happened")
		s.events(res.Timeline.Events())
	}
	if o.All && len(res.Sessions) > 0 {
		s.heading("sessions")
		s.grid(r.sessionGrid())
	}
	if len(res.Checkpoints) > 0 {
		s.heading("checkpoints")
		s.grid(r.auditGrid())
	}
	summary, failures := r.checks()
	s.heading("notes")
	s.bullets(slices.Concat([]string{summary}, failures, o.Known.sentences(res.Findings), r.notes()))
	if len(r.inputs) > 0 {
		s.heading("inputs")
		s.block(markdownFence("text", strings.Join(r.hashes(), "\n"))...)
	}
	s.about(r.inputs)
	return s.flush()
}

func (s *sheet) story(st scan.Story, store bool) {
	s.heading(storyTitle(st, store))
	for _, t := range st.Text {
		s.block(markdownProse(s.lang.Prose(t)))
	}
	if st.Next != "" {
		s.block(markdownFence("sh", Clean(st.Next, codeLimit))...)
	}
}

func (s *sheet) finding(f *scan.Finding) {
	s.block("### " + string(f.Severity) + ": " + markdownProse(f.Check) + " `" + f.ID() + "`")
	s.block(markdownProse(f.Message))
	if f.Advice != "" {
		s.block(s.label("advice") + markdownProse(f.Advice))
	}
	if len(f.Issues) > 0 {
		// References on purpose: they come from the check, not from the database.
		s.block(s.label("known as") + strings.Join(f.Issues, ", "))
	}
	s.bullets(adoptionLines(f.Adoption))
	if len(f.Fills) > 0 {
		s.block("This " + fillHead(f) + ":")
		lines := fillLines(f)
		for i := range lines { // a newline in the data is no line of ours
			lines[i] = Clean(lines[i], codeLimit)
		}
		s.block(markdownFence("text", strings.Join(lines, "\n"))...)
	}
	for i, e := range f.Evidence {
		if i == listLimit {
			s.block(hidden(len(f.Evidence)-i, "observation"))
			break
		}
		s.block(s.label("evidence") + markdownProse(e.At.String()) + ": " + markdownProse(e.Saw))
		if e.Command() != "" {
			s.block(markdownFence(fenceInfo(e.Command()), e.Command())...)
		}
	}
}

func (r *ResumeReport) markdown(w io.Writer, o Options) error {
	s := newSheet(w, o)
	s.about(r.inputs)
	if len(r.lines) == 0 {
		s.block(s.lang.Say(noChats))
	}
	for lines := range r.chats {
		s.heading(r.title(lines[0]))
		s.bullets(r.outcomes(lines, s.lang))
		if g := r.chatGrid(lines); len(g.rows) > 0 {
			s.grid(g)
		}
	}
	if list := r.nowhere(); len(list) > 0 {
		s.heading(nowhereTitle)
		s.bullets(list)
	}
	s.about(r.inputs)
	return s.flush()
}
