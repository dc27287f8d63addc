package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var projectWithoutRef = &scan.Check{
	ID: "project-without-ref", Class: "R7", Severity: scan.Notice,
	Title:  "a registered project has no checkpoint",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "projects/ID.json exists and no ref of the project does: its list is empty.",
		Not:    "It does not say that something was lost. It is normal where every capture failed or was skipped.",
		Origin: "Captures that failed or were skipped from the first one on, or a prune that died midway.",
		Safe:   "Nothing; see capture-blocked for what stops captures.",
		Unsafe: "Relying on /rollback in that folder.",
		ByHand: "ls checkpoints/store/projects; git --git-dir=checkpoints/store for-each-ref refs/hermes/",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			if s.Source.Version != 2 || pr.Source.JSON == evidence.Absent || pr.Source.Ref != nil {
				return
			}
			p.Report(scan.Finding{
				Subject: aboutProject(s, pr),
				Message: fmt.Sprintf("%s is registered and has no checkpoint", called(pr)),
				Advice:  "Nothing can be rolled back there. If checkpoints are wanted, find out why none is taken.",
				Evidence: []evidence.Item{
					file(s, jsonPath(pr), "last attempt "+when(pr.Source.LastTouch), shell("cat", s, jsonPath(pr))),
					file(s, "refs/hermes/"+pr.Source.ID, "no such ref", git(s, "for-each-ref "+scan.ShellQuote("refs/hermes/"+pr.Source.ID))),
				},
			})
		})
	},
}
