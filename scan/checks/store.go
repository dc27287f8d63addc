package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// eachStore runs a check over every git directory of the base.
func eachStore(ctx context.Context, p *scan.Pass, run func(s *checkpoints.Store)) error {
	for _, s := range p.Base.Stores {
		if err := ctx.Err(); err != nil {
			return err
		}
		run(s)
	}
	return nil
}

// eachProject runs a check over every project of every git directory of the base.
func eachProject(ctx context.Context, p *scan.Pass, run func(s *checkpoints.Store, pr *checkpoints.Project)) error {
	return eachStore(ctx, p, func(s *checkpoints.Store) {
		for _, pr := range s.Projects {
			run(s, pr)
		}
	})
}

// eachCheckpoint runs a check over every checkpoint. A store that was too much to be listed whole is a limit.
func eachCheckpoint(ctx context.Context, p *scan.Pass, run func(s *checkpoints.Store, pr *checkpoints.Project, c *checkpoints.Checkpoint)) error {
	err := eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
		for i := range pr.Checkpoints {
			run(s, pr, &pr.Checkpoints[i])
		}
	})
	if err != nil {
		return err
	}
	return limited(p)
}

// limited says that something was too much to be looked at whole.
func limited(p *scan.Pass) error {
	for _, s := range p.Base.Stores {
		if s.Limit != "" {
			return scan.ErrLimit
		}
	}
	return nil
}

// gitDir is a store's folder as the reader of a copied home names it.
func gitDir(s *checkpoints.Store) string { return s.Source.Base.Name + "/" + s.Source.Name }

// git spells a git command that shows something of a store again. Plain git may run what a hostile store names as soon as
// an object is missing; the two variables keep it from fetching.
func git(s *checkpoints.Store, command string) string {
	return "GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --git-dir=" + scan.ShellQuote(gitDir(s)) + " " + command
}

// shell spells a command about a file below a store.
func shell(command string, s *checkpoints.Store, path string) string {
	return command + " " + scan.ShellQuote(below(s, path))
}

func below(s *checkpoints.Store, path string) string {
	if path == "" {
		return gitDir(s)
	}
	return gitDir(s) + "/" + path
}

// file is an observation about a file below a store.
func file(s *checkpoints.Store, path, saw, how string) evidence.Item {
	return evidence.Item{At: evidence.Ref{Path: below(s, path)}, Saw: saw, How: how}
}

// object is an observation about an object of a store.
func object(s *checkpoints.Store, id evidence.ObjectID, kind, saw, how string) evidence.Item {
	return evidence.Item{At: evidence.Ref{Path: gitDir(s), Key: kind + " " + id.String()}, Saw: saw, How: how}
}

// aboutStore names a store as a finding's subject.
func aboutStore(s *checkpoints.Store, path string) scan.Subject {
	return scan.Subject{Store: gitDir(s), Path: path}
}

// aboutProject names a project as a finding's subject.
func aboutProject(s *checkpoints.Store, pr *checkpoints.Project) scan.Subject {
	return scan.Subject{Store: gitDir(s), Project: pr.Source.ID}
}

// aboutCheckpoint names a checkpoint as a finding's subject.
func aboutCheckpoint(s *checkpoints.Store, pr *checkpoints.Project, c *checkpoints.Checkpoint) scan.Subject {
	return scan.Subject{Store: gitDir(s), Project: pr.Source.ID, Checkpoint: c.Commit.ID.String()}
}

// called names a project for people: its id, and the path that is recorded for it.
func called(pr *checkpoints.Project) string {
	if pr.Source.Workdir == "" {
		return "project " + pr.Source.ID
	}
	return fmt.Sprintf("project %s (%s)", pr.Source.ID, pr.Source.Workdir)
}

// numbered names a checkpoint for people.
func numbered(c *checkpoints.Checkpoint) string {
	return fmt.Sprintf("checkpoint %d (%s)", c.N, c.Commit.ID.String()[:8])
}

// few joins the first names of a list.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// jsonPath is the file that registers a project.
func jsonPath(pr *checkpoints.Project) string { return "projects/" + pr.Source.ID + ".json" }

// lostTips says where to look for a history that no ref leads to any more: for that of one project, or for all.
func lostTips(s *checkpoints.Store, pr *checkpoints.Project) string {
	tips := s.LostTips()
	if pr != nil {
		tips = s.LostFor(pr)
	}
	if len(tips) == 0 {
		return "no such commit is in the store"
	}
	var ids []string
	for _, t := range tips {
		ids = append(ids, t.Commit.ID.String())
	}
	return few(ids) + ", newest first (hermes-doctor checkpoints extract takes their files out by --checkpoint ID)"
}
