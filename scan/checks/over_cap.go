package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var overCap = &scan.Check{
	ID: "over-cap", Class: "C1", Severity: scan.Notice,
	Title:  "the checkpoint store is larger than its limit",
	Issues: []string{"#112150", "#79334"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The files of the store are together larger than max_total_size_mb (500 where nothing is set; 0 is no limit). At each capture the product then drops one oldest checkpoint of each project.",
		Not:    "One checkpoint of a project always stays, so a store may lie above its limit for good.",
		Origin: "Large or many projects; gc that fails, so that what was dropped stays on the disk.",
		Safe:   "Lower the retention, or clear projects that are not needed, with the product itself.",
		Unsafe: "Deleting files below objects/.",
		ByHand: "du -sb checkpoints/store; grep -A9 ^checkpoints: config.yaml",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		size, err := storeBytes(ctx, p)
		if err != nil || p.Limits.MaxTotal == 0 || size <= p.Limits.MaxTotal {
			return err
		}
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			if s.Source.Version != 2 {
				return
			}
			p.Report(scan.Finding{
				Subject:  aboutStore(s, ""),
				Message:  fmt.Sprintf("%s has %s, more than its limit of %s: each capture drops the oldest checkpoint of each project", gitDir(s), scan.Count(size, "byte"), scan.Count(p.Limits.MaxTotal, "byte")),
				Advice:   "Lower the retention, or clear projects that are not needed.",
				Evidence: []evidence.Item{file(s, "", fmt.Sprintf("%s; limit: %s", scan.Count(size, "byte"), p.Limits.Source), shell("du -sb", s, ""))},
			})
		})
	},
}
