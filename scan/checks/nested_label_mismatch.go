package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var nestedLabelMismatch = &scan.Check{
	ID: "nested-label-mismatch", Class: "N3", Severity: scan.Notice,
	Title:  "a checkpoint's label names other nested repositories than its tree",
	Issues: []string{"#127839"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The subject carries the words [nested git repos not captured: …], and the tree has no nested repository, or the names or their number differ.",
		Not:    "It does not say who wrote the words: a terminal command may hold them. Only the tree says what a rollback will meet.",
		Origin: "A command that an agent typed and that became the reason of the checkpoint; a history that was rewritten by hand.",
		Safe:   "Trust the tree; nothing needs doing.",
		Unsafe: "Deciding about a rollback by the list alone.",
		ByHand: "git --git-dir=checkpoints/store cat-file -p COMMIT; git --git-dir=checkpoints/store ls-tree -r COMMIT | grep ^160000",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachCheckpoint(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project, c *checkpoints.Checkpoint) {
			if c.Label != checkpoints.Wrong {
				return
			}
			tree := "no nested repository"
			if c.Total > 0 {
				tree = nestedCount(c.Total) + ": " + nestedNames(c)
			}
			id := c.Commit.ID.String()
			p.Report(scan.Finding{
				Subject: aboutCheckpoint(s, pr, c),
				Message: fmt.Sprintf("the label of %s of %s and its tree disagree", numbered(c), called(pr)),
				Advice:  "Trust the tree: the label is text, and may have been typed within a command.",
				Evidence: []evidence.Item{
					object(s, c.Commit.ID, "commit", "the subject ends in"+c.Told, git(s, "cat-file -p "+id)),
					object(s, c.Commit.Tree, "tree", tree, git(s, "ls-tree -r "+id)),
				},
			})
		})
	},
}
