package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeHistoryOverridden = &scan.Check{
	ID: "store-history-overridden", Class: "H1", Severity: scan.Warning,
	Title:  "files in the checkpoint store make git show another history than the commits hold",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "shallow, info/grafts or a ref below refs/replace/ exists: git then lists fewer or other checkpoints than the commits themselves name.",
		Not:    "It does not say that a checkpoint is lost: this program reads the commits as they are. A commit-graph is normal after a gc, and is not meant.",
		Origin: "The product never makes one: manual work or tampering.",
		Safe:   "Compare the list of this program with what git lists; on a copy, move the file away.",
		Unsafe: "Trusting git's own list, or running gc, which drops what the files hide.",
		ByHand: "ls checkpoints/store/shallow checkpoints/store/info/grafts checkpoints/store/refs/replace",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachSteering(ctx, p, func(s *checkpoints.Store, st evidence.SteeringFile) {
			how := shell("cat", s, st.Path)
			switch st.Kind {
			case evidence.SteerShallow, evidence.SteerGrafts:
			case evidence.SteerReplace:
				how = git(s, "for-each-ref refs/replace/")
			default:
				return
			}
			p.Report(scan.Finding{
				Subject:  aboutStore(s, st.Path),
				Message:  fmt.Sprintf("%s makes git show another history than the commits hold", below(s, st.Path)),
				Advice:   "It is not obeyed here. Find out who made it before you run gc, which drops what it hides.",
				Evidence: []evidence.Item{file(s, st.Path, string(st.Kind)+" "+few(st.Detail), how)},
			})
		})
	},
}
