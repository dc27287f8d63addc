package adopt

import (
	"fmt"
	"slices"
)

// contest refuses orphans that claim one predecessor: by contiguity when another names the same row by contiguity or
// lineage, and by lineage when two children claim one parent, since each is the other's live continuation.
func (d *decider) contest() {
	byPred := map[int32][]*orphan{}
	for _, o := range d.list {
		if o.Decision != Refuse && o.pred >= 0 {
			byPred[o.pred] = append(byPred[o.pred], o)
		}
	}
	for _, o := range d.list {
		k := slices.IndexFunc(byPred[o.pred], func(r *orphan) bool { return r != o && (r.strong || !o.strong) })
		if o.Decision == Refuse || o.pred < 0 || k < 0 {
			continue
		}
		other := byPred[o.pred][k]
		name := d.f.Sessions[other.row].ID
		if o.strong {
			o.refuse("live-continuation", fmt.Sprintf("%q continues the same row", name))
		} else {
			o.refuse("contested", fmt.Sprintf("%q lies behind the same row", name))
		}
		o.severed = true
	}
}

// settle carries decisions along chains: a link whose predecessor is refused has none, a chain is as weak as its
// weakest link, and the rows of one chat are planned together.
func (d *decider) settle() {
	d.down()
	continued := map[*orphan]bool{}
	for k := len(d.list) - 1; k >= 0; k-- {
		o := d.list[k]
		if s := &d.f.Sessions[o.row]; o.Decision != Refuse && !continued[o] && !s.Live() && !d.gen.Recoverable(s) {
			o.refuse("ended", fmt.Sprintf("it was ended for good (%s), and nothing continues it", s.EndReason))
		}
		if o.linkOf == nil || o.severed {
			continue
		}
		if o.Decision == Refuse {
			if o.linkOf.Decision != Refuse {
				o.linkOf.refuse(o.Refusals[0].Code, fmt.Sprintf("the chain is planned whole or not at all, and %q, which continues it, is refused: %s",
					d.f.Sessions[o.row].ID, o.Refusals[0].Text))
			}
			continue
		}
		continued[o.linkOf] = true
	}
	d.down()
	d.together()
}

// down refuses the links behind a refused one, oldest first.
func (d *decider) down() {
	for _, o := range d.list {
		if o.Decision == Refuse || o.linkOf == nil || o.linkOf.Decision != Refuse {
			continue
		}
		code := "no-predecessor"
		if d.f.Sessions[o.row].Parent == o.pred {
			code = "parent-unkeyed"
		}
		o.refuse(code, fmt.Sprintf("%q, which it continues, gets no key by this plan", d.f.Sessions[o.pred].ID))
	}
}

// groups lists the adopted orphans of each chat, in order of their start.
func (d *decider) groups() (order []chatID, groups map[chatID][]*orphan) {
	groups = map[chatID][]*orphan{}
	for _, o := range d.list {
		if o.Decision == Refuse {
			continue
		}
		at := chatID{o.lane, o.SessionKey}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], o)
	}
	return order, groups
}

// together gives all orphans of one chat the weakest decision among them, and asks for consent where they are no chain.
func (d *decider) together() {
	order, groups := d.groups()
	for _, at := range order {
		group, worst := groups[at], Adopt
		for k, o := range group {
			if k > 0 && o.linkOf != group[k-1] {
				o.soften(fmt.Sprintf("%q is another orphan of this chat, and no record links the two", d.f.Sessions[group[k-1].row].ID))
			}
			if o.Decision.rank() > worst.rank() {
				worst = o.Decision
			}
		}
		for _, o := range group {
			if o.Decision.rank() < worst.rank() {
				o.soften("another link of its chain needs consent")
			}
		}
	}
}
