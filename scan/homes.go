package scan

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
)

// hear asks the files beside a store about its unkeyed rows: its own home's, and the logs of the home that a profile
// lies in, whose gateway may serve the profile too.
func (r *runner) hear(ctx context.Context, e *exam) error {
	logs, err := r.logsOf(ctx, e)
	if err != nil {
		return err
	}
	return e.facts.Hear(ctx, e.store, logs, adopt.Unkeyed(e.facts))
}

// examineHomes runs the checks that need whole homes, once over all stores that lie in one.
func (r *runner) examineHomes(ctx context.Context) error {
	for _, h := range r.bundle.Homes { // also those whose store could not be read: all that is read is an input
		if _, err := r.logs.Of(ctx, h); err != nil {
			return fmt.Errorf("read logs: %w", err)
		}
	}
	var in []*exam
	for _, e := range r.stores {
		if e.store.Home != nil && e.classes != nil { // a store that could not be examined has no classes
			in = append(in, e)
		}
	}
	if len(in) == 0 {
		return nil
	}
	has := func(n Needs) bool { return n&NeedHome != 0 }
	return r.runOver(ctx, has, func(c *Check, add func(Finding)) *Pass {
		var all []*Pass
		for _, e := range in {
			all = append(all, e.pass(c, r.out.Now, add))
		}
		p := *all[0]
		p.Stores = all
		return &p
	})
}
