package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeFormatUnsupported = &scan.Check{
	ID: "store-format-unsupported", Class: "S4, S6", Severity: scan.Warning,
	Title:  "the checkpoint store's config is damaged, or says that its files mean something else",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "config cannot be parsed, its repositoryformatversion is above 1, it names an extension that is not known, or refs are kept as a reftable. git refuses the store, or finds refs where this program does not look.",
		Not:    "It does not say that objects are damaged: they are read all the same. A SHA-256 store is read whole and is not meant.",
		Origin: "A crash while config was written, a git whose defaults were changed, manual work.",
		Safe:   "Read the checkpoints without git. For a damaged config: write the product's keys anew, in a copy.",
		Unsafe: "Letting a newer git convert the only copy.",
		ByHand: "cat checkpoints/store/config; ls checkpoints/store/reftable",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			c := s.Source.Config
			f := scan.Finding{Subject: aboutStore(s, "config"), Advice: "Refs and objects were read as files of the ordinary format; what is kept in another way was not seen."}
			why := ""
			for _, reason := range []string{c.Flaw, c.Unsupported} {
				if reason != "" {
					why = reason
					f.Evidence = append(f.Evidence, file(s, "config", reason, shell("cat", s, "config")))
				}
			}
			for _, st := range s.Source.Steering {
				if st.Kind == evidence.SteerReftable {
					why = "refs are kept as a reftable"
					f.Evidence = append(f.Evidence, file(s, st.Path, why, shell("ls -l", s, st.Path)))
				}
			}
			if why == "" {
				return
			}
			f.Message = fmt.Sprintf("git refuses %s or reads it in another way: %s", gitDir(s), why)
			p.Report(f)
		})
	},
}
