package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var historyUnusual = &scan.Check{
	ID: "history-unusual", Class: "H4", Severity: scan.Notice,
	Title:  "checkpoints look as the product does not make them",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "Among the commits of a project is a merge, an author or committer other than Hermes Checkpoint <hermes@local>, a signature, a line that git does not write, or a time earlier than that of the checkpoint before it.",
		Not:    "It does not say that the content is wrong: it is read as it stands. In a repository of the first layout a signature is ordinary.",
		Origin: "GIT_AUTHOR_* or GIT_COMMITTER_* in the environment of Hermes, a clock that was set back, manual work with git, a fork, or a store that somebody made up.",
		Safe:   "Ask who works in the store with git before you restore from such a checkpoint.",
		Unsafe: "Choosing a checkpoint by its time where times run backwards.",
		ByHand: "git --git-dir=checkpoints/store cat-file -p COMMIT",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachProject(ctx, p, func(s *checkpoints.Store, pr *checkpoints.Project) {
			f := scan.Finding{Subject: aboutProject(s, pr)}
			odd := 0
			var kinds []string
			for i := range pr.Checkpoints {
				why := unusual(s, pr, i)
				if len(why) == 0 {
					continue
				}
				odd++
				c := pr.Checkpoints[i].Commit
				for _, w := range why {
					if !slices.Contains(kinds, w) {
						kinds = append(kinds, w)
					}
				}
				if odd <= mostNested {
					f.Evidence = append(f.Evidence, object(s, c.ID, "commit", strings.Join(why, "; "), git(s, "cat-file -p "+c.ID.String())))
				}
			}
			if odd == 0 {
				return
			}
			f.Message = fmt.Sprintf("%s of %s are not as the product makes them: %s", scan.Count(odd, "checkpoint"), called(pr), few(kinds))
			f.Advice = "Ask who works in the store with git; the content is read as it stands."
			p.Report(f)
		})
	},
}

// The one who makes every commit of the product (spec/checkpoint-store.md 2.1).
const (
	maker     = "Hermes Checkpoint"
	makerMail = "hermes@local"
)

// unusual says what is not as the product writes it in the i-th checkpoint of a project.
func unusual(s *checkpoints.Store, pr *checkpoints.Project, i int) []string {
	var why []string
	c := pr.Checkpoints[i].Commit
	if n := len(c.Parents); n > 1 {
		why = append(why, fmt.Sprintf("a merge of %d parents", n))
	}
	if c.Flaw != "" {
		why = append(why, c.Flaw)
	} else if other := another(c.Author, c.Committer); other != "" {
		why = append(why, "made by "+other)
	}
	if c.Signed && s.Source.Version == 2 {
		why = append(why, "a signature")
	}
	if i+1 < len(pr.Checkpoints) {
		before := pr.Checkpoints[i+1].Commit
		if c.Author.Valid && before.Author.Valid && c.Author.When < before.Author.When {
			why = append(why, "a time earlier than that of the checkpoint before it")
		}
	}
	return why
}

// another names whoever is not the product; "" = nobody.
func another(all ...evidence.CommitSignature) string {
	for _, one := range all {
		if string(one.Name) != maker || string(one.Email) != makerMail {
			return fmt.Sprintf("%q <%s>", one.Name, one.Email)
		}
	}
	return ""
}
