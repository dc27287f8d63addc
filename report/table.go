package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// table writes the report for a terminal: the verdict, what happened to which chat, the findings with their
// proof, the census, what to know about the files, and their hashes.
func (r *Report) table(w io.Writer, o Options) error {
	p, res := newPage(w, o), r.result
	word, sentence, counts := r.verdict(o.Lang)
	p.line(p.paint(wordColor(res.Verdict.Word), word) + ": " + Clean(sentence, proseLimit) + " (" + counts + ")")
	p.about(r.inputs)
	for _, s := range res.Stories {
		p.story(s, len(res.Databases) > 1)
	}
	for f, same := range r.grouped(o.Known) {
		p.finding(f)
		if len(same) > 0 {
			p.para("  ", sameOf(same))
		}
	}
	if len(res.Census) > 0 {
		p.heading("census")
		p.grid("  ", r.censusGrid())
	}
	if g := r.endGrid(); g != nil {
		p.heading(endTitle)
		p.grid("  ", g)
	}
	if len(res.NotDamage) > 0 {
		p.heading(notDamageTitle)
		for _, l := range r.notDamageLines() {
			p.hang("  ", "    ", l)
		}
	}
	if o.Events && res.Timeline != nil {
		p.heading("what happened")
		n := 0
		for e := range res.Timeline.Events() {
			p.event(e)
			n++
		}
		if n == 0 {
			p.line("  " + p.lang.Say(noEvents))
		}
	}
	if o.All && len(res.Sessions) > 0 {
		p.heading("sessions")
		p.grid("  ", r.sessionGrid())
	}
	if len(res.Checkpoints) > 0 {
		p.heading("checkpoints")
		p.grid("  ", r.auditGrid())
	}
	p.notes(r, o)
	if len(r.inputs) > 0 {
		p.heading("inputs")
	}
	for _, l := range r.hashes() {
		p.line("  " + l)
	}
	p.foot(r.inputs)
	return p.flush()
}

func (p *page) story(s scan.Story, store bool) {
	p.heading(Clean(storyTitle(s, store), cellLimit))
	for _, t := range s.Text {
		p.para("  ", p.lang.Prose(t))
	}
	if s.Next != "" {
		// One line whatever it holds: a line break from a path would end the command when it is pasted.
		p.line("  " + p.label("next") + Clean(s.Next, codeLimit))
	}
}

func (p *page) finding(f *scan.Finding) {
	p.heading(p.paint(severityColor(f.Severity), p.lang.Say(string(f.Severity))) + "  " + f.Check + "  " + f.ID())
	p.para("  ", f.Message)
	if f.Advice != "" {
		head := "  " + p.label("advice")
		p.hang(head, strings.Repeat(" ", textWidth(head)), f.Advice)
	}
	if len(f.Issues) > 0 {
		p.para("  ", p.label("known as")+strings.Join(f.Issues, ", "))
	}
	for i, l := range adoptionLines(f.Adoption) {
		if i == 0 {
			p.hang("  ", "    ", l)
		} else {
			p.hang("    ", "      ", l)
		}
	}
	if len(f.Fills) > 0 {
		p.line("  " + fillHead(f))
		for _, l := range fillLines(f) {
			p.hang("    ", "      ", l)
		}
	}
	p.line("  " + p.lang.Say("evidence"))
	for i, e := range f.Evidence {
		if i == listLimit {
			p.line("    " + hidden(len(f.Evidence)-i, "observation"))
			break
		}
		p.hang("    ", "      ", e.At.String()+": "+e.Saw)
		if e.Command() != "" {
			p.code("      ", e.Command())
		}
	}
}

// notes is silent about checks when every one of them ran.
func (p *page) notes(r *Report, o Options) {
	summary, failures := r.checks()
	notes := append(o.Known.sentences(r.result.Findings), r.notes()...)
	if strings.Contains(summary, ",") {
		notes = append([]string{summary}, append(failures, notes...)...)
	}
	if len(notes) > 0 {
		p.heading("notes")
	}
	for _, n := range notes {
		p.hang("  ", "    ", n)
	}
	if !o.Timings {
		return
	}
	g := &grid{columns: []column{left("check"), left("status"), right("ms")}}
	for _, c := range r.result.Checks {
		g.add(c.ID, string(c.Status), fmt.Sprintf("%.1f", c.Millis))
	}
	p.heading("timings")
	p.grid("  ", g)
}
