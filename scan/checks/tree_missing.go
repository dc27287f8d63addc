package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var treeMissing = &scan.Check{
	ID: "tree-missing", Class: "O2", Severity: scan.Error,
	Title:  "a folder of a checkpoint is missing or damaged",
	Issues: []string{"#83036"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A tree that a checkpoint needs is in no pack and no file, cannot be inflated, or has another hash than its name. The list shows the checkpoint; restoring it fails.",
		Not:    "Other checkpoints of the project, and other folders of this one, are not affected.",
		Origin: "A full disk, a bad sector, a copy that left files out.",
		Safe:   "Use another checkpoint, or take the rest out of this one.",
		Unsafe: "Running gc, or restoring this checkpoint.",
		ByHand: "git --git-dir=checkpoints/store ls-tree -r -t COMMIT",
	},
	Run: func(ctx context.Context, p *scan.Pass) error { return reportDamage(ctx, p, evidence.KindTree) },
}

// reportDamage tells the lost objects of one kind, one finding for each project and object.
func reportDamage(ctx context.Context, p *scan.Pass, kind evidence.ObjectKind) error {
	err := eachStore(ctx, p, func(s *checkpoints.Store) {
		for i := range s.Damage {
			if s.Damage[i].Kind == kind && s.Damage[i].Err.Fault != evidence.ObjectLimit {
				p.Report(damageFinding(s, &s.Damage[i]))
			}
		}
	})
	if err != nil {
		return err
	}
	return limited(p)
}

func damageFinding(s *checkpoints.Store, d *checkpoints.Damage) scan.Finding {
	newest := &d.Project.Checkpoints[d.Newest-1]
	f := scan.Finding{Subject: aboutCheckpoint(s, d.Project, newest)}
	f.Subject.Path = d.Path
	id := d.Err.ID.String()
	where := d.Path
	what := "the folder "
	if d.Kind == evidence.KindBlob {
		what = "the file "
	}
	if where == "" {
		what, where = "the whole tree", ""
	}
	affected := fmt.Sprintf("checkpoint %d", d.Newest)
	if d.Number > 1 {
		affected = fmt.Sprintf("%d checkpoints, the newest number %d and the oldest number %d", d.Number, d.Newest, d.Oldest)
	}
	f.Message = fmt.Sprintf("%s%s of %s is lost (%s) to %s", what, where, called(d.Project), d.Err.Fault, affected)
	f.Advice = "Use another checkpoint of the project, or a selection that avoids the path."
	if d.Kind == evidence.KindBlob {
		f.Advice = "Do not roll back to these checkpoints as a whole: the rollback stops half done, and deletes this file from the folder. Use another checkpoint, or a selection that avoids the path."
	}
	f.Evidence = []evidence.Item{
		object(s, newest.Commit.ID, "commit", fmt.Sprintf("path %q is object %s", d.Path, id), git(s, "ls-tree -r -t "+newest.Commit.ID.String())),
		object(s, d.Err.ID, d.Kind.String(), lostWords(d.Err), git(s, "cat-file -p "+id)),
	}
	return f
}
