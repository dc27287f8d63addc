package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var captureBlocked = &scan.Check{
	ID: "capture-blocked", Class: "N6", Severity: scan.Notice,
	Title:  "checkpoints of a project were attempted for long and none was taken",
	Issues: []string{"#78888", "#95115"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The last attempt at a checkpoint is a day or more after the newest one, or there is no checkpoint although an attempt came a minute or more after the first; and no lock is left that would explain it.",
		Not:    "It is a hint only: where nothing changed in the folder, an attempt rightly takes none.",
		Origin: "A nested repository without a commit, a .git file that leads nowhere, an unreadable file, more than 50,000 entries.",
		Safe:   "Look into the log for rc=128; give the nested repository a first commit, or ignore it.",
		Unsafe: "Relying on /rollback in that folder.",
		ByHand: "cat checkpoints/store/projects/PROJECT.json; git --git-dir=checkpoints/store cat-file -p refs/hermes/PROJECT",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			since, saw, ok := quietSince(pr)
			touched := pr.Source.LastTouch
			if !ok || !facts.Time(touched).Trusted() || locked(s, pr.Source.ID) {
				return
			}
			p.Report(scan.Finding{
				Subject: aboutProject(s, pr),
				Message: fmt.Sprintf("the last attempt at a checkpoint of %s came %s after %s, and none was taken", called(pr), scan.Age(touched-since), saw),
				Advice:  "A hint only: nothing may have changed. If checkpoints are missing, look for rc=128 in the log; a nested repository without a commit, an unreadable file or more than 50,000 entries stop every one.",
				Evidence: []evidence.Item{
					file(s, jsonPath(pr), "last_touch "+when(touched), shell("cat", s, jsonPath(pr))),
					file(s, "refs/hermes/"+pr.Source.ID, saw+" "+when(since), git(s, "for-each-ref "+scan.ShellQuote("refs/hermes/"+pr.Source.ID))),
				},
			})
		})
	},
}

// quietSince is from when on attempts came to nothing; ok is false where that is not for long.
func quietSince(pr *checkpoints.Project) (since float64, saw string, ok bool) {
	const day, minute = 86400, 60
	touched := pr.Source.LastTouch
	if pr.Source.Ref == nil {
		since = pr.Source.CreatedAt
		return since, "the first one", facts.Time(since).Trusted() && touched-since >= minute
	}
	since = pr.Newest()
	if len(pr.Checkpoints) > 0 && pr.Checkpoints[0].Commit.Committer.Valid {
		since = max(since, float64(pr.Checkpoints[0].Commit.Committer.When))
	}
	return since, "the newest checkpoint", facts.Time(since).Trusted() && touched-since >= day
}

// locked says whether a lock is left that stops captures of a project.
func locked(s *checkpoints.Store, id string) bool {
	has := func(path string) bool {
		_, found := slices.BinarySearchFunc(s.Source.Locks, path, func(f evidence.CheckpointFile, path string) int { return strings.Compare(f.Path, path) })
		return found
	}
	return has("indexes/"+id+".lock") || has("refs/hermes/"+id+".lock")
}

// when spells a time of a store.
func when(epoch float64) string { return scan.Moment(facts.Time(epoch)) }
