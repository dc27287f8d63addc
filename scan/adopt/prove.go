package adopt

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// answers are what every chat resumes, by generation, in the order of decider.asked.
type answers map[resume.Generation][]string

// prove runs the resolver over the planned rows. An adoption must make its orphan win, and must change no other
// chat's winner, in the file's generation and in the newest; a miss in an older one is told.
func (d *decider) prove(ctx context.Context, out *Decisions) error {
	byDefault := func(o *orphan) bool { return o.Decision == Adopt }
	withConsent := func(o *orphan) bool { return o.Decision != Refuse }
	if slices.ContainsFunc(d.list, withConsent) {
		for _, in := range []func(*orphan) bool{byDefault, withConsent} {
			if err := d.proveRound(ctx, out, in); err != nil {
				return err
			}
		}
		d.older(d.with(out, withConsent))
	}
	out.planned = d.with(out, byDefault)
	return nil
}

// proveRound takes failing adoptions out until the rest holds. Each turn refuses at least one group or ends.
func (d *decider) proveRound(ctx context.Context, out *Decisions, in func(*orphan) bool) error {
	for slices.ContainsFunc(d.list, in) {
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
			failed = d.neighbours(order, groups, in, planned, after)
		}
		if !failed {
			break
		}
	}
	return nil
}

// wins refuses a group whose last row does not win its chat; true means that it did.
func (d *decider) wins(group []*orphan, c facts.Chat, winner string, after answers) (failed bool) {
	for _, g := range d.deciding() {
		if got := after[g][d.askedAt[c]]; got != winner {
			for _, o := range group {
				o.refuse("would-not-resume", missWords(g, got))
			}
			failed = true
		}
	}
	return failed
}

func missWords(g resume.Generation, got string) string {
	name := "a new session"
	if got != "" {
		name = fmt.Sprintf("%q", got)
	}
	return fmt.Sprintf("with the plan's cells filled in, %s still gives this chat %s", g, name)
}

// older tells where a generation that does not decide would still give another row than the adopted one.
func (d *decider) older(v *facts.View) {
	order, groups := d.groups()
	for _, g := range resume.Generations() {
		if slices.Contains(d.deciding(), g) {
			continue
		}
		l := d.Resolvers[g].Load(v)
		for _, at := range order {
			last := groups[at][len(groups[at])-1]
			if got := l.ID(facts.Chat{Source: at.lane.source, Key: at.key}); got != d.f.Sessions[last.row].ID {
				last.Caveats = append(last.Caveats, missWords(g, got))
			}
		}
	}
}

// deciding lists the generations by which an adoption stands or falls: the file's own and the newest.
func (d *decider) deciding() []resume.Generation {
	if d.gen == resume.Newest {
		return []resume.Generation{d.gen}
	}
	return []resume.Generation{d.gen, resume.Newest}
}

// neighbours refuses the groups by which another chat's winner would change: those of the same platform, or all where
// none is of it.
func (d *decider) neighbours(order []chatID, groups map[chatID][]*orphan, in func(*orphan) bool,
	planned map[facts.Chat]string, after answers) (failed bool) {
	for _, g := range d.deciding() {
		for k, c := range d.asked {
			if _, ours := planned[c]; ours || after[g][k] == d.before[g][k] {
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

// askAll lists every chat and answers for it over the facts as they are.
func (d *decider) askAll() {
	d.asked, d.askedAt = d.Resolvers[d.gen].Chats(), map[facts.Chat]int{}
	for k, c := range d.asked {
		d.askedAt[c] = k
	}
	d.before = d.resolve(d.f.View())
}

// resolve answers for every chat in the deciding generations.
func (d *decider) resolve(v *facts.View) answers {
	gens := d.deciding()
	by := make([][]string, len(gens))
	base := v.Fork() // which readies v for readers at the same time
	var wait sync.WaitGroup
	for n, g := range gens {
		wait.Go(func() {
			l := d.Resolvers[g].Load(base)
			by[n] = make([]string, len(d.asked))
			for k, c := range d.asked {
				by[n][k] = l.ID(c)
			}
		})
	}
	wait.Wait()
	out := answers{}
	for n, g := range gens {
		out[g] = by[n]
	}
	return out
}
