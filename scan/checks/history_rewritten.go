package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var historyRewritten = &scan.Check{
	ID: "history-rewritten", Class: "H2", Severity: scan.Notice,
	Title:  "all checkpoints of a project carry the same time",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A history of two or more commits whose author and committer times are all the same second: builds of mid-2026 wrote every kept commit anew at each trim, with the time of the trim.",
		Not:    "The order and the trees are right; only the times that the lists show are not those of the captures.",
		Origin: "Trimming to max_snapshots by such a build.",
		Safe:   "Go by the order. The first commit without a parent is no sign of a loss.",
		Unsafe: "Choosing a checkpoint by its time.",
		ByHand: "git --git-dir=checkpoints/store for-each-ref refs/hermes/; git --git-dir=checkpoints/store cat-file -p COMMIT",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			n := len(pr.Checkpoints)
			if n < 2 {
				return
			}
			first := pr.Checkpoints[0].Commit
			for i := range pr.Checkpoints {
				c := pr.Checkpoints[i].Commit
				if !c.Author.Valid || c.Author.When != first.Author.When || c.Committer.When != first.Author.When {
					return
				}
			}
			last := pr.Checkpoints[n-1].Commit
			saw := "author and committer " + when(float64(first.Author.When))
			p.Report(scan.Finding{
				Subject: aboutProject(s, pr),
				Message: fmt.Sprintf("all %d checkpoints of %s carry the time %s: they were written anew when the history was trimmed", n, called(pr), when(float64(first.Author.When))),
				Advice:  "Go by the order, not by the times.",
				Evidence: []evidence.Item{
					object(s, first.ID, "commit", saw, git(s, "cat-file -p "+first.ID.String())),
					object(s, last.ID, "commit", saw, git(s, "cat-file -p "+last.ID.String())),
				},
			})
		})
	},
}
