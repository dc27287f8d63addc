package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var staleLock = &scan.Check{
	ID: "stale-lock", Class: "L1, L2, L3", Severity: scan.Warning,
	Title:  "a lock file stops checkpoints, rollbacks or gc",
	Issues: []string{"#74108", "#74737", "#13232", "#52887", "#45871"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A lock is left: of a project's index (captures fail in silence, rollbacks with `File exists`), of a ref (captures fail, rollbacks go on without a safety snapshot), or of packed-refs (gc fails).",
		Not:    "It does not say that the lock is old: in a copy of a running install, git may have held it. Locks of HEAD, config or the store's own index stop nothing and are not meant, nor is gc.pid, which git judges itself.",
		Origin: "A git that was killed, a full disk.",
		Safe:   "When no git and no Hermes runs: delete that one file.",
		Unsafe: "Deleting it while git runs, or deleting anything else with it.",
		ByHand: "find checkpoints/store -name '*.lock'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			for _, l := range s.Source.Locks {
				stops := lockStops(s, l.Path)
				if stops == "" {
					continue
				}
				saw := scan.Count(l.Bytes, "byte") + ", written " + when(l.Modified)
				p.Report(scan.Finding{
					Subject:  scan.Subject{Store: gitDir(s), Path: l.Path, Project: lockProject(l.Path)},
					Message:  fmt.Sprintf("%s is left: %s", below(s, l.Path), stops),
					Advice:   fmt.Sprintf("When no git and no Hermes runs: rm %s.", scan.ShellQuote(below(s, l.Path))),
					Evidence: []evidence.Item{file(s, l.Path, saw, shell("ls -l", s, l.Path))},
				})
			}
		})
	},
}

// lockStops says what a lock stops; "" = nothing.
func lockStops(s *checkpoints.Store, path string) string {
	switch {
	case strings.HasPrefix(path, "indexes/"), path == "index.lock" && s.Source.Version == 1:
		return "checkpoints of the project fail in silence, and rollbacks with an error"
	case strings.HasPrefix(path, "refs/"):
		return "checkpoints of the project fail, and rollbacks go on without a safety snapshot"
	case path == "packed-refs.lock":
		return "gc fails, so the store grows"
	}
	return ""
}

// lockProject is the project that a lock belongs to; "" = none.
func lockProject(path string) string {
	id := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".lock")
	if !evidence.IsProjectID(id) {
		return ""
	}
	return id
}
