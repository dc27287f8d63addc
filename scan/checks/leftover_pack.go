package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var leftoverPack = &scan.Check{
	ID: "leftover-pack", Class: "L6", Severity: scan.Notice,
	Title:  "temporary files of a git that was killed take up space",
	Issues: []string{"#83036", "#93732"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "tmp_pack_*, tmp_idx_* or tmp_obj_* lie among the objects: no git reads them.",
		Not:    "It does not say that an object is missing: what they were to become is told by the other checks.",
		Origin: "A gc or capture that was killed, or ran out of disk.",
		Safe:   "When no git and no Hermes runs they can be removed; the product's prune does so.",
		Unsafe: "Removing them while git runs.",
		ByHand: "find checkpoints/store/objects -name 'tmp_*' -ls",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			f := scan.Finding{Subject: aboutStore(s, "objects")}
			var total int64
			n := 0
			for _, l := range s.Source.Leavings {
				if !strings.HasPrefix(l.Path, "objects/") {
					continue
				}
				n++
				total += l.Bytes
				if n <= mostNested {
					f.Evidence = append(f.Evidence, file(s, l.Path, scan.Count(l.Bytes, "byte")+", written "+when(l.Modified), shell("ls -l", s, l.Path)))
				}
			}
			if n == 0 {
				return
			}
			f.Message = fmt.Sprintf("%s of a killed git lie in %s, %s in all", scan.Count(n, "temporary file"), gitDir(s), scan.Count(total, "byte"))
			f.Advice = "When no git and no Hermes runs they can be removed; the product's prune does so."
			p.Report(f)
		})
	},
}
