package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var indexStale = &scan.Check{
	ID: "index-stale", Class: "R7", Severity: scan.Notice,
	Title:  "an index of a project that has neither checkpoints nor a registration",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "indexes/ID exists, and neither a ref nor a projects/ID.json does.",
		Not:    "Nothing is lost by it: an index is a cache that each capture makes anew from the newest checkpoint.",
		Origin: "A prune that died midway, or a ref and a registration that were deleted by hand; then commits of the project may still lie in the store.",
		Safe:   "Nothing; look through the commits that no project leads to if you miss that project.",
		Unsafe: "Reading the index as if it were a checkpoint: the files that it names may be gone.",
		ByHand: "ls checkpoints/store/indexes checkpoints/store/projects; git --git-dir=checkpoints/store for-each-ref refs/hermes/",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			for _, id := range s.Source.Indexes {
				if known(s, id) {
					continue
				}
				path := "indexes/" + id
				p.Report(scan.Finding{
					Subject:  scan.Subject{Store: gitDir(s), Project: id, Path: path},
					Message:  fmt.Sprintf("%s is the index of a project that has neither a ref nor a registration", below(s, path)),
					Advice:   "Nothing needs doing. Commits that no project leads to: " + lostTips(s, nil) + ".",
					Evidence: []evidence.Item{file(s, path, "no project "+id, shell("ls -l", s, path))},
				})
			}
		})
	},
}

// known says whether a ref or a registration names a project.
func known(s *checkpoints.Store, id string) bool {
	_, found := slices.BinarySearchFunc(s.Projects, id, func(pr *checkpoints.Project, id string) int { return strings.Compare(pr.Source.ID, id) })
	return found
}
