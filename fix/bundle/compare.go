package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Compare says in what a scan of the skeleton differs from one of the source, with the source's names as the skeleton has
// them: findings with their subjects and decisions, the census, and what each chat resumes. Findings of what is not carried,
// which Left names, and those of the bytes of files are left out. nil = in nothing.
func (m *Made) Compare(source, skeleton *scan.Result) []string {
	want, got := map[string]int{}, map[string]int{}
	describe(source, m.Pseudonym, m.veil, want)
	describe(skeleton, func(s string) string { return s }, nil, got)
	var out []string
	for _, line := range slices.Sorted(maps.Keys(want)) {
		if n := want[line] - got[line]; n > 0 {
			out = append(out, fmt.Sprintf("only in the source (%d): %s", n, line))
		}
	}
	for _, line := range slices.Sorted(maps.Keys(got)) {
		if n := got[line] - want[line]; n > 0 {
			out = append(out, fmt.Sprintf("only in the skeleton (%d): %s", n, line))
		}
	}
	return out
}

// uncarried are the checks whose findings cannot be carried: of bytes on disk and of damaged packs.
var uncarried = set("over-cap store-flattened pack-damaged")

// place says which project and checkpoint a finding is about, as the skeleton has them; v is nil for one of the skeleton.
func (v *veil) place(s *scan.Subject) string {
	if s.Project == "" && !strings.Contains(s.Store, "checkpoints") {
		return ""
	}
	store, project, checkpoint := s.Store, s.Project, s.Checkpoint
	if v != nil {
		store = v.basePath(store)
		if project != "" {
			project = v.projectPath(project)
		}
		if id, err := evidence.ParseObjectID(checkpoint); err == nil {
			if now, ok := v.ids[id]; ok {
				checkpoint = now.String()
			}
		}
	}
	return fmt.Sprintf(" store=%s project=%s checkpoint=%s", store, project, checkpoint)
}

// describe counts the lines that say what a result came to.
func describe(r *scan.Result, name func(string) string, v *veil, into map[string]int) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.File || uncarried[f.Check] {
			continue
		}
		line := fmt.Sprintf("%s %s session=%s chat=%s source=%s row=%d", f.Severity, f.Check, name(f.Subject.SessionID), name(f.Subject.SessionKey), name(f.Subject.Source), f.Subject.RowID)
		line += v.place(&f.Subject)
		if a := f.Adoption; a != nil {
			codes := make([]string, len(a.Refusals))
			for i, x := range a.Refusals {
				codes[i] = x.Code
			}
			slices.Sort(codes)
			line += fmt.Sprintf(" %s predecessor=%s key=%s by=%s refusals=%s", a.Decision, name(a.Predecessor), name(a.SessionKey), strings.Join(a.Evidence, ","), strings.Join(codes, ","))
		}
		into[line]++
	}
	for _, c := range r.Census {
		into[fmt.Sprintf("census %s %s %s %d sessions %d messages", name(c.Store), name(c.Source), c.Verdict, c.Sessions, c.Messages)]++
	}
	for _, l := range r.Resume {
		into[fmt.Sprintf("resume %s %s %s %s: %s, after a fix %s", name(l.Store), name(l.Source), name(l.SessionKey), l.Resolver, name(l.Now), name(l.AfterFix))]++
	}
}
