package report

import (
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// table writes each chat with what the generations of the product do and its rows side by side.
func (r *ResumeReport) table(w io.Writer, o Options) error {
	p := newPage(w, o)
	p.about(r.inputs)
	first := true
	for lines := range r.chats {
		if !first || len(r.inputs) > 0 {
			p.line("")
		}
		first = false
		p.line(p.lang.Title(Clean(r.title(lines[0]), cellLimit)))
		for _, s := range r.outcomes(lines, p.lang) {
			p.hang("  ", "    ", s)
		}
		if g := r.chatGrid(lines); len(g.rows) > 0 {
			p.grid("  ", g)
		}
	}
	if first {
		p.line(p.lang.Say(noChats))
	}
	if list := r.nowhere(); len(list) > 0 {
		p.heading(nowhereTitle)
		for _, l := range list {
			p.hang("  ", "    ", l)
		}
	}
	p.foot(r.inputs)
	return p.flush()
}

const noChats = "no row and no routing entry names a chat"

func (r *ResumeReport) title(line int) string {
	l := r.result.Resume[line]
	return storyTitle(scan.Story{Store: l.Store, Source: l.Source, SessionKey: l.SessionKey}, len(r.result.Databases) > 1)
}

// outcomes says what each resolver does; those that agree in everything share a line.
func (r *ResumeReport) outcomes(lines []int, t *lang.Tongue) []string {
	var out, resolvers []string
	for i, at := range lines {
		l := r.result.Resume[at]
		resolvers = append(resolvers, l.Resolver)
		if i+1 < len(lines) && sameOutcome(l, r.result.Resume[lines[i+1]]) {
			continue
		}
		out = append(out, strings.Join(resolvers, ", ")+t.Say(": ")+t.Prose(outcome(l)))
		resolvers = nil
	}
	return out
}

func sameOutcome(a, b scan.ResumeLine) bool {
	return a.Now == b.Now && a.AfterFix == b.AfterFix && a.RunnerUp == b.RunnerUp && a.Why == b.Why
}

func outcome(l scan.ResumeLine) string {
	s := "a restart resumes " + orNew(l.Now)
	if l.AfterFix != l.Now {
		s += ", after a fix " + orNew(l.AfterFix)
	}
	if l.Why != "" {
		s += ": " + l.Why
	}
	return s
}

func orNew(id string) string {
	if id == "" {
		return "nothing (the next message begins a new session)"
	}
	return id
}

func (r *ResumeReport) chatGrid(lines []int) *grid {
	g := &grid{columns: []column{
		left("session"), left("verdict"), left("started"), left("last message"), right("messages"), left("ended"), left("picked"),
	}}
	for _, at := range r.rows(lines) {
		s := &r.result.Sessions[at]
		ended := Time(s.Ended)
		if s.EndReason != "" {
			ended = strings.TrimPrefix(ended+" "+s.EndReason, "- ")
		}
		g.add(s.ID, s.Verdict.String(), Time(s.Started), Time(s.Last), Count(s.Messages), ended, r.picked(lines, s.ID))
	}
	return g
}

// picked says when a restart takes the row, and in which generation unless all agree.
func (r *ResumeReport) picked(lines []int, id string) string {
	var now, after []string
	for _, at := range lines {
		l := r.result.Resume[at]
		if l.Now == id {
			now = append(now, l.Resolver)
		}
		if l.AfterFix == id && l.AfterFix != l.Now {
			after = append(after, l.Resolver)
		}
	}
	if i, ok := r.byID[rowID{r.result.Resume[lines[0]].Store, id}]; ok && len(now)+len(after) == 0 && slices.Contains(r.held[r.id(lines[0])], i) {
		return "after a fix that you consent to"
	}
	parts := slices.DeleteFunc([]string{when("now", now, len(lines)), when("after a fix", after, len(lines))},
		func(s string) bool { return s == "" })
	return strings.Join(parts, "; ")
}

func when(what string, resolvers []string, all int) string {
	switch len(resolvers) {
	case 0:
		return ""
	case all:
		return what
	}
	return what + " in " + strings.Join(resolvers, ", ")
}
