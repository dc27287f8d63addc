package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var projectHashMismatch = &scan.Check{
	ID: "project-hash-mismatch", Class: "R8", Severity: scan.Notice,
	Title:  "a project's recorded path is not the one that its id stands for",
	Issues: []string{"#54356"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The first 16 hex digits of the SHA-256 of the recorded workdir are not the project's id: the status shows one path, and /rollback there looks for another project.",
		Not:    "It does not say which of the two is right: the id decides where checkpoints are, the path is a claim.",
		Origin: "A file that was edited or moved by hand, keys of containers, tampering.",
		Safe:   "Trust the id. To find the folder, hash candidate paths.",
		Unsafe: "Restoring into the recorded path because the list names it.",
		ByHand: "printf %s WORKDIR | sha256sum | cut -c1-16",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			if pr.Source.HashMatches() {
				return
			}
			path := jsonPath(pr)
			if pr.Source.WorkdirFrom == "HERMES_WORKDIR" {
				path = "HERMES_WORKDIR"
			} else if pr.Source.WorkdirFrom == "core.worktree" {
				path = "config"
			}
			hash := evidence.ProjectHash(pr.Source.Workdir)
			p.Report(scan.Finding{
				Subject: aboutProject(s, pr),
				Message: fmt.Sprintf("project %s is recorded for %s, whose id would be %s", pr.Source.ID, pr.Source.Workdir, hash),
				Advice:  "Trust the id, and take the path for a claim: /rollback in that folder looks for another project.",
				Evidence: []evidence.Item{
					file(s, path, "workdir "+pr.Source.Workdir, shell("cat", s, path)),
					file(s, path, "hash "+hash, "printf %s "+scan.ShellQuote(pr.Source.Workdir)+" | sha256sum | cut -c1-16"),
				},
			})
		})
	},
}
