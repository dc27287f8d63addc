package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var refDamaged = &scan.Check{
	ID: "ref-damaged", Class: "R2, R3, R4", Severity: scan.Error,
	Title:  "a project's ref holds no id, or that of something else than a checkpoint",
	Issues: []string{"#109074"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The file of the ref is empty, holds NUL bytes, is no file at all or holds something else than an id; or its id is that of a tree, blob or tag; or it leads nowhere while packed-refs has a value that can be read, which is then used here. The project's list is empty; newest builds refuse to take or restore for every project.",
		Not:    "The packed value may be older than the newest checkpoint. It does not say that a checkpoint is lost.",
		Origin: "A crash or a full disk while the ref was written.",
		Safe:   "On a copy, with Hermes stopped: move the one file away; the packed value, or the newest fitting commit, takes its place.",
		Unsafe: "Deleting the project or running gc before the tip was found.",
		ByHand: "od -c checkpoints/store/refs/hermes/PROJECT; grep PROJECT checkpoints/store/packed-refs",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			ref := pr.Source.Ref
			if ref == nil || ref.Symbolic != "" {
				return // none, or one that ref-foreign tells
			}
			f := scan.Finding{Subject: aboutProject(s, pr)}
			f.Subject.Path = ref.Name
			saw := pr.Source.RefFlaw
			switch pr.Source.RefState {
			case evidence.RefBroken:
				f.Message = fmt.Sprintf("the ref of %s is damaged: %s", called(pr), saw)
				f.Advice = "On a copy, with Hermes stopped, move the file away. Commits that no project leads to and that may be its own: " + lostTips(s, pr) + "."
			case evidence.RefWrong:
				f.Message = fmt.Sprintf("the ref of %s names what is no commit", called(pr))
				f.Advice = "On a copy, with Hermes stopped, move the file away. Commits that no project leads to and that may be its own: " + lostTips(s, pr) + "."
			case evidence.RefPacked:
				f.Message = fmt.Sprintf("the ref of %s leads nowhere, and packed-refs has an older value, with %s", called(pr), scan.Count(len(pr.Checkpoints), "checkpoint"))
				f.Advice = "On a copy, with Hermes stopped, move the file away and the packed value counts. Newer checkpoints may lie beside it, in commits that no project leads to: " + lostTips(s, pr) + "."
				f.Evidence = append(f.Evidence, file(s, "packed-refs", ref.Packed.String(), shell("grep "+pr.Source.ID, s, "packed-refs")))
			default:
				return
			}
			f.Evidence = append([]evidence.Item{file(s, ref.Name, saw, shell("od -c", s, ref.Name))}, f.Evidence...)
			p.Report(f)
		})
	},
}
