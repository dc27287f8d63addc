package scan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Run examines every store of a bundle with the given checks. An error means that the examination could not be made,
// because ctx ended or the arguments are wrong; a store or a check that fails is told in the Result, which is then
// inconclusive.
func Run(ctx context.Context, b *evidence.Bundle, checks []*Check, o Options) (*Result, error) {
	if err := Validate(checks); err != nil {
		return nil, err
	}
	r := &runner{bundle: b, checks: checks, options: o, out: &Result{Now: o.Now}, began: time.Now()}
	for _, c := range checks {
		r.out.Checks = append(r.out.Checks, CheckStatus{ID: c.ID, Status: Skipped, Reason: "no-input"})
	}
	r.logs = b.StartLogs(ctx)
	defer r.logs.Stop()
	for _, s := range b.Stores {
		e, err := r.open(ctx, s)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			r.unopened = append(r.unopened, unopened{s, err})
			continue
		}
		r.stores = append(r.stores, e)
		if o.Now == 0 && float64(e.facts.NewestTime) > r.out.Now {
			r.out.Now = float64(e.facts.NewestTime)
		}
	}
	if err := r.auditBases(ctx); err != nil {
		return nil, err
	}
	for _, u := range r.unopened {
		if err := r.examineFile(ctx, u.store, u.err); err != nil {
			return nil, err
		}
	}
	var examined []*exam // what follows asks for answers that a store which broke off does not have
	for _, e := range r.stores {
		e.others = r.stores
		err := r.examine(ctx, e)
		switch {
		case err == nil:
			examined = append(examined, e)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case e.checked:
			r.out.Partial = true
		default:
			if err := r.examineFile(ctx, e.store, err); err != nil {
				return nil, err
			}
		}
	}
	r.stores = examined
	if err := r.examineHomes(ctx); err != nil {
		return nil, err
	}
	if err := r.examineBases(ctx); err != nil {
		return nil, err
	}
	if err := r.plan(ctx); err != nil {
		return nil, err
	}
	if err := r.tellTime(ctx); err != nil {
		return nil, err
	}
	return r.out, r.finish(ctx)
}

// Validate refuses a list of checks that cannot be run or explained: an id missing or twice, no text, nothing to run.
func Validate(checks []*Check) error {
	seen := map[string]bool{}
	for _, c := range checks {
		switch {
		case c.ID == "" || c.Title == "" || c.Run == nil:
			return fmt.Errorf("check %q: an id, a title and something to run are needed", c.ID)
		case c.Doc.What == "" || c.Doc.Not == "" || c.Doc.ByHand == "" || c.Doc.Safe == "" || c.Doc.Unsafe == "" || c.Doc.Origin == "":
			return fmt.Errorf("check %q: its documentation is not whole", c.ID)
		case c.Severity.Rank() == 0:
			return fmt.Errorf("check %q: unknown severity %q", c.ID, c.Severity)
		case seen[c.ID]:
			return fmt.Errorf("check %q stands in the list twice", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

type runner struct {
	bundle   *evidence.Bundle
	checks   []*Check
	options  Options
	stores   []*exam
	unopened []unopened
	bases    []*baseExam
	logs     *evidence.LogReading // in the background
	shelf    shelf                // of the findings
	out      *Result
	began    time.Time // for the budget and the timings only: no verdict depends on it
}

// finish orders the result, asks whether the inputs are what they were, and gives the verdict.
func (r *runner) finish(ctx context.Context) error {
	changed, err := r.bundle.Recheck(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("hash the inputs again: %w", err)
	}
	r.out.Changed, r.out.Unchanged = changed, len(changed) == 0
	if inputs, err := r.bundle.Inputs(ctx); err == nil {
		r.out.Digest = evidence.Digest(inputs)
	}
	order := map[string]int{}
	for i, c := range r.checks {
		order[c.ID] = i
	}
	slices.SortStableFunc(r.out.Findings, func(a, b Finding) int {
		if d := b.Severity.Rank() - a.Severity.Rank(); d != 0 {
			return d
		}
		return order[a.Check] - order[b.Check]
	})
	r.out.Verdict = r.verdict()
	return nil
}

// selected says whether --only and --skip leave a check in.
func (r *runner) selected(id string) bool {
	if len(r.options.Only) > 0 {
		return slices.Contains(r.options.Only, id)
	}
	return !slices.Contains(r.options.Skip, id)
}

// runChecks runs every selected check whose input a store has.
func (r *runner) runChecks(ctx context.Context, e *exam) error {
	return r.runOver(ctx, e.has, func(c *Check, add func(Finding)) *Pass { return e.pass(c, r.out.Now, add) })
}

// runOver runs every selected check whose input is there. A check that failed over one input is not run over others.
func (r *runner) runOver(ctx context.Context, has func(Needs) bool, pass func(c *Check, add func(Finding)) *Pass) error {
	for i, c := range r.checks {
		if err := ctx.Err(); err != nil {
			return err
		}
		status := &r.out.Checks[i]
		switch {
		case !r.selected(c.ID):
			status.Reason = "deselected"
			continue
		case !has(c.Needs):
			continue
		case status.Status == Failed:
			continue
		case r.options.Budget > 0 && time.Since(r.began).Seconds() > r.options.Budget:
			status.Status, status.Reason = Failed, "budget"
			continue
		}
		if r.options.Progress != nil {
			r.options.Progress("check "+c.ID, int64(i), int64(len(r.checks)))
		}
		at := time.Now()
		err := c.Run(ctx, pass(c, func(f Finding) { r.out.Findings = append(r.out.Findings, r.shelf.put(f)) }))
		status.Millis += float64(time.Since(at).Microseconds()) / 1000
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrBudget):
			status.Status, status.Reason = Failed, "budget"
		case errors.Is(err, ErrLimit):
			status.Status, status.Reason = Failed, "limit"+strings.TrimPrefix(err.Error(), ErrLimit.Error())
		case errors.Is(err, ErrNoFTS):
			status.Status, status.Reason = Failed, "no-fts5"
		case errors.Is(err, ErrDeep), err == nil && status.Reason == "deep":
			status.Status, status.Reason = Skipped, "deep"
		case err != nil:
			status.Status, status.Reason = Failed, err.Error()
		default:
			status.Status, status.Reason = Ran, ""
		}
	}
	return nil
}

// ErrDeep is returned by a check whose slow part was not asked for, after it reported what can be seen without.
var ErrDeep = errors.New("deep")

// ErrNoFTS is returned by a check of a full-text index in a build without FTS5, after it reported what can be seen without.
var ErrNoFTS = errors.New("no-fts5")

// ErrLimit is returned by a check that met a bound before it had looked at everything; wrapped with more words behind it, these
// are told too.
var ErrLimit = errors.New("a limit was reached before everything was looked at")
