package adopt

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// retired is the reason that the losing rows get: final in every generation, and no boundary (spec 7.1, Z1).
const retired = "superseded_by_repair"

// plan makes the fills of every adoption and proves them by the resolver.
func (d *decider) plan(ctx context.Context) (*Decisions, error) {
	roots, err := d.f.Details(ctx, d.DB, d.roots(), facts.WantIdentity)
	if err != nil {
		return nil, err
	}
	out := &Decisions{Witnesses: d.wit, Losers: map[int32][]int32{}, byRow: make(map[int32]outcome, len(d.list)), fills: map[int32][]Fill{}}
	for _, o := range d.list {
		out.Orphans = append(out.Orphans, o.row)
	}
	order, groups := d.groups()
	for _, at := range order {
		for _, o := range groups[at] {
			out.Losers[o.row] = d.losers(o)
			out.fills[o.row] = d.fill(o, roots[d.root(o.pred)], out.Losers[o.row])
		}
	}
	if err := d.prove(ctx, out); err != nil {
		return nil, err
	}
	for _, o := range d.list {
		if o.Decision == Refuse {
			delete(out.fills, o.row)
			delete(out.Losers, o.row)
		}
		d.finish(o)
		out.byRow[o.row] = outcome{o.Adoption, o.pred, o.corrob}
	}
	return out, nil
}

// finish gives every candidate that was not taken its reason.
func (d *decider) finish(o *orphan) {
	for k := range o.Candidates {
		c := &o.Candidates[k]
		switch {
		case c.SessionID == o.Predecessor && o.Decision == Refuse && c.RejectedBy == "":
			c.RejectedBy = o.Refusals[0].Code
		case c.SessionID != o.Predecessor && c.RejectedBy == "":
			c.RejectedBy = "weaker evidence"
		}
	}
}

// roots lists the keyed rows whose identity the adopted orphans would get.
func (d *decider) roots() []int32 {
	var out []int32
	seen := map[int32]bool{}
	for _, o := range d.list {
		if o.Decision == Refuse {
			continue
		}
		if r := d.root(o.pred); !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	return out
}

// losers are the live rows that must not win any more once the orphan has the key.
func (d *decider) losers(o *orphan) []int32 {
	var out []int32
	if d.f.Sessions[o.pred].Live() {
		out = append(out, o.pred)
	}
	for _, i := range d.chat(o.lane, o.SessionKey).live {
		if !d.inChain(o, i) && d.f.Sessions[i].Start() < d.f.Sessions[o.row].Start() {
			out = append(out, i)
		}
	}
	return out
}

// fill lists the cells that an adoption sets, all of them blank now: identity from the columns of the keyed row at
// the head of the chain, the heartbeat, lineage where the product keeps listing the row (D4), and the end of the
// rows that lose.
func (d *decider) fill(o *orphan, root *facts.Detail, losers []int32) []Fill {
	s, r := &d.f.Sessions[o.row], &d.f.Sessions[d.root(o.pred)]
	var out []Fill
	set := func(key, column string, value any, because string) {
		out = append(out, Fill{"sessions", key, column, value, because})
	}
	from := fmt.Sprintf("the same column of %q, which it continues", r.ID)
	for _, c := range []struct{ column, mine, theirs string }{
		{"session_key", s.SessionKey, r.SessionKey}, {"chat_id", s.ChatID, r.ChatID}, {"chat_type", s.ChatType, r.ChatType},
		{"thread_id", s.ThreadID, r.ThreadID}, {"user_id", s.UserID, r.UserID},
		{"origin_json", o.detail.OriginJSON, root.OriginJSON}, {"display_name", o.detail.DisplayName, root.DisplayName},
	} {
		if c.mine == "" && c.theirs != "" {
			set(s.ID, c.column, c.theirs, from)
		}
	}
	if d.has("last_activity_at") && s.LastActivity.Blank() && !s.Last.Blank() {
		set(s.ID, "last_activity_at", float64(s.Last), "the time of its newest message: the resolver compares heartbeats")
	}
	out = append(out, d.lineageFill(o)...)
	for _, i := range losers {
		l := &d.f.Sessions[i]
		if end := l.Act(); !end.Blank() {
			set(l.ID, "ended_at", float64(end), "its own last activity: "+s.ID+" takes the chat over")
			set(l.ID, "end_reason", retired, "a reason that no build resumes and that fences nothing")
		}
	}
	return out
}

// lineageFill records the predecessor where the row stays in the product's lists: as a reset child of a row that a
// boundary ended, or together with the marker that says so.
func (d *decider) lineageFill(o *orphan) []Fill {
	s, p := &d.f.Sessions[o.row], &d.f.Sessions[o.pred]
	if s.ParentID != "" || p.EndReason == "compression" {
		return nil
	}
	parent := Fill{"sessions", s.ID, "parent_session_id", p.ID, "the row that it continues"}
	switch {
	case resume.Boundary(p.EndReason):
		return []Fill{parent}
	case s.Blank:
		id, err := json.Marshal(p.ID)
		if err != nil {
			return nil
		}
		return []Fill{parent, {"sessions", s.ID, "model_config", `{"_reset_from": ` + string(id) + `}`,
			"without this marker the product hides a row that has a parent"}}
	}
	return nil
}

// has says whether the table sessions has a column.
func (d *decider) has(column string) bool {
	t := d.DB.Table("sessions")
	return t != nil && t.Has(column)
}

// Change sets the cells of fills in a view, as a repair would in the file.
func Change(v *facts.View, fills []Fill) {
	for _, c := range fills {
		i, ok := v.Index(c.Key)
		if !ok {
			continue
		}
		v.Change(i, func(s *facts.Session) { cell(s, c) })
	}
}

func cell(s *facts.Session, c Fill) {
	text, _ := c.Value.(string)
	number, _ := c.Value.(float64)
	switch c.Column {
	case "session_key":
		s.SessionKey = text
	case "chat_id":
		s.ChatID = text
	case "chat_type":
		s.ChatType = text
	case "thread_id":
		s.ThreadID = text
	case "user_id":
		s.UserID = text
	case "last_activity_at":
		s.LastActivity = facts.Time(number)
	case "ended_at":
		s.Ended = facts.Time(number)
	case "end_reason":
		s.EndReason, s.HasReason = text, true
	case "parent_session_id":
		s.ParentID = text
	case "model_config":
		m := facts.ParseMarks([]byte(text))
		s.Marks = m
	}
}
