package fix

import (
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// draft is a plan in the making.
type draft struct {
	result  *scan.Result
	planner *scan.Planner
	options Options
	plan    *Plan
	units   []*unit
	chosen  []*unit
}

// chat is a routing key on one platform.
type chat struct{ source, key string }

// unit is what is planned whole or not at all: the adoptions of one chat, or one finding of another kind.
type unit struct {
	findings []*scan.Finding
	adoption bool
	chats    []chat // whose winner may change
	winner   string // of an adoption: the row that the chat must resume
	fills    []fill
}

type fill struct {
	scan.Fill
	finding string
}

// known refuses ids that nothing has: a consent that is misspelt must not be taken for none.
func (d *draft) known() error {
	findings, sessions := map[string]bool{}, map[string]bool{AcceptContiguity: true}
	steps := map[string]bool{}
	for k := range d.result.Findings {
		f := &d.result.Findings[k]
		id := f.ID()
		findings[id], sessions[f.Subject.SessionID] = true, true
		for _, c := range d.fillsOf(f) {
			steps[stepID(id, c)] = true
		}
	}
	for _, id := range d.options.Accept {
		if id == "" || !findings[id] && !sessions[id] {
			return &UnknownIDError{"accept", id}
		}
	}
	for _, id := range d.options.Only {
		if !findings[id] {
			return &UnknownIDError{"only", id}
		}
	}
	for _, id := range d.options.Steps {
		if !steps[id] {
			return &UnknownIDError{"steps", id}
		}
	}
	return nil
}

// collect makes the units, in the order of the findings, and lists what was refused before.
func (d *draft) collect() {
	chats := map[chat]*unit{}
	for k := range d.result.Findings {
		f := &d.result.Findings[k]
		if f.Subject.Store != d.planner.Store() {
			continue
		}
		if f.Adoption == nil {
			if len(f.Fills) > 0 {
				d.add(&unit{}, f)
			}
			continue
		}
		if f.Adoption.Decision == scan.Refuse {
			for _, r := range f.Adoption.Refusals {
				d.refuse(f, r.Code, r.Text)
			}
			continue
		}
		at := chat{f.Subject.Source, f.Adoption.SessionKey}
		u := chats[at]
		if u == nil {
			u = &unit{adoption: true, chats: []chat{at}}
			chats[at] = u
		}
		d.add(u, f)
		u.winner = f.Subject.SessionID // findings stand in the order of their start
	}
}

// add puts a finding into a unit, and a new unit into the list.
func (d *draft) add(u *unit, f *scan.Finding) {
	if len(u.findings) == 0 {
		d.units = append(d.units, u)
	}
	u.findings = append(u.findings, f)
	for _, c := range d.fillsOf(f) {
		u.fills = append(u.fills, fill{c, f.ID()})
		source, key, ok := d.planner.Chat(c.Key)
		if at := (chat{source, key}); ok && !u.adoption && key != "" && !slices.Contains(u.chats, at) {
			u.chats = append(u.chats, at)
		}
	}
}

// fillsOf gives a finding's fills with the lineage that was asked for.
func (d *draft) fillsOf(f *scan.Finding) []scan.Fill {
	if f.Adoption == nil || d.options.RecordLineage == "" || d.options.RecordLineage == LineageSafe {
		return f.Fills
	}
	var out []scan.Fill
	recorded := false
	for _, c := range f.Fills {
		lineage := c.Key == f.Subject.SessionID && (c.Column == "parent_session_id" || c.Column == "model_config")
		if lineage && d.options.RecordLineage == LineageNever {
			continue
		}
		recorded = recorded || lineage
		out = append(out, c)
	}
	at := scan.Cell{Table: "sessions", Key: f.Subject.SessionID, Column: "parent_session_id"}
	if _, blank := d.planner.Blank(at); blank && !recorded && d.options.RecordLineage == LineageAlways && f.Adoption.Decision != scan.Refuse {
		out = append(out, scan.Fill{Table: at.Table, Key: at.Key, Column: at.Column, Value: f.Adoption.Predecessor,
			Because: "the row that it continues; asked for although the product may hide a row with such a parent from its lists"})
	}
	return out
}

// hold sorts the units into those that wait for consent or were not asked for, and the chosen ones.
func (d *draft) hold() {
	for _, u := range d.units {
		if !d.asked(u) {
			continue
		}
		if d.consented(u) {
			d.chosen = append(d.chosen, u)
			continue
		}
		for _, f := range u.findings {
			h := Held{Finding: f.ID(), Check: f.Check, SessionID: f.Subject.SessionID, Why: heldBecause(f)}
			for _, other := range u.findings {
				if other != f {
					h.With = append(h.With, other.ID())
				}
			}
			for _, c := range u.fills {
				if c.finding == h.Finding {
					h.Steps = append(h.Steps, d.step(c))
				}
			}
			d.plan.Held = append(d.plan.Held, h)
		}
	}
}

func heldBecause(f *scan.Finding) []string {
	if f.Adoption != nil {
		return slices.Clone(f.Adoption.Caveats)
	}
	return []string{"this is no adoption without a doubt, so that the owner has to ask for it"}
}

// asked says whether Only and Steps leave a unit in.
func (d *draft) asked(u *unit) bool {
	if len(d.options.Only) > 0 && !slices.ContainsFunc(u.findings, func(f *scan.Finding) bool { return slices.Contains(d.options.Only, f.ID()) }) {
		return false
	}
	if len(d.options.Steps) == 0 {
		return true
	}
	named := 0
	for _, c := range u.fills {
		if slices.Contains(d.options.Steps, stepID(c.finding, c.Fill)) {
			named++
		}
	}
	if named > 0 && named < len(u.fills) {
		d.refuseUnit(u, "part-of-a-whole", fmt.Sprintf("%d of its %d steps were chosen: they are done together or not at all", named, len(u.fills)))
	}
	return named == len(u.fills)
}

// consented says that no finding of a unit waits for consent.
func (d *draft) consented(u *unit) bool {
	for _, f := range u.findings {
		if f.Held && !slices.ContainsFunc(d.options.Accept, func(id string) bool {
			return id == f.ID() || id == f.Subject.SessionID || id == AcceptContiguity && f.Adoption != nil
		}) {
			return false
		}
	}
	return true
}

// step spells a fill as a step of the plan.
func (d *draft) step(c fill) Step {
	old, _ := d.planner.Blank(scan.CellOf(c.Fill))
	return Step{ID: stepID(c.finding, c.Fill), Finding: c.finding, Table: c.Table, Key: c.Key, Column: c.Column, Old: old, New: c.Value, Because: c.Because}
}

func (d *draft) refuse(f *scan.Finding, code, text string) {
	d.plan.Refused = append(d.plan.Refused, Refused{Finding: f.ID(), Check: f.Check, SessionID: f.Subject.SessionID, Code: code, Text: text})
}

func (d *draft) refuseUnit(u *unit, code, text string) {
	for _, f := range u.findings {
		d.refuse(f, code, text)
	}
}

// write lists the steps of the chosen units, each cell once.
func (d *draft) write() {
	seen := map[scan.Cell]bool{}
	for _, u := range d.chosen {
		for _, c := range u.fills {
			if !seen[scan.CellOf(c.Fill)] {
				seen[scan.CellOf(c.Fill)] = true
				d.plan.Steps = append(d.plan.Steps, d.step(c))
			}
		}
		for _, f := range u.findings {
			if f.Adoption != nil {
				d.plan.Adoptions = append(d.plan.Adoptions, Link{Finding: f.ID(), SessionID: f.Subject.SessionID,
					Predecessor: f.Adoption.Predecessor, SessionKey: f.Adoption.SessionKey, Evidence: slices.Clone(f.Adoption.Evidence)})
			}
		}
	}
	d.plan.promised = d.planner.Lines(fillsIn(d.chosen))
}
