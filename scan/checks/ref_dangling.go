package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var refDangling = &scan.Check{
	ID: "ref-dangling", Class: "R1", Severity: scan.Error,
	Title:  "a project's ref names a checkpoint that is not in the store",
	Issues: []string{"#109074"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The project's ref holds a well formed id, no pack and no file has the object, and packed-refs has no older value that leads to one. The list of the project is empty, gc fails for ever, and newest builds refuse to take or restore for every project.",
		Not:    "It does not say that the older checkpoints are lost: they may lie in the store with nothing that leads to them.",
		Origin: "A crash between writing the ref and the objects, a gc in parallel, a copy that left the newest objects out.",
		Safe:   "Look through the commits that no project leads to; on a copy, write the id of the newest fitting one into the ref.",
		Unsafe: "Running gc or prune, which deletes those commits; deleting the ref.",
		ByHand: "cat checkpoints/store/refs/hermes/PROJECT; git --git-dir=checkpoints/store fsck --unreachable",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			if pr.Source.RefState != evidence.RefDangling || !isMissing(pr.TipErr) {
				return
			}
			id := pr.Source.Ref.ID.String()
			where := "which is not in the store"
			advice := "Run no gc and no prune; keep this copy. Commits that no project leads to and that may be its own: " + lostTips(s, pr) + "."
			if pr.TipHidden {
				where = "which lies in a pack that git cannot use"
				advice = "Keep every file of objects/pack; git index-pack, on a copy, makes the index anew and brings the list back. Until then hermes-doctor checkpoints extract takes files out by --checkpoint " + id + "."
			}
			p.Report(scan.Finding{
				Subject: scan.Subject{Store: gitDir(s), Project: pr.Source.ID, Checkpoint: id},
				Message: fmt.Sprintf("the ref of %s names commit %s, %s: its list is empty", called(pr), id, where),
				Advice:  advice,
				Evidence: []evidence.Item{
					file(s, pr.Source.Ref.Name, id, git(s, "for-each-ref "+scan.ShellQuote(pr.Source.Ref.Name))),
					object(s, pr.Source.Ref.ID, "commit", "no such object", git(s, "cat-file -e "+id)),
				},
			})
		})
	},
}

func isMissing(e *evidence.ObjectError) bool { return e != nil && e.Fault == evidence.ObjectMissing }
