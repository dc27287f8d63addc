package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var packDamaged = &scan.Check{
	ID: "pack-damaged", Class: "O4", Severity: scan.Error,
	Title:  "a pack of the checkpoint store is damaged, or half of it is gone",
	Issues: []string{"#83036"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A .pack without its .idx or the reverse, one that is cut short, or whose head, trailer or index contradict each other. git sees none of its objects.",
		Not:    "Objects that can be read all the same are read here, and each is compared with its own hash: which checkpoints are affected is told by commit-missing, tree-missing and blob-missing.",
		Origin: "A full disk, a bad sector, a copy that left files out, a gc that was killed.",
		Safe:   "Keep both files. An index can be made anew from a whole pack: git index-pack, on a copy.",
		Unsafe: "Deleting the half that is left; running gc.",
		ByHand: "ls -l checkpoints/store/objects/pack; git --git-dir=checkpoints/store verify-pack -v checkpoints/store/objects/pack/PACK.idx",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			told := map[string]bool{}
			for _, pr := range s.Source.Problems {
				half := strings.HasSuffix(pr.Path, ".pack") || strings.HasSuffix(pr.Path, ".idx")
				if !strings.HasPrefix(pr.Path, "objects/pack/") || !half || pr.Fault == evidence.ObjectLimit || told[pr.Path] {
					continue
				}
				told[pr.Path] = true
				how := shell("ls -l", s, "objects/pack")
				if pr.Fault != evidence.ObjectMissing {
					index := strings.TrimSuffix(strings.TrimSuffix(pr.Path, ".pack"), ".idx") + ".idx"
					how = "git verify-pack -v " + scan.ShellQuote(below(s, index))
				}
				advice := "Keep every file of objects/pack. What can still be read is read here; on a copy, git index-pack makes an index anew."
				if n := s.Source.Packs.Reindexed; n > 0 {
					advice += fmt.Sprintf(" %s in packs that git cannot use: no rollback reaches them, hermes-doctor checkpoints extract does.", scan.Count(n, "object"))
				}
				p.Report(scan.Finding{
					Subject:  aboutStore(s, pr.Path),
					Message:  fmt.Sprintf("%s is damaged: %s", below(s, pr.Path), pr.What),
					Advice:   advice,
					Evidence: []evidence.Item{file(s, pr.Path, pr.What, how)},
				})
			}
		})
	},
}
