package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

var refForeign = &scan.Check{
	ID: "ref-foreign", Class: "R5", Severity: scan.Notice,
	Title:  "the checkpoint store has a ref that the product does not make",
	Issues: []string{},
	Needs:  scan.NeedStore,
	Doc: scan.Doc{
		What:   "A ref refers to another ref, lies outside refs/hermes/, or has a name there that is not 16 lower-case hex digits; in a repository of the first layout, it lies outside refs/heads/.",
		Not:    "It does not say that a project is damaged: the product never looks at such a ref, but a ref that refers to another one stands for no checkpoint here.",
		Origin: "Manual git work in the store, a stash or notes, tampering.",
		Safe:   "Nothing; what it names is kept from gc by it.",
		Unsafe: "Deleting it before you know what it keeps.",
		ByHand: "git --git-dir=checkpoints/store for-each-ref",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		return eachStore(ctx, p, func(s *checkpoints.Store) {
			for i := range s.Source.Refs {
				r := &s.Source.Refs[i]
				if r.Symbolic == "" && ownRef(s, r.Name) {
					continue
				}
				saw := r.ID.String()
				if r.Symbolic != "" {
					saw = "it refers to " + r.Symbolic
				} else if saw == "" {
					saw = "no value: " + r.Flaw
				}
				p.Report(scan.Finding{
					Subject:  aboutStore(s, r.Name),
					Message:  fmt.Sprintf("%s has the ref %s, which the product does not make", gitDir(s), r.Name),
					Advice:   "Nothing needs doing. What it names is not followed here.",
					Evidence: []evidence.Item{file(s, r.Name, saw, git(s, "for-each-ref "+scan.ShellQuote(r.Name)))},
				})
			}
		})
	},
}

// ownRef says whether the product makes refs of this name.
func ownRef(s *checkpoints.Store, name string) bool {
	if s.Source.Version == 1 {
		return strings.HasPrefix(name, "refs/heads/")
	}
	id, ok := strings.CutPrefix(name, "refs/hermes/")
	return ok && evidence.IsProjectID(id)
}
