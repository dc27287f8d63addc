package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var excludeListChanged = &scan.Check{
	ID: "exclude-list-changed", Class: "S9", Severity: scan.Notice,
	Title:  "the store's list of what is not captured is missing or not the product's",
	Issues: []string{"#95115"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "info/exclude lacks lines that the product writes when it makes the store, or has others. It writes the list once and never looks at it again, so that what is gone stays gone.",
		Not:    "It does not say that such a file was captured: checkpoints show lists the files of a checkpoint. A .gitignore and the user's own git settings may leave the same files out.",
		Origin: "Manual work, a copy without info/, or a store that git made and not the product.",
		Safe:   "Look whether a checkpoint holds what should not be in it before you give the store to somebody. The owner may put the lines back.",
		Unsafe: "Taking it for granted that .env and the like are in no checkpoint.",
		ByHand: "cat checkpoints/store/info/exclude",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			e := s.Excludes()
			const list = "info/exclude"
			f := scan.Finding{Subject: aboutStore(s, list)}
			switch {
			case e.Missing:
				f.Message = fmt.Sprintf("%s has no list of what is not captured: files such as .env, and what a build makes, may be in its checkpoints", gitDir(s))
				f.Evidence = []evidence.Item{file(s, list, "no plain file of at most 64 KiB", shell("ls -l", s, "info"))}
			case len(e.Gone) > 0:
				f.Message = fmt.Sprintf("%s of %s are gone, so that what they name may be captured: %s", scan.Count(len(e.Gone), "line"), below(s, list), few(e.Gone))
				f.Evidence = []evidence.Item{file(s, list, "without "+few(e.Gone), shell("cat", s, list))}
				if len(e.Back) > 0 {
					f.Evidence = append(f.Evidence, file(s, list, "with "+few(e.Back), shell("cat", s, list)))
				}
			case len(e.Back) > 0:
				f.Message = fmt.Sprintf("%s of %s take back what others exclude, so that it may be captured: %s", scan.Count(len(e.Back), "line"), below(s, list), few(e.Back))
				f.Evidence = []evidence.Item{file(s, list, few(e.Back), shell("cat", s, list))}
			case len(e.Added) > 0:
				f.Message = fmt.Sprintf("%s has %s that the product does not write, and what they name is in no checkpoint: %s", below(s, list), scan.Count(len(e.Added), "line"), few(e.Added))
				f.Evidence = []evidence.Item{file(s, list, few(e.Added), shell("cat", s, list))}
			default:
				return
			}
			f.Advice = "Look at what the checkpoints hold (hermes-doctor checkpoints show) before you rely on the list or give the store away."
			p.Report(f)
		})
	},
}
