package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Base describes one checkpoints/ folder as it was read.
type Base struct {
	Name        string
	Projects    int
	Checkpoints int
	Nested      int      // checkpoints with a nested repository that they do not hold
	Notes       []string // what a reader must know, and what no trace can show
}

// baseExam is one checkpoint base under examination.
type baseExam struct {
	audit  *checkpoints.Base
	limits CheckpointLimits
}

// auditBases reads the checkpoint bases, unless no check that looks at one is selected. Where no database is given, the
// clock is the newest time of the bases.
func (r *runner) auditBases(ctx context.Context) error {
	if len(r.bundle.Checkpoints) == 0 {
		return nil
	}
	wanted := false
	for i, c := range r.checks {
		switch {
		case c.Needs&NeedStore == 0:
		case r.selected(c.ID):
			wanted = true
		default:
			r.out.Checks[i].Reason = "deselected"
		}
	}
	if !wanted {
		return nil
	}
	for _, b := range r.bundle.Checkpoints {
		r.tell("read checkpoints", 0)
		audit, err := checkpoints.Read(ctx, b, checkpoints.Options{Objects: true, Deep: r.options.Deep})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.out.Partial = true
			r.out.Bases = append(r.out.Bases, Base{Name: b.Name, Notes: []string{"it could not be read: " + err.Error()}})
			continue
		}
		r.bases = append(r.bases, &baseExam{audit: audit, limits: LimitsOf(r.bundle, b)})
		if r.options.Now > 0 || len(r.bundle.Stores) > 0 {
			continue
		}
		for _, t := range audit.Times() {
			if facts.Time(t).Trusted() && t > r.out.Now {
				r.out.Now = t
			}
		}
	}
	return nil
}

// examineBases runs the checks over each base and adds its part to the result.
func (r *runner) examineBases(ctx context.Context) error {
	for _, e := range r.bases {
		var over []*crowd
		if err := r.runOver(ctx, e.has, func(c *Check, add func(Finding)) *Pass {
			n := &crowd{add: add}
			over = append(over, n)
			return e.pass(c, r.out.Now, n.one)
		}); err != nil {
			return err
		}
		for _, n := range over {
			n.rest()
		}
		if e.unreadable() {
			r.out.Partial = true
		}
		r.out.Bases = append(r.out.Bases, e.base())
		r.out.Checkpoints = append(r.out.Checkpoints, e.audit.Lines()...)
	}
	return nil
}

// mostAlike bounds the findings of one check over one base: a store that was made to drown its reader has a hundred
// thousand refs, and a real one with so many of the same is not read to its end either.
const mostAlike = 5000

// crowd passes findings of one check on until there are too many.
type crowd struct {
	add   func(Finding)
	n     int
	worst Finding // of those that were not passed on, the first of the highest severity
}

func (c *crowd) one(f Finding) {
	if c.n++; c.n <= mostAlike {
		c.add(f)
		return
	}
	if c.n == mostAlike+1 || f.Severity.Rank() > c.worst.Severity.Rank() {
		c.worst = f
	}
}

// rest says how many were not passed on, in place of the worst of them.
func (c *crowd) rest() {
	if c.n <= mostAlike {
		return
	}
	f := c.worst
	f.Message = fmt.Sprintf("%s of this kind are not listed, beside the %d that are. One of them: %s", Count(c.n-mostAlike, "more finding"), mostAlike, f.Message)
	f.Group = ""
	c.add(f)
}

// has says whether a base has what a check needs: nothing of a database.
func (e *baseExam) has(n Needs) bool { return n == NeedStore }

// pass makes what one check is given; what the check leaves blank in a finding is filled in.
func (e *baseExam) pass(c *Check, now float64, add func(Finding)) *Pass {
	return &Pass{
		Now: now, Base: e.audit, Limits: e.limits,
		Report: func(f Finding) { add(c.complete(f, e.audit.Source.Name)) },
	}
}

// unreadable says that something of the base could not be looked at.
func (e *baseExam) unreadable() bool {
	bad := func(p evidence.GitProblem) bool {
		return p.Fault == evidence.ObjectLimit || p.Path == "" && p.Fault == evidence.ObjectUnreadable
	}
	if slices.ContainsFunc(e.audit.Source.Problems, bad) {
		return true
	}
	return slices.ContainsFunc(e.audit.Stores, func(s *checkpoints.Store) bool {
		return s.Limit != "" || slices.ContainsFunc(s.Source.Problems, bad)
	})
}

func (e *baseExam) base() Base {
	out := Base{Name: e.audit.Source.Name, Notes: notesOf(e.audit)}
	for _, s := range e.audit.Stores {
		for _, p := range s.Projects {
			out.Projects++
			out.Checkpoints += len(p.Checkpoints)
			for i := range p.Checkpoints {
				if p.Checkpoints[i].Total > 0 {
					out.Nested++
				}
			}
		}
	}
	return out
}
