package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

func (r *Repair) table(w io.Writer, o Options) error {
	d := r.document()
	return d.table(w, o)
}

func (r *Repair) markdown(w io.Writer, o Options) error {
	d := r.document()
	return d.markdown(w, o)
}

func (r *Repair) document() document {
	d := document{inputs: r.Inputs}
	d.word, d.color, d.rest = r.headline()
	e := r.ending()
	if lines := append(r.changed(), r.linkLines()...); len(lines) > 0 {
		d.parts = append(d.parts, part{title: "chats", lines: lines, noun: "line"})
	}
	if n := int64(len(r.Plan.Steps)); n > 0 && !r.Shown {
		d.parts = append(d.parts, part{title: "steps (" + Count(n) + ")", lines: stepLines(r.Plan.Steps), noun: "step"})
	}
	d.parts = append(d.parts, r.heldParts()...)
	if n := len(r.Plan.Refused); n > 0 {
		d.parts = append(d.parts, part{title: "refused", lines: refusedLines(r.Plan.Refused), noun: "reason"})
	}
	d.parts = append(d.parts, r.leftParts()...)
	d.parts = append(d.parts, e.parts()...)
	if r.Apply != "" && r.Refused == nil && r.Failed == nil && !r.done() {
		d.parts = append(d.parts, part{title: "next: this makes and proves a backup, and then changes this copy", code: []string{r.Apply}})
	}
	return d
}

// leftParts tells what the plan does not do: routing entries that say otherwise, and statements that replace values.
func (r *Repair) leftParts() []part {
	var out []part
	if len(r.Plan.Routes) > 0 {
		x := part{title: "routing entries that name another row; they are left as they are", noun: "entry"}
		for _, l := range r.Plan.Routes {
			x.lines = append(x.lines, fmt.Sprintf("%s chat %s (%s) names %s; %s resumes %s: %s",
				l.Source, l.SessionKey, l.At, orNone(l.Names), l.Resolver, orNew(l.AfterFix), l.Does))
		}
		out = append(out, x)
	}
	if len(r.Plan.Advice) > 0 {
		x := part{title: "left to you: each of these replaces a value, so that this tool runs none of them"}
		for i, a := range r.Plan.Advice {
			if i == listLimit {
				x.lines = append(x.lines, hidden(len(r.Plan.Advice)-i, "statement"))
				break
			}
			x.lines = append(x.lines, fmt.Sprintf("%s (finding %s): %s", a.Check, a.Finding, a.Message))
			x.sql = append(x.sql, a.Statement+";")
		}
		out = append(out, x)
	}
	return out
}

func orNone(id string) string {
	if id == "" {
		return "no session"
	}
	return id
}

// RenderHeld writes, for a terminal, what the owner has to look at before consenting to these findings together.
func RenderHeld(w io.Writer, r *Repair, findings []string, o Options) error {
	var group []fix.Held
	for _, h := range r.Plan.Held {
		if slices.Contains(findings, h.Finding) {
			group = append(group, h)
		}
	}
	only := *r
	only.Plan, only.Accept = &fix.Plan{Held: group}, nil
	d := document{word: "consent", color: yellow, rest: "what speaks for this is no proof, and only the owner of the chat can say", parts: only.heldParts()}
	return d.table(w, o)
}

// heldParts gives each repair that waits for consent a part of its own, those that belong together one.
func (r *Repair) heldParts() []part {
	var out []part
	told := map[string]bool{}
	for _, h := range r.Plan.Held {
		if told[h.Finding] {
			continue
		}
		group := []fix.Held{h}
		for _, other := range r.Plan.Held {
			if slices.Contains(h.With, other.Finding) {
				group = append(group, other)
			}
		}
		if len(out) == listLimit {
			return append(out, part{title: hidden(len(r.Plan.Held)-len(told), "held repair")})
		}
		x := part{title: "held: " + h.Check + " " + h.SessionID}
		var ids, steps []string
		for _, one := range group {
			told[one.Finding] = true
			ids = append(ids, r.acceptID(one))
			x.lines = append(x.lines, r.heldLines(one)...)
			steps = append(steps, stepLines(one.Steps)...)
		}
		if g := r.comparedGrid(group); len(g.rows) > 0 {
			x.grid = g
		}
		out = append(out, x)
		if r.Accept == nil {
			continue
		}
		out = append(out, part{title: fmt.Sprintf("its steps (%d), once it is accepted; --yes does not accept", len(steps)), lines: steps, noun: "step",
			code: []string{r.Accept(ids)}})
	}
	return out
}

