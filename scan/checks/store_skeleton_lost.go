package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeSkeletonLost = &scan.Check{
	ID: "store-skeleton-lost", Class: "S1", Severity: scan.Error,
	Title:  "folders that make the checkpoint store a git repository are gone",
	Issues: []string{"#94257", "#110392", "#22287", "#105432"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "HEAD is there, but refs/ or objects/ is not. git then says that the folder is no repository: lists are empty, and taking and restoring fail for every project, without repair.",
		Not:    "It does not say that checkpoints are lost. With objects/ and packed-refs they are all there, and this program reads them.",
		Origin: "All refs were packed, and a gc, a sync, a zip or a copy dropped the empty folders.",
		Safe:   "On a second copy, with Hermes stopped: make the empty folders again.",
		Unsafe: "Running git init in another place and copying it over the store; deleting the store because the list is empty.",
		ByHand: "ls -la checkpoints/store; cat checkpoints/store/packed-refs",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			if slices.Contains(s.Source.Absent, "HEAD") {
				return
			}
			f := scan.Finding{Subject: aboutStore(s, "")}
			var gone []string
			for _, name := range []string{"refs", "objects"} {
				if slices.Contains(s.Source.Absent, name) {
					gone = append(gone, name+"/")
					f.Evidence = append(f.Evidence, file(s, name, "no such folder", shell("ls -d", s, name)))
				}
			}
			if len(gone) == 0 {
				return
			}
			kept := 0
			for _, pr := range s.Projects {
				kept += len(pr.Checkpoints)
			}
			f.Message = fmt.Sprintf("%s has a HEAD but no %s: git takes it for no repository, so every list is empty; %s can be read here", gitDir(s), few(gone), scan.Count(kept, "checkpoint"))
			f.Advice = fmt.Sprintf("On a second copy, with Hermes stopped: (cd %s && mkdir -p refs/heads branches objects/info objects/pack).", scan.ShellQuote(gitDir(s)))
			f.Evidence = append(f.Evidence, packedRefs(s))
			p.Report(f)
		})
	},
}

// packedRefs is how many refs packed-refs still names.
func packedRefs(s *checkpoints.Store) evidence.Item {
	n := 0
	for _, r := range s.Source.Refs {
		if !r.Packed.IsZero() {
			n++
		}
	}
	return file(s, "packed-refs", scan.Count(n, "ref"), shell("cat", s, "packed-refs"))
}
