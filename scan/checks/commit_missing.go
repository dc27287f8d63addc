package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var commitMissing = &scan.Check{
	ID: "commit-missing", Class: "O1", Severity: scan.Error,
	Title:  "a project's history breaks off at a checkpoint that is missing or damaged",
	Issues: []string{"#93314"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A commit names a parent that cannot be read, or the ref names a commit that is damaged. The product's list of the project is empty, although the newer ids can still be restored; trimming stops, so the history grows.",
		Not:    "Older checkpoints, before the gap, may be whole: they lie in the store with nothing that leads to them.",
		Origin: "A gc in parallel, a full disk, a bad sector, a copy that left files out.",
		Safe:   "Restore by id from the checkpoints that are listed here; look for older ones among the commits that no project leads to.",
		Unsafe: "Running gc or prune; deleting the commit-graph before a copy was made, since it may be the last trace of the ids.",
		ByHand: "git --git-dir=checkpoints/store rev-list refs/hermes/PROJECT",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		err := eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			gap := pr.Source.ChainErr
			f := scan.Finding{Subject: aboutProject(s, pr)}
			switch {
			case gap != nil && gap.Fault != evidence.ObjectLimit:
				last := &pr.Checkpoints[len(pr.Checkpoints)-1]
				f.Message = fmt.Sprintf("the history of %s breaks off behind checkpoint %d: commit %s is %s; the product lists none of them", called(pr), last.N, gap.ID, gap.Fault)
				f.Evidence = []evidence.Item{
					object(s, last.Commit.ID, "commit", "parent "+gap.ID.String(), git(s, "cat-file -p "+last.Commit.ID.String())),
				}
			case gap == nil && pr.Source.RefState == evidence.RefDangling && pr.TipErr != nil && !isMissing(pr.TipErr) && pr.TipErr.Fault != evidence.ObjectLimit:
				gap = pr.TipErr
				f.Message = fmt.Sprintf("the newest checkpoint of %s, commit %s, is damaged: %s", called(pr), gap.ID, gap.Fault)
			default:
				return
			}
			f.Subject.Checkpoint = gap.ID.String()
			f.Evidence = append(f.Evidence, object(s, gap.ID, "commit", lostWords(gap), git(s, "cat-file -e "+gap.ID.String())))
			f.Advice = "Restore by id, not by number. Run no gc and no prune before you have looked through the commits that no project leads to and that may be its own: " + lostTips(s, pr) + "."
			p.Report(f)
		})
		if err == nil && chainLimit(p) {
			return scan.ErrLimit
		}
		return err
	},
}

// chainLimit says that a history was too long, or a circle.
func chainLimit(p *scan.Pass) bool {
	for _, s := range p.Base.Stores {
		for _, pr := range s.Projects {
			for _, e := range []*evidence.ObjectError{pr.Source.ChainErr, pr.TipErr} {
				if e != nil && e.Fault == evidence.ObjectLimit {
					return true
				}
			}
		}
	}
	return false
}

// lostWords says what is wrong with an object, and where.
func lostWords(e *evidence.ObjectError) string {
	text := string(e.Fault)
	if e.Where != "" {
		text += " in " + e.Where
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}
