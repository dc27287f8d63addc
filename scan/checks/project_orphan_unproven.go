package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var projectOrphanUnproven = &scan.Check{
	ID: "project-orphan-unproven", Class: "P1", Severity: scan.Notice,
	Title:  "the product takes a project for an orphan, and nothing recorded proves it",
	Issues: []string{"#69063", "#71117", "#69141"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "No folder can be looked for: a repository of the first layout has no HERMES_WORKDIR, which its sweep alone takes for the proof that the folder is gone; or the recorded workdir of a project is no absolute path. A prune of orphans may delete its checkpoints.",
		Not:    "It does not say that the folder is gone. Whether a recorded folder exists is known on its own machine only: about all other projects this check says nothing.",
		Origin: "A damaged or deleted marker file, a path that was edited by hand.",
		Safe:   "Copy the store before the next prune; take what is needed out of the checkpoints.",
		Unsafe: "hermes checkpoints prune without --keep-orphans.",
		ByHand: "cat checkpoints/*/HERMES_WORKDIR checkpoints/store/projects/*.json",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			path, saw := "HERMES_WORKDIR", "no such file"
			switch {
			case s.Source.Version == 1 && pr.Source.WorkdirFrom != "HERMES_WORKDIR":
				if pr.Source.Workdir != "" {
					saw += "; core.worktree is " + pr.Source.Workdir
				}
			case s.Source.Version == 2 && pr.Source.Workdir != "" && !absolute(pr.Source.Workdir):
				path, saw = jsonPath(pr), "workdir "+pr.Source.Workdir
			default:
				return
			}
			p.Report(scan.Finding{
				Subject:  aboutProject(s, pr),
				Message:  fmt.Sprintf("%s with %s counts as an orphan, though nothing proves that its folder is gone", called(pr), scan.Count(len(pr.Checkpoints), "checkpoint")),
				Advice:   "Copy the store before the next prune. " + parentWords(pr),
				Evidence: []evidence.Item{file(s, path, saw, shell("cat", s, path))},
			})
		})
	},
}

// absolute says whether a path is absolute on any system.
func absolute(path string) bool {
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return drive || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`)
}

// parentWords tells the recorded ids of the folder above, the only proof that the product accepts.
func parentWords(pr *checkpoints.Project) string {
	if pr.Source.ParentDev == 0 && pr.Source.ParentIno == 0 {
		return "No ids of the folder above are recorded."
	}
	return fmt.Sprintf("The folder above is recorded as device %d, inode %d.", pr.Source.ParentDev, pr.Source.ParentIno)
}
