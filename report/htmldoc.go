package report

import (
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// chatsShown bounds the chats of a page that shows each one's rows.
const chatsShown = 200

// html writes each chat with what the generations of the product do and its rows side by side.
func (r *ResumeReport) html(w io.Writer, o Options) error {
	p := newHTMLPage(r.tool, r.inputs, r.result)
	p.Title = htmlTitle("What a restart gives", r.inputs)
	s := htmlSection{ID: "chats", Title: "Each chat, with its rows side by side"}
	chats := 0
	for lines := range r.chats {
		if chats++; chats > chatsShown {
			continue
		}
		b := htmlBlock{Title: Clean(capital(o.Lang.Title(r.title(lines[0]))), cellLimit)}
		for _, s := range r.outcomes(lines, o.Lang) {
			b.Lines = append(b.Lines, spans(s))
		}
		if g := r.chatGrid(lines); len(g.rows) > 0 {
			b.Table, b.More = htmlGrid("Rows of "+r.title(lines[0]), g, "row")
		}
		s.Blocks = append(s.Blocks, b)
	}
	s.Count = Count(int64(chats))
	if n := chats - chatsShown; n > 0 {
		s.More = hidden(n, "chat")
	}
	if chats == 0 {
		s.Intro = [][]span{spans(capital(noChats) + ".")}
	}
	p.add(s)
	if list := r.nowhere(); len(list) > 0 {
		b := htmlBlock{}
		for _, l := range list[:min(len(list), rowsShown)] {
			b.Lines = append(b.Lines, spans(l))
		}
		p.add(htmlSection{ID: "nowhere", Title: capital(nowhereTitle), Count: Count(int64(len(list))), Blocks: []htmlBlock{b}})
	}
	p.add(htmlInputs(r.inputs, r.result, o.Lang))
	return p.write(w, o)
}

// html writes the list of checkpoints as a page; an audit has its findings whole, and what each checkpoint misses.
func (v *Inventory) html(w io.Writer, o Options) error {
	d := v.document()
	res := &scan.Result{Unchanged: len(v.Changed) == 0, Changed: v.Changed, Digest: evidence.Digest(v.Inputs)}
	p := newHTMLPage(v.Tool, v.Inputs, res)
	p.Title = htmlTitle("Checkpoints", v.Inputs)
	tones := map[string]string{green: "good", yellow: "warn", red: "bad"}
	p.Verdict = &htmlVerdict{Word: Clean(d.word, cellLimit), Tone: tones[d.color], Sentence: spans(capital(strings.TrimRight(d.rest, ".")) + ".")}
	if v.Audit != nil {
		r := New(v.Tool, v.Inputs, v.Audit)
		o.Known = v.Known
		p.add(r.htmlFindings(o))
		p.add(r.htmlCheckpoints())
	}
	for i := range d.parts {
		if v.Audit == nil || !strings.HasPrefix(d.parts[i].title, findingsTitle) {
			p.add(d.parts[i].html(i))
		}
	}
	p.add(htmlInputs(v.Inputs, res, o.Lang))
	return p.write(w, o)
}

func (x *part) html(n int) htmlSection {
	s := htmlSection{ID: "part-" + Count(int64(n+1)), Title: Clean(capital(x.title), cellLimit)}
	b := htmlBlock{}
	lines, more := x.shown()
	for _, l := range lines {
		b.Lines = append(b.Lines, spans(l))
	}
	b.More = more
	b.Commands = append(b.Commands, x.files...)
	for _, c := range slices.Concat(x.sql, x.code) {
		b.Commands = append(b.Commands, Clean(c, codeLimit))
	}
	if x.grid == nil {
		s.Blocks = []htmlBlock{b}
		return s
	}
	b.Table, s.More = htmlGrid(x.title, x.grid, "line")
	s.Blocks = []htmlBlock{b}
	return s
}
