package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeHeadBad = &scan.Check{
	ID: "store-head-bad", Class: "S2", Severity: scan.Error,
	Title:  "the HEAD of the checkpoint store is missing or damaged",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "HEAD is missing from a store that holds refs, objects or projects; or it is empty, or neither `ref: …` nor an object id. Without it the product says that there are no checkpoints; damaged, git takes the folder for no repository.",
		Not:    "It does not say that checkpoints are lost: HEAD names none of them. A HEAD that names a branch which does not exist is normal.",
		Origin: "A crash while it was written, a sync that skipped or emptied it.",
		Safe:   "On a second copy, with Hermes stopped: write one line, ref: refs/heads/master.",
		Unsafe: "Deleting the store because it seems empty. A missing HEAD alone is made again by the next checkpoint, and the old refs come back with it.",
		ByHand: "cat checkpoints/store/HEAD",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			h := s.Source.Head
			saw := h.Flaw
			if !h.Present {
				missing := func(name string) bool { return slices.Contains(s.Source.Absent, name) }
				if missing("objects") && missing("refs") && len(s.Projects) == 0 {
					return // an empty folder
				}
				saw = "no such file"
			}
			if saw == "" {
				return
			}
			p.Report(scan.Finding{
				Subject:  aboutStore(s, "HEAD"),
				Message:  fmt.Sprintf("the HEAD of %s is missing or damaged (%s): the product sees no checkpoint of its %s", gitDir(s), saw, scan.Count(len(s.Projects), "project")),
				Advice:   fmt.Sprintf("On a second copy, with Hermes stopped: echo 'ref: refs/heads/master' > %s.", scan.ShellQuote(below(s, "HEAD"))),
				Evidence: []evidence.Item{file(s, "HEAD", saw, shell("cat", s, "HEAD"))},
			})
		})
	},
}
