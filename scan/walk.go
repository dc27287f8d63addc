package scan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// ErrBudget is returned by a check whose work was cut off by the time budget.
var ErrBudget = errors.New("budget")

// walk is the walk over the pages of one store, made when the first check asks for it.
type walk struct {
	store    *evidence.Store
	deep     bool
	until    time.Time // zero = no budget
	progress func(stage string, done, total int64)

	ahead chan struct{} // closed when a walk that was begun ahead has ended; nil = none was

	done bool
	out  *evidence.Structure
	err  error
}

// newWalk is the walk of a store under the options of the scan.
func (r *runner) newWalk(s *evidence.Store) *walk {
	w := &walk{store: s, deep: r.options.Deep, progress: r.options.Progress}
	if r.options.Budget > 0 {
		w.until = r.began.Add(time.Duration(r.options.Budget * float64(time.Second)))
	}
	return w
}

// Structure is what a walk over the pages of the store found; nil where the file has no pages that could be walked. It is
// made once for all checks. A walk that the time budget cuts off is ErrBudget: what it saw is no answer.
func (p *Pass) Structure(ctx context.Context) (*evidence.Structure, error) {
	w := p.walk
	if w == nil {
		return nil, nil
	}
	if w.done {
		return w.out, w.err
	}
	within, cancel := ctx, context.CancelFunc(func() {})
	if !w.until.IsZero() {
		within, cancel = context.WithDeadline(ctx, w.until)
	}
	defer cancel()
	out, err := w.run(within)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		err = ErrBudget
	case evidence.NoPages(err):
		err = nil
	}
	w.done, w.out, w.err = true, out, err
	return out, err
}

// begin walks a large file while its rows are examined: nobody else reads these pages, and a check that asks for the walk
// waits for it. The caller calls stop when no check will.
func (w *walk) begin(ctx context.Context) (stop func()) {
	if w.deep || !w.until.IsZero() || !w.store.Large() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	w.ahead = make(chan struct{})
	go func() {
		defer close(w.ahead)
		w.out, w.err = w.store.Structure(ctx, evidence.StructureOptions{})
	}()
	return func() {
		cancel()
		<-w.ahead
	}
}

// run gives the walk that was begun, or walks now.
func (w *walk) run(ctx context.Context) (*evidence.Structure, error) {
	if w.ahead == nil {
		return w.store.Structure(ctx, evidence.StructureOptions{Deep: w.deep, Progress: w.progress})
	}
	<-w.ahead
	return w.out, w.err
}

// note says what of a file was not walked; "" for nothing, and where no check asked for a walk.
func (w *walk) note() string {
	if w != nil && w.ahead != nil {
		<-w.ahead
	}
	if w == nil || w.out == nil || w.out.Whole {
		return ""
	}
	return fmt.Sprintf("of its %d pages %d were walked for their structure: the interior pages of every tree and the freelist; leaves that no check read are unseen, and --deep walks every page",
		w.out.Pages, w.out.Read)
}
