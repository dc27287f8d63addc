package adopt

import (
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// ownVetoes are the reasons that lie in the orphan alone.
func (d *decider) ownVetoes(o *orphan) {
	s := &d.f.Sessions[o.row]
	if !o.detail.Visible {
		o.refuse("no-visible-messages", "no user or assistant message of it is active")
	}
	if s.Malformed && !s.Blank {
		o.refuse("unreadable-marker", "its model_config is not JSON, so that it may be a branch or a delegate")
	}
	if cols := d.f.Garbled[o.row]; len(cols) > 0 {
		o.refuse("unreadable-row", fmt.Sprintf("its %v is not UTF-8, on which the product fails", cols))
	} else if d.GarbledMessages[o.row] {
		o.refuse("unreadable-row", "a text of its messages is not UTF-8")
	}
	if s.Parent >= 0 && s.Parent != o.row {
		if p := &d.f.Sessions[s.Parent]; p.Last > d.end(o) {
			o.refuse("parent-outlived", fmt.Sprintf("its parent %q has messages after this row's last: it looks like a sub-agent's run", p.ID))
		}
	}
}

// inChain says that row i is one of those that the orphan continues, link by link.
func (d *decider) inChain(o *orphan, i int32) bool {
	for o != nil && o.pred >= 0 {
		if o.pred == i {
			return true
		}
		o = d.byRow[o.pred]
	}
	return false
}

// contradiction says why row i cannot be the orphan's chat: the identity of either side denies it. In a chain the
// row at its head is asked too.
func (d *decider) contradiction(o *orphan, i int32) *Refusal {
	s := &d.f.Sessions[o.row]
	for {
		c := &d.f.Sessions[i]
		if s.UserID != "" && c.UserID != "" && s.UserID != c.UserID {
			return &Refusal{"user-contradicts", fmt.Sprintf("its user is %q, that of %q is %q", s.UserID, c.ID, c.UserID)}
		}
		own := facts.Origin{ChatID: s.ChatID, ChatType: s.ChatType, ThreadID: s.ThreadID}
		for _, mine := range []facts.Origin{own, o.origin} {
			if what := differs(mine, c); what != "" {
				return &Refusal{"identity-contradicts", fmt.Sprintf("its %s differs from that of %q", what, c.ID)}
			}
		}
		link := d.byRow[i]
		if link == nil || link.pred < 0 {
			return nil
		}
		i = link.pred
	}
}

// differs names the first part of a place that contradicts a row. A blank part of the row says nothing, except that
// a row which names its chat and no thread lies in no thread.
func differs(mine facts.Origin, c *facts.Session) string {
	placed := c.ChatID != ""
	switch {
	case mine.ChatID != "" && placed && mine.ChatID != c.ChatID:
		return "chat_id"
	case mine.ChatType != "" && c.ChatType != "" && mine.ChatType != c.ChatType:
		return "chat_type"
	case mine.ThreadID != "" && placed && mine.ThreadID != c.ThreadID:
		return "thread_id"
	case mine.ChatID != "" && mine.ChatType != "" && mine.ThreadID == "" && c.ThreadID != "":
		return "thread_id"
	}
	return ""
}

// chatVetoes are the reasons in the rest of a chat for which an orphan cannot continue its row i: the chat went on in
// another row, or was left on purpose.
func (d *decider) chatVetoes(o *orphan, key string, i int32) []Refusal {
	var out []Refusal
	p, c := &d.f.Sessions[i], d.chat(o.lane, key)
	for k := len(c.live) - 1; k >= 0; k-- {
		r := &d.f.Sessions[c.live[k]]
		if c.live[k] != i && !d.inChain(o, c.live[k]) && r.Start() >= p.Act() {
			out = append(out, Refusal{"live-continuation", fmt.Sprintf("%q is a live row of this chat that began after %q fell quiet", r.ID, p.ID)})
			break
		}
	}
	if k := c.boundary(d.f, i, p.Act(), d.f.Sessions[o.row].Start()); k >= 0 {
		b := &d.f.Sessions[k]
		out = append(out, Refusal{"boundary-between", fmt.Sprintf("%q of this chat was ended on purpose (%s) between %q and this row", b.ID, b.EndReason, p.ID)})
	}
	return out
}

// linkVetoes are the reasons that lie between the orphan and its predecessor.
func (d *decider) linkVetoes(o *orphan) {
	if r := d.contradiction(o, o.pred); r != nil {
		o.refuse(r.Code, r.Text)
		d.consider(o, o.pred, r.Code)
		o.severed = true
	}
	if r := d.elsewhere(o); r != nil {
		o.refuse(r.Code, r.Text)
		d.consider(o, o.pred, r.Code)
		o.severed = true
	}
	for _, r := range d.chatVetoes(o, o.SessionKey, o.pred) {
		o.refuse(r.Code, r.Text)
	}
	d.overlap(o)
}

// elsewhere says which witness names another chat than that of the row at the head of the orphan's chain. A witness that
// names a chat in which no key or several keys live does not decide for one, but it denies all others.
func (d *decider) elsewhere(o *orphan) *Refusal {
	root := &d.f.Sessions[d.root(o.pred)]
	for _, w := range o.corrob {
		if w.Key == "" && w.Chat != "" && root.ChatID != "" && root.ChatID != w.Chat {
			return &Refusal{"identity-contradicts", fmt.Sprintf("%s names the chat %s, and that of %q is %s", w.At, w.Chat, root.ID, root.ChatID)}
		}
	}
	return nil
}

// overlap refuses an orphan during which its predecessor was written to, and asks for consent where the two merely
// touch, or where the predecessor was used again after the jump.
func (d *decider) overlap(o *orphan) {
	s, p := &d.f.Sessions[o.row], &d.f.Sessions[o.pred]
	start, last := s.Start(), p.Act()
	if start.Blank() || last <= start || last.Blank() {
		return
	}
	touches := float64(last) <= float64(start)+d.Gap && s.Act() > last
	if p.Last > start {
		m, ok := d.around[facts.Probe{Row: o.pred, At: start}]
		if inside := !ok || m.After <= d.end(o); inside && !touches {
			o.refuse("overlap", fmt.Sprintf("%q was written to while this row was", p.ID))
			return
		}
	}
	if touches {
		o.soften(fmt.Sprintf("%q was active for %.0f s after this row began", p.ID, float64(last-start)))
		return
	}
	o.soften(fmt.Sprintf("%q was used again after this row", p.ID))
}

// judge lowers the decision to consent where CONTRACT asks for it.
func (d *decider) judge(o *orphan, fits []contiguity) {
	s := &d.f.Sessions[o.row]
	if o.Decision == Refuse {
		return
	}
	if s.Last.Blank() {
		o.soften("no message of it has a usable time")
	}
	for _, i := range d.chat(o.lane, o.SessionKey).live {
		if !d.inChain(o, i) {
			o.soften(fmt.Sprintf("%q is a second live row of this chat, which must be settled too", d.f.Sessions[i].ID))
			break
		}
	}
	if o.strong {
		return
	}
	if ok, why := d.alone(o); !ok {
		o.soften(why)
	}
	if o.linkOf != nil {
		o.soften(fmt.Sprintf("only time links it to %q, an orphan too", d.f.Sessions[o.pred].ID))
	}
	if len(fits) == 1 && fits[0].fit != fitQuiet && len(o.Caveats) == 0 {
		o.soften("the row before it did not simply fall quiet")
	}
}
