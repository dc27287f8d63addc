package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var legacyStore = &scan.Check{
	ID: "legacy-store", Class: "P3, P4", Severity: scan.Notice,
	Title:  "checkpoints of the first layout, which the product of today does not list",
	Issues: []string{"#20709"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "An archive legacy-* holds repositories of the first layout, or such a repository lies beside the store and was never migrated. /rollback of today does not list what they hold; the daily sweep deletes archives when they are older than the retention, and repositories that it takes for orphans or stale.",
		Not:    "They are read here like the store, nested repositories included.",
		Origin: "The change of the layout in May 2026: what lay in checkpoints/ was moved aside once.",
		Safe:   "Copy what is wanted before the next sweep, and take it out of the checkpoints.",
		Unsafe: "hermes checkpoints clear-legacy. Plain git in such a repository: it writes into the recorded folder.",
		ByHand: "ls -ld checkpoints/legacy-* checkpoints/*/HEAD",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		base := p.Base.Source
		for _, a := range base.Archives {
			n, kept := 0, 0
			for _, s := range p.Base.Stores {
				if strings.HasPrefix(s.Source.Name, a.Name+"/") {
					n++
					kept += checkpointCount(s)
				}
			}
			path := base.Name + "/" + a.Name
			p.Report(scan.Finding{
				Subject:  scan.Subject{Store: path},
				Message:  fmt.Sprintf("%s holds %s of the first layout with %s, which no list shows", path, repositories(n), scan.Count(kept, "checkpoint")),
				Advice:   "Copy what is wanted before the next sweep: retention counts from the folder's own time.",
				Evidence: []evidence.Item{{At: evidence.Ref{Path: path}, Saw: "written " + when(a.Modified), How: "ls -ld " + scan.ShellQuote(path)}},
			})
		}
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			if s.Source.Version != 1 || strings.Contains(s.Source.Name, "/") || !evidence.IsProjectID(s.Source.Name) {
				return
			}
			p.Report(scan.Finding{
				Subject:  scan.Subject{Store: gitDir(s), Project: s.Source.Name},
				Message:  fmt.Sprintf("%s is a repository of the first layout with %s, which no list shows", gitDir(s), scan.Count(checkpointCount(s), "checkpoint")),
				Advice:   "Copy what is wanted before the next sweep.",
				Evidence: []evidence.Item{file(s, "HEAD", s.Source.Head.Symbolic, shell("cat", s, "HEAD"))},
			})
		})
	},
}

func checkpointCount(s *checkpoints.Store) (n int) {
	for _, pr := range s.Projects {
		n += len(pr.Checkpoints)
	}
	return n
}

func repositories(n int) string {
	if n == 1 {
		return "1 repository"
	}
	return fmt.Sprintf("%d repositories", n)
}
