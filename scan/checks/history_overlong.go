package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var historyOverlong = &scan.Check{
	ID: "history-overlong", Class: "H3", Severity: scan.Notice,
	Title:  "a project has more checkpoints than the product keeps",
	Issues: []string{"#93314"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A history of the store is longer than max_snapshots: what config.yaml sets, else 20. The product cuts it back at each capture, so that cutting fails, or the setting was larger.",
		Not:    "Nothing is lost by it. Repositories of the first layout are never cut back and are not meant.",
		Origin: "A missing commit, a damaged ref or a lock that makes the cut fail each time; a setting that was lowered, or that another configuration than the given one raised.",
		Safe:   "See what commit-missing, the ref checks and stale-lock say of the project. All checkpoints restore by their ids.",
		Unsafe: "Moving the ref by hand.",
		ByHand: "git --git-dir=checkpoints/store rev-list --count refs/hermes/ID; grep -A9 ^checkpoints: config.yaml",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		from := "the product's default"
		if slices.Contains(p.Limits.Set, "max_snapshots") {
			from = "max_snapshots in config.yaml"
		}
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			n := len(pr.Checkpoints)
			if s.Source.Version != 2 || n <= p.Limits.MaxSnapshots {
				return
			}
			ref := "refs/hermes/" + pr.Source.ID
			p.Report(scan.Finding{
				Subject:  aboutProject(s, pr),
				Message:  fmt.Sprintf("%s has %s, more than the %d that are kept (%s): trimming fails, or the setting was larger", called(pr), scan.Count(n, "checkpoint"), p.Limits.MaxSnapshots, from),
				Advice:   "Nothing is lost by it; see whether another finding names the project.",
				Evidence: []evidence.Item{{At: evidence.Ref{Path: gitDir(s), Key: ref}, Saw: scan.Count(n, "commit"), How: git(s, "rev-list --count "+ref)}},
			})
		})
	},
}
