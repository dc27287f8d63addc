package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var ledgerUnmatched = &scan.Check{
	ID: "ledger-unmatched", Class: "1.5", Severity: scan.Notice,
	Title:  "a list of files that agents wrote belongs to no project, or cannot be read",
	Issues: []string{"#111861", "#112882"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "ledgers/ID.json exists and neither a ref nor a projects/ID.json does, or the file is damaged. A rollback in another folder of the same project does not find it, and cannot tell files that were edited by hand.",
		Not:    "It is common: ledgers are never pruned, and their id is that of the project's root, which may lie above the folder that is rolled back.",
		Origin: "A pruned project; builds before #112882, in which writer and reader could disagree about the root.",
		Safe:   "Nothing.",
		Unsafe: "Relying on a rollback to keep files that were edited by hand.",
		ByHand: "ls checkpoints/store/ledgers checkpoints/store/projects",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			for _, l := range s.Source.Ledgers {
				path, saw := "ledgers/"+l.ID+".json", "no project "+l.ID
				switch {
				case l.Flaw != "":
					saw = l.Flaw
				case known(s, l.ID):
					continue
				}
				p.Report(scan.Finding{
					Subject:  scan.Subject{Store: gitDir(s), Project: l.ID, Path: path},
					Message:  fmt.Sprintf("%s with %s is of no use to a rollback: %s", below(s, path), scan.Count(len(l.Entries), "written file"), saw),
					Advice:   "Nothing needs doing. A rollback may overwrite files that were edited by hand since.",
					Evidence: []evidence.Item{file(s, path, saw, shell("cat", s, path))},
				})
			}
		})
	},
}
