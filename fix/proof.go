package fix

import (
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// choose takes out of the chosen units those whose cells are not blank or contradict another's, and those that the
// resolver speaks against. What needs no consent was proved as a whole by the scan, so that it is tried first and the
// rest is blamed.
func (d *draft) choose() {
	d.chosen = slices.DeleteFunc(d.chosen, d.notBlank)
	d.chosen = d.consistent(d.chosen)
	if bad, _ := d.against(d.chosen); bad == nil {
		return
	}
	var kept []*unit
	for _, held := range []bool{false, true} {
		for _, u := range d.chosen {
			if d.held(u) == held {
				kept = d.with(kept, u)
			}
		}
	}
	d.chosen = slices.DeleteFunc(d.chosen, func(u *unit) bool { return !slices.Contains(kept, u) })
}

// with adds a unit to those that are kept, or refuses it.
func (d *draft) with(kept []*unit, u *unit) []*unit {
	more := append(slices.Clone(kept), u)
	if bad, refusal := d.against(more); bad != nil {
		d.refuseUnit(u, refusal.Code, refusal.Text)
		return kept
	}
	return more
}

func (d *draft) held(u *unit) bool {
	return slices.ContainsFunc(u.findings, func(f *scan.Finding) bool { return f.Held })
}

// notBlank refuses a unit of which a cell holds a value, or is not there.
func (d *draft) notBlank(u *unit) bool {
	for _, c := range u.fills {
		if _, ok := d.planner.Blank(scan.CellOf(c.Fill)); !ok {
			d.refuseUnit(u, "not-blank", fmt.Sprintf("%s.%s of %q is not blank, or is not there once", c.Table, c.Column, c.Key))
			return true
		}
	}
	return false
}

// consistent refuses the units that would set a cell otherwise than one before them.
func (d *draft) consistent(units []*unit) []*unit {
	by := map[scan.Cell]any{}
	return slices.DeleteFunc(slices.Clone(units), func(u *unit) bool {
		mine := map[scan.Cell]any{}
		for _, c := range u.fills {
			at := scan.CellOf(c.Fill)
			for _, said := range []map[scan.Cell]any{by, mine} {
				if other, ok := said[at]; ok && other != c.Value {
					d.refuseUnit(u, "contradicts", fmt.Sprintf("another step gives %s.%s of %q another value", c.Table, c.Column, c.Key))
					return true
				}
			}
			mine[at] = c.Value
		}
		for at, v := range mine {
			by[at] = v
		}
		return false
	})
}

// against asks the resolver over the facts with the cells of the units filled in. It gives the first unit that an
// answer speaks against, nil for none.
func (d *draft) against(units []*unit) (*unit, scan.Refusal) {
	if len(units) == 0 {
		return nil, scan.Refusal{}
	}
	adopted, touched := map[chat]*unit{}, map[chat]bool{}
	for _, u := range units {
		for _, c := range u.chats {
			touched[c] = true
			if u.adoption {
				adopted[c] = u
			}
		}
	}
	for _, l := range d.planner.Lines(fillsIn(units)) {
		if !d.planner.Decides(l.Resolver) {
			continue
		}
		at := chat{l.Source, l.SessionKey}
		if u := adopted[at]; u != nil {
			if l.AfterFix != u.winner {
				return u, scan.Refusal{Code: "would-not-resume", Text: fmt.Sprintf("with the plan's cells filled in, %s still gives this chat %s", l.Resolver, rowWords(l.AfterFix))}
			}
			continue
		}
		if l.AfterFix != l.Now && !touched[at] {
			return units[len(units)-1], scan.Refusal{Code: "other-chat-would-change",
				Text: fmt.Sprintf("with the plan's cells filled in, %s gives the chat %s another row than before", l.Resolver, l.SessionKey)}
		}
	}
	return nil, scan.Refusal{}
}

func rowWords(id string) string {
	if id == "" {
		return "a new session"
	}
	return fmt.Sprintf("%q", id)
}

// fillsIn gives the fills of units in order.
func fillsIn(units []*unit) []scan.Fill {
	var out []scan.Fill
	for _, u := range units {
		for _, c := range u.fills {
			out = append(out, c.Fill)
		}
	}
	return out
}
