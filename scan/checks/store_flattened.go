package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeFlattened = &scan.Check{
	ID: "store-flattened", Class: "C2", Severity: scan.Warning,
	Title:  "every project has exactly one checkpoint left, in a store at its size limit",
	Issues: []string{"#79334", "#79335"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The store is at nine tenths of its size limit or above, and each of its two or more refs has a history of exactly one commit.",
		Not:    "It does not prove that there were more: projects may be new. Where gc has run, nothing is left to tell.",
		Origin: "Builds of mid-2026 dropped the oldest checkpoint of every project up to twenty times without measuring again.",
		Safe:   "Raise max_total_size_mb or clear projects that are not needed; look through the commits that no project leads to.",
		Unsafe: "Running gc or the product's prune before that look.",
		ByHand: "du -sb checkpoints/store; for r in $(git --git-dir=checkpoints/store for-each-ref --format='%(refname)' refs/hermes/); do git --git-dir=checkpoints/store rev-list --count $r; done",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		size, err := storeBytes(ctx, p)
		if err != nil || p.Limits.MaxTotal == 0 || size < p.Limits.MaxTotal/10*9 {
			return err
		}
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			refs := 0
			for _, pr := range s.Projects {
				if pr.Source.Ref == nil {
					continue
				}
				if refs++; len(pr.Checkpoints) != 1 || len(pr.Checkpoints[0].Commit.Parents) > 0 {
					return
				}
			}
			if s.Source.Version != 2 || refs < 2 {
				return
			}
			p.Report(scan.Finding{
				Subject: aboutStore(s, ""),
				Message: fmt.Sprintf("each of the %s of %s has one checkpoint, and the store is at its size limit: older ones were probably dropped", scan.Count(refs, "project"), gitDir(s)),
				Advice:  "Look before the next prune through the commits that no project leads to: " + lostTips(s, nil) + ".",
				Evidence: []evidence.Item{
					file(s, "", fmt.Sprintf("%s of %s (%s)", scan.Count(size, "byte"), scan.Count(p.Limits.MaxTotal, "byte"), p.Limits.Source), shell("du -sb", s, "")),
					file(s, "refs/hermes", fmt.Sprintf("%s, each of a commit without a parent", scan.Count(refs, "ref")), git(s, "for-each-ref refs/hermes/")),
				},
			})
		})
	},
}

// storeBytes is the size of the store alone, as the product's limit counts.
func storeBytes(ctx context.Context, p *scan.Pass) (int64, error) {
	_, size, err := p.Base.Source.Footprint(ctx)
	return size, err
}
