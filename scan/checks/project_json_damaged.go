package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var projectJSONDamaged = &scan.Check{
	ID: "project-json-damaged", Class: "R9", Severity: scan.Warning,
	Title:  "the file that registers a project cannot be read",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "projects/ID.json is not UTF-8, not a JSON object, has a value of the wrong kind, or begins with a byte order mark, which older builds refuse. Lists of all projects skip it.",
		Not:    "The checkpoints are not affected: the ref leads to them.",
		Origin: "The file is written in place: a crash or a full disk leaves half of it. An editor that adds a byte order mark.",
		Safe:   "Nothing: the next capture in that folder writes it anew.",
		Unsafe: "Deleting the ref because no path is known.",
		ByHand: "cat checkpoints/store/projects/PROJECT.json",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			saw := pr.Source.JSONFlaw
			if pr.Source.JSON != evidence.Damaged {
				if !pr.Source.BOM {
					return
				}
				saw = "it begins with a byte order mark"
			}
			f := scan.Finding{
				Subject:  aboutProject(s, pr),
				Message:  fmt.Sprintf("%s of project %s is damaged: %s", jsonPath(pr), pr.Source.ID, saw),
				Advice:   "The checkpoints are not affected; the next capture in that folder writes the file anew.",
				Evidence: []evidence.Item{file(s, jsonPath(pr), saw, shell("od -c", s, jsonPath(pr)))},
			}
			f.Subject.Path = jsonPath(pr)
			p.Report(f)
		})
	},
}