// acceptID is how a consent names a held repair: an adoption by its session where that can be typed, since an owner
// knows sessions; anything else by its finding, since a session may have several.
func (r *Repair) acceptID(h fix.Held) string {
	if r.Compared[h.Finding] != nil && Clean(h.SessionID, cellLimit) == h.SessionID {
		return h.SessionID
	}
	return h.Finding
}

func (r *Repair) heldLines(h fix.Held) []string {
	out := []string{"finding " + h.Finding}
	for _, why := range h.Why {
		out = append(out, "why: "+why)
	}
	return append(out, r.Compared[h.Finding].lines()...)
}

// lines tells what the two rows are to each other, and who else was weighed.
func (c *Comparison) lines() []string {
	if c == nil {
		return nil
	}
	out := []string{fmt.Sprintf("between the last message of %s and the start of %s: %s", c.Predecessor.Row.ID, c.Orphan.Row.ID, Duration(c.Gap))}
	for i, other := range c.Candidates {
		if i == listLimit {
			out = append(out, hidden(len(c.Candidates)-i, "candidate"))
			break
		}
		if other.SessionID != c.Predecessor.Row.ID {
			out = append(out, strings.TrimSuffix("another candidate: "+other.SessionID+", set aside: "+other.RejectedBy, ", set aside: "))
		}
	}
	for _, s := range []Side{c.Predecessor, c.Orphan} {
		for _, m := range []*Message{s.First, s.Last} {
			if m != nil && m.HasText {
				out = append(out, fmt.Sprintf("%s, message %s, %s (%s): %s", s.Row.ID, m.ID, Time(m.At), m.Role, m.Text))
			}
		}
	}
	return out
}

func (r *Repair) comparedGrid(group []fix.Held) *grid {
	g := &grid{columns: []column{
		left("row"), left("started"), left("ended"), right("messages"), left("first message"), left("last message"),
	}}
	seen := map[string]bool{}
	for _, h := range group {
		c := r.Compared[h.Finding]
		if c == nil {
			continue
		}
		for _, s := range append([]Side{c.Predecessor, c.Orphan}, c.Others...) {
			if seen[s.Row.ID] {
				continue
			}
			seen[s.Row.ID] = true
			who := s.Row.ID
			if i := slices.IndexFunc(c.Others, func(o Side) bool { return o.Row.ID == s.Row.ID }); i >= 0 {
				who += " (another candidate)"
			}
			ended := strings.TrimPrefix(strings.TrimSpace(Time(s.Row.Ended)+" "+s.Row.EndReason), "- ")
			g.add(who, Time(s.Row.Started), ended, Count(s.Row.Messages), s.First.words(), s.Last.words())
		}
	}
	return g
}

func (m *Message) words() string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("%s (id %s)", Time(m.At), m.ID)
}

func refusedLines(all []fix.Refused) []string {
	out := make([]string, len(all))
	for i, x := range all {
		out[i] = strings.TrimSpace(fmt.Sprintf("%s %s", x.Check, x.SessionID)) + fmt.Sprintf(" (finding %s): %s (%s)", x.Finding, x.Text, x.Code)
	}
	return out
}

// parts tells what came of a change.
func (e ending) parts() []part {
	var out []part
	if e.refused != nil && len(e.refused.Left) > 0 {
		out = append(out, part{title: "made for it, still there, and may be removed", lines: e.refused.Left})
	}
	if files := e.files(); files != nil {
		out = append(out, part{title: "files", files: files})
	}
	if e.outcome != nil && len(e.outcome.Notes) > 0 {
		out = append(out, part{title: "to know", lines: e.outcome.Notes})
	}
	if lines := e.remains(); lines != nil {
		out = append(out, part{title: "what a scan of the result still finds", lines: lines, noun: "finding"})
	}
	if lines := e.putBack(); lines != nil {
		out = append(out, part{title: "how to put it back", lines: lines})
	}
	if e.undo != "" {
		out = append(out, part{title: "to take it back", code: []string{e.undo}})
	}
	return out
}
