package scan

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// unseen is what every report about checkpoints must say (spec/checkpoint-store.md 6.1, N7).
const unseen = "a nested repository below an ignored or excluded path leaves no trace, nor does one that was made inside a folder that was captured before: that none is named proves nothing about these"

// mostNotes bounds the notes about one base.
const mostNotes = 20

// baseNotes collects what a reader of one base must know beside the findings.
type baseNotes []string

func (n *baseNotes) add(format string, args ...any) {
	if len(*n) < mostNotes {
		*n = append(*n, fmt.Sprintf(format, args...))
	}
}

func notesOf(b *checkpoints.Base) []string {
	n := &baseNotes{}
	for _, s := range b.Stores {
		n.store(s)
	}
	for _, p := range b.Source.Problems {
		n.add("%s %s", p.Path, p.What)
	}
	if set := b.Source.SetAside; set != nil {
		n.add("corrupt-refs/ holds %s that the product found damaged and replaced; their ids may still be in the store", Count(len(set), "ref"))
	}
	for _, name := range b.Source.Unknown {
		n.add("%s is nothing that the product makes", name)
	}
	return append(*n, unseen)
}

func (n *baseNotes) store(s *checkpoints.Store) {
	name := s.Source.Name
	if s.Limit != "" {
		n.add("%s was not read to its end: %s", name, s.Limit)
	}
	for _, f := range s.Source.Leavings {
		switch {
		case strings.HasPrefix(f.Path, "restore-select-") && len(f.Lines) > 0:
			n.add("%s/%s was left by a rollback that was killed, of %s", name, f.Path, Count(len(f.Lines), "selected path"))
		case strings.HasPrefix(f.Path, "restore-"):
			n.add("%s/%s was left by a rollback that was killed", name, f.Path)
		}
	}
	if s.Source.GCLog != nil {
		n.add("%s/gc.log is there: the last gc failed", name)
	}
	for _, p := range s.Source.Problems {
		if !toldByCheck(p) {
			n.add("%s/%s %s", name, p.Path, p.What)
		}
	}
}

// toldByCheck says that a finding tells the problem.
func toldByCheck(p evidence.GitProblem) bool { return strings.HasPrefix(p.Path, "objects/pack/pack-") }
