package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeAlternates = &scan.Check{
	ID: "store-alternates", Class: "S7", Severity: scan.Warning,
	Title:  "the checkpoint store borrows objects from another folder",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "objects/info/alternates exists: git looks for objects in the folders that it names as well.",
		Not:    "It does not say that an object is missing here; that is told per object. The other folder is never looked at.",
		Origin: "Manual work: the product never makes one.",
		Safe:   "Copy the other folder too, and examine it as a store of its own.",
		Unsafe: "Deleting the other folder, or the file, before every checkpoint was seen to be whole without it.",
		ByHand: "cat checkpoints/store/objects/info/alternates",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachSteering(ctx, p, func(s *checkpoints.Store, st evidence.SteeringFile) {
			if st.Kind != evidence.SteerAlternates {
				return
			}
			p.Report(scan.Finding{
				Subject:  aboutStore(s, st.Path),
				Message:  fmt.Sprintf("%s names other folders for objects: %s", below(s, st.Path), few(st.Detail)),
				Advice:   "It is not followed: objects that only the other folder has count as missing here.",
				Evidence: []evidence.Item{file(s, st.Path, few(st.Detail), shell("cat", s, st.Path))},
			})
		})
	},
}

// eachSteering runs a check over every file that plain git would obey.
func eachSteering(ctx context.Context, p *scan.Pass, run func(s *checkpoints.Store, st evidence.SteeringFile)) error {
	return eachStore(ctx, p, func(s *checkpoints.Store) {
		for _, st := range s.Source.Steering {
			run(s, st)
		}
	})
}
