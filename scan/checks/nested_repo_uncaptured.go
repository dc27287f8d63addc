package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var nestedRepoUncaptured = &scan.Check{
	ID: "nested-repo-uncaptured", Class: "N1, N2", Severity: scan.Warning,
	Title:  "a checkpoint holds nothing of a repository inside the project",
	Issues: []string{"#127073", "#127839"},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "The checkpoint's tree has an entry of mode 160000: of the git repository at that path only the id of its commit was recorded, none of its files. The finding says since which checkpoint, whether the checkpoint's own text names it (labelled), and whether the recorded commit is in the store, which is unusual.",
		Not:    "A nested repository below an ignored or excluded path, or one that was made inside a folder which was captured before, leaves no trace: silence proves nothing about these. Nor can a live repository be told from a folder whose .git was deleted since.",
		Origin: "git add records a folder with a .git of its own as a link to a commit. Builds before the fix of #127073 say nothing about it.",
		Safe:   "Restore by a selection that avoids the path; bring the nested repository back with its own git (stash, reflog, fsck). Before an agent works: commit or stash inside it.",
		Unsafe: "A full rollback with a build before the fix: it reports success and restores nothing of the repository; where the folder was deleted, an empty one is left.",
		ByHand: "git --git-dir=checkpoints/store ls-tree -r COMMIT | grep ^160000",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		told := 0
		err := eachCheckpoint(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project, c *checkpoints.Checkpoint) {
			if c.Total == 0 {
				return
			}
			if told++; told > mostTold {
				return
			}
			labelled := c.Labelled()
			f := scan.Finding{
				Subject: aboutCheckpoint(s, pr, c), Labelled: &labelled, Group: nestedGroup(s, pr, c),
				Message: fmt.Sprintf("%s of %s holds nothing of %s: %s; %s", numbered(c), called(pr), nestedCount(c.Total), nestedNames(c), labelWords(c)),
				Advice:  nestedAdvice(c),
			}
			for _, n := range c.Nested {
				f.Evidence = append(f.Evidence, evidence.Item{
					At:  evidence.Ref{Path: gitDir(s), Key: "commit " + c.Commit.ID.String() + " path " + fmt.Sprintf("%q", n.Path)},
					Saw: fmt.Sprintf("mode 160000, commit %s%s, recorded since checkpoint %d", n.Commit, inStore(n), n.Since),
					How: git(s, "ls-tree -r "+c.Commit.ID.String()),
				})
				if len(f.Evidence) == mostNested {
					break
				}
			}
			p.Report(f)
		})
		if err == nil && told > mostTold {
			return scan.ErrLimit
		}
		return err
	},
}

// mostTold bounds the findings about one base. A project of the product has at most some hundred checkpoints.
const mostTold = 20_000

// mostNested bounds the evidence of one finding; the list of checkpoints has all paths.
const mostNested = 20

// nestedGroup is equal for checkpoints of a project that miss the same and say the same about it.
func nestedGroup(s *checkpoints.Store, pr *checkpoints.Project, c *checkpoints.Checkpoint) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q %q %s", gitDir(s), pr.Source.ID, c.Label) // documented never to fail
	for _, n := range c.Nested {
		_, _ = fmt.Fprintf(sum, " %q", n.Path)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// nestedCount spells a number of nested repositories.
func nestedCount(n int64) string {
	if n == 1 {
		return "1 nested repository"
	}
	return fmt.Sprintf("%d nested repositories", n)
}

func nestedNames(c *checkpoints.Checkpoint) string {
	var names []string
	for _, n := range c.Nested {
		names = append(names, n.Path)
	}
	return few(names)
}

func inStore(n checkpoints.Nested) string {
	if n.InStore {
		return " (which is in the store: unusual)"
	}
	return " (not in the store, as is normal)"
}

func labelWords(c *checkpoints.Checkpoint) string {
	switch c.Label {
	case checkpoints.Labelled:
		return "its own text says so"
	case checkpoints.Wrong:
		return "its own text says something else"
	}
	return "its own text does not say so"
}

func nestedAdvice(c *checkpoints.Checkpoint) string {
	if c.Label == checkpoints.Predates {
		return "Update before rolling back: a build before the fix of #127073 reports success here and restores nothing of it. Restore by a selection that avoids the path."
	}
	return "A full rollback is refused. Restore by a selection that avoids the path, and bring the nested repository back with its own git."
}
