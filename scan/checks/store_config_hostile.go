package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var storeConfigHostile = &scan.Check{
	ID: "store-config-hostile", Class: "S8", Severity: scan.Warning,
	Title:  "the checkpoint store holds settings or files that make git run programs or look elsewhere",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "config has keys that neither the product nor git init writes, or the store has a hook, info/attributes, commondir, config.worktree, modules or worktrees. Plain git obeys all of these, some at the mere question whether an object exists.",
		Not:    "It does not say that anything was run, or that the owner did not want it. This program reads them as text and obeys none.",
		Origin: "Manual work on the store, a template folder of the user in repositories of the first layout, or a store that was made to harm its reader.",
		Safe:   "Run no git on the folder. To look with git, make a fresh bare repository and copy only objects/?? and pack-*.pack and pack-*.idx into it.",
		Unsafe: "git log, show, diff, gc or status in the store of a stranger.",
		ByHand: "cat checkpoints/store/config; ls checkpoints/store/hooks checkpoints/store/info",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			f := scan.Finding{Subject: aboutStore(s, "config")}
			var what []string
			for _, set := range s.Source.Config.Foreign {
				if len(what) < mostSteering {
					item := file(s, "config", set.Key, shell("cat", s, "config")) // a value may be a password
					item.At.Line = set.Line
					f.Evidence = append(f.Evidence, item)
				}
				what = append(what, set.Key)
			}
			for _, st := range s.Source.Steering {
				if !slices.Contains(obeyed(), st.Kind) {
					continue
				}
				if len(what) < mostSteering {
					f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Path: below(s, st.Path)}, Saw: string(st.Kind), How: shell("ls -ld", s, st.Path)})
				}
				what = append(what, st.Path)
			}
			if len(what) == 0 {
				return
			}
			f.Message = fmt.Sprintf("%s holds what the product does not write and git would obey: %s", gitDir(s), few(what))
			f.Advice = "Run no git on this folder before you know who put it there. Nothing of it is obeyed here."
			p.Report(f)
		})
	},
}

// mostSteering bounds the evidence of one finding.
const mostSteering = 100

func obeyed() []evidence.Steering {
	return []evidence.Steering{
		evidence.SteerHook, evidence.SteerAttributes, evidence.SteerCommonDir, evidence.SteerConfig, evidence.SteerModules, evidence.SteerWorktrees,
	}
}
