package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeCaptured = &scan.Check{
	ID: "store-captured", Class: "P5", Severity: scan.Notice,
	Title:  "checkpoints of a project hold a checkpoint store",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A checkpoint has a folder …/checkpoints/store with HEAD, objects/ or projects/ in it: the store lies in a directory that is captured, so that each capture also captures what the one before wrote.",
		Not:    "A folder checkpoints/store of something else, such as a model's, has none of these and is not meant. The captured copy is only as good as a copy that is made while git writes.",
		Origin: "An agent that worked in the Hermes home, or in a folder above it.",
		Safe:   "Keep agents out of the home, or let it be ignored there. The store shrinks when these checkpoints are trimmed.",
		Unsafe: "Rolling such a project back: it would lay old files of the store over the store in use.",
		ByHand: "git --git-dir=checkpoints/store ls-tree -r --name-only COMMIT | grep checkpoints/store/",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			for _, c := range s.SelfCaptures() {
				newest := &c.Project.Checkpoints[c.Newest-1]
				p.Report(scan.Finding{
					Subject: aboutProject(s, c.Project),
					Message: fmt.Sprintf("%s of %s hold a checkpoint store at %s: captures of captures make it grow", scan.Count(c.Number, "checkpoint"), called(c.Project), c.Path),
					Advice:  "Keep agents out of the Hermes home, and do not roll this project back as a whole: old files of the store would be laid over the store in use.",
					Evidence: []evidence.Item{object(s, newest.Commit.ID, "commit", "a folder "+c.Path+" in "+numbered(newest),
						git(s, "ls-tree -r --name-only "+newest.Commit.ID.String()))},
				})
			}
		})
	},
}
