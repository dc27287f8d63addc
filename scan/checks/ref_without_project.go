package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var refWithoutProject = &scan.Check{
	ID: "ref-without-project", Class: "R6", Severity: scan.Notice,
	Title:  "checkpoints of a project that no file registers",
	Issues: []string{"#90459"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "refs/hermes/ID exists and no readable projects/ID.json does. The lists of all projects and the status leave it out, and it is never pruned; /rollback in the right folder works.",
		Not:    "It does not say which folder it was: the id is a hash of the path, which can be compared with candidates but not read.",
		Origin: "A prune that died between its steps, a deleted or damaged file.",
		Safe:   "Keep it. To find the folder, hash candidate paths: the first 16 hex digits of the SHA-256.",
		Unsafe: "Deleting the ref: the checkpoints go with the next gc.",
		ByHand: "git --git-dir=checkpoints/store for-each-ref refs/hermes/; ls checkpoints/store/projects; printf %s /home/you/project | sha256sum | cut -c1-16",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			registered := pr.Source.JSON == evidence.Present || pr.Source.JSON == evidence.Damaged && pr.Source.Workdir != ""
			if s.Source.Version != 2 || pr.Source.Ref == nil || registered {
				return
			}
			saw := "no such file"
			if pr.Source.JSON == evidence.Damaged {
				saw = pr.Source.JSONFlaw
			}
			p.Report(scan.Finding{
				Subject: aboutProject(s, pr),
				Message: fmt.Sprintf("project %s has %s and no readable %s: no list of all projects shows it", pr.Source.ID, scan.Count(len(pr.Checkpoints), "checkpoint"), jsonPath(pr)),
				Advice:  "Keep it. /rollback works in its folder, whose path has this hash.",
				Evidence: []evidence.Item{
					file(s, pr.Source.Ref.Name, pr.Source.Ref.ID.String(), git(s, "for-each-ref "+scan.ShellQuote(pr.Source.Ref.Name))),
					file(s, jsonPath(pr), saw, shell("cat", s, jsonPath(pr))),
				},
			})
		})
	},
}
