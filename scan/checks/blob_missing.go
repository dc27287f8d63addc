package checks

import (
	"context"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var blobMissing = &scan.Check{
	ID: "blob-missing", Class: "O3", Severity: scan.Error,
	Title:  "a file of a checkpoint is missing or damaged",
	Issues: []string{"#83036"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A blob that a checkpoint needs is in no pack and no file; or its own file is empty, or cannot be inflated at its beginning; with --deep every blob is read whole and its hash compared. Restoring such a checkpoint is half done when it fails: the other files are restored, and this one is deleted from the folder.",
		Not:    "Without --deep, damage inside a pack, or behind the beginning of a file, is not seen. The commits of nested repositories are no objects of this store, and are not meant.",
		Origin: "A crash that left empty files, a full disk, a bad sector, a copy that left files out.",
		Safe:   "Use another checkpoint that has the file, or a selection that avoids it.",
		Unsafe: "Rolling back to such a checkpoint as a whole. After one: the file's last content is in the safety snapshot, which is the newest checkpoint.",
		ByHand: "git --git-dir=checkpoints/store fsck --full",
	},
	Run: func(ctx context.Context, p *scan.Pass) error { return reportDamage(ctx, p, evidence.KindBlob) },
}
