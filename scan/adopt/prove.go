package adopt

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// answers are what every chat resumes, by the generations that decide and by those that are only told.
type answers map[resume.Generation]map[facts.Chat]string

// prove runs the resolver over the planned rows. An adoption must make its orphan win, and must change no other
// chat's winner, in the file's generation and in the newest; a miss in an older one is told.
func (d *decider) prove(ctx context.Context, out *Decisions) error {
	before := d.resolve(d.f.View())
	if err := d.proveRound(ctx, out, before, func(o *orphan) bool { return o.Decision == Adopt }); err != nil {
		return err
	}
	if err := d.proveRound(ctx, out, before, func(o *orphan) bool { return o.Decision != Refuse }); err != nil {
		return err
	}
	out.planned = d.with(out, func(o *orphan) bool { return o.Decision == Adopt })
	return nil
}

// proveRound takes failing adoptions out until the rest holds. Each turn refuses at least one group or ends.
func (d *decider) proveRound(ctx context.Context, out *Decisions, before answers, in func(*orphan) bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		after := d.resolve(d.with(out, in))
		order, groups := d.groups()
		planned := map[facts.Chat]string{}
		failed := false
		for _, at := range order {
			group := groups[at]
			if !in(group[0]) {
				continue
			}
			c := facts.Chat{Source: at.lane.source, Key: at.key}
			winner := d.f.Sessions[group[len(group)-1].row].ID
			planned[c] = winner
			failed = d.wins(group, c, winner, after) || failed
		}
		if !failed {
			failed = d.neighbours(order, groups, in, planned, before, after)
		}
		if !failed {
			return nil
		}
	}
}

// wins refuses a group whose last row does not win its chat; true means that it did.
func (d *decider) wins(group []*orphan, c facts.Chat, winner string, after answers) (failed bool) {
	for _, g := range resume.Generations() {
		got := after[g][c]
		if got == winner {
			continue
		}
		name := "a new session"
		if got != "" {
			name = fmt.Sprintf("%q", got)
		}
		text := fmt.Sprintf("with the plan's cells filled in, %s still gives this chat %s", g, name)
		if g != d.gen && g != resume.Newest {
			d.caveat(group[len(group)-1], text)
			continue
		}
		for _, o := range group {
			o.refuse("would-not-resume", text)
		}
		failed = true
	}
	return failed
}

// caveat adds a remark once: the second round of proof meets the adoptions of the first again.
func (d *decider) caveat(o *orphan, text string) {
	for _, c := range o.Caveats {
		if c == text {
			return
		}
	}
	o.Caveats = append(o.Caveats, text)
}

// neighbours refuses the groups by which another chat's winner would change: those of the same platform, or all where
// none is of it.
func (d *decider) neighbours(order []chatID, groups map[chatID][]*orphan, in func(*orphan) bool,
	planned map[facts.Chat]string, before, after answers) (failed bool) {
	for _, g := range []resume.Generation{d.gen, resume.Newest} {
		for _, c := range resume.New(d.f, g, d.Now).Chats() {
			if _, ours := planned[c]; ours || after[g][c] == before[g][c] {
				continue
			}
			for _, anySource := range []bool{false, true} {
				for _, at := range order {
					if group := groups[at]; in(group[0]) && group[0].Decision != Refuse && (anySource || at.lane.source == c.Source) {
						for _, o := range group {
							o.refuse("other-chat-would-change", fmt.Sprintf("with the plan's cells filled in, %s gives the chat %s another row than before", g, c.Key))
						}
						failed = true
					}
				}
				if failed {
					return true
				}
			}
		}
	}
	return false
}

// with shows the facts with the cells of some adoptions filled in.
func (d *decider) with(out *Decisions, in func(*orphan) bool) *facts.View {
	v := d.f.View()
	for _, o := range d.list {
		if o.Decision != Refuse && in(o) {
			Change(v, out.fills[o.row])
		}
	}
	return v
}

// resolve answers for every chat in every generation.
func (d *decider) resolve(v *facts.View) answers {
	out := answers{}
	for _, g := range resume.Generations() {
		l := resume.New(d.f, g, d.Now).Load(v)
		by := map[facts.Chat]string{}
		for _, c := range l.Chats() {
			by[c] = l.Resolve(c).ID
		}
		out[g] = by
	}
	return out
}
