package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var gcPending = &scan.Check{
	ID: "gc-pending", Class: "L8", Severity: scan.Notice,
	Title:  "checkpoints that were dropped from their lists are still in the store, until the next prune",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   ".gc-pending is there: a history was rewritten and no gc has run since. The finding counts the commits that no project leads to.",
		Not:    "It is a normal state between two prunes, and no damage.",
		Origin: "Trimming to max_snapshots, or to the size limit.",
		Safe:   "If something dropped is wanted: copy the store now, and take it out by the id of its commit.",
		Unsafe: "Waiting: the next prune deletes them.",
		ByHand: "ls -l checkpoints/store/.gc-pending; git --git-dir=checkpoints/store fsck --unreachable --no-reflogs",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			if !s.Source.Pending {
				return
			}
			n := 0
			if s.Unreachable != nil {
				n = len(s.Unreachable.Commits)
			}
			p.Report(scan.Finding{
				Subject:  aboutStore(s, ".gc-pending"),
				Message:  fmt.Sprintf("%s waits for a gc: %s that no project leads to can still be read, until the next prune", gitDir(s), scan.Count(n, "commit")),
				Advice:   "If something dropped is wanted, copy the store before the next prune. Commits that no project leads to: " + lostTips(s, nil) + ".",
				Evidence: []evidence.Item{file(s, ".gc-pending", "it is there", shell("ls -l", s, ".gc-pending"))},
			})
		})
	},
}
