package scan

import (
	"context"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// unopened is a store that gives no facts, and why.
type unopened struct {
	store *evidence.Store
	err   error
}

// wholeFileChecks are those whose finding says all that there is to be known of a store without rows: nothing is left
// to be read, so that the scan is complete.
func wholeFileChecks() []string { return []string{"zeroed-database", "empty-database"} }

// examineFile runs the checks that look at the file alone over a store that gives no facts.
func (r *runner) examineFile(ctx context.Context, s *evidence.Store, why error) error {
	from := len(r.out.Findings)
	walked := r.newWalk(s)
	has := func(n Needs) bool { return n == NeedFile }
	err := r.runOver(ctx, has, func(c *Check, add func(Finding)) *Pass {
		return &Pass{Store: s, Now: r.out.Now, Deep: r.options.Deep, walk: walked, Report: func(f Finding) { add(c.complete(f, s.Name)) }}
	})
	if err != nil {
		return err
	}
	told := slices.ContainsFunc(r.out.Findings[from:], func(f Finding) bool { return slices.Contains(wholeFileChecks(), f.Check) })
	if !told {
		r.out.Partial = true
	}
	notes := slices.Clone(s.Notes)
	if s.Fault == nil { // else it is the first of the notes
		notes = append(notes, "it could not be read: "+why.Error())
	}
	r.out.Databases = append(r.out.Databases, Database{Store: s.Name, JournalMode: s.JournalMode, PageSize: s.PageSize, Pages: s.Pages, View: s.View,
		Views: views(s), Notes: notes})
	return nil
}
