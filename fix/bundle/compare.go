package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Compare says in what a scan of the skeleton differs from one of the source, with the source's names as the skeleton has
// them: findings with their subjects and decisions, the census, and what each chat resumes. Findings of checkpoint stores
// and of the bytes of files are left out, since those are not carried. nil = in nothing.
func (m *Made) Compare(source, skeleton *scan.Result) []string {
	want, got := map[string]int{}, map[string]int{}
	describe(source, m.Pseudonym, want)
	describe(skeleton, func(s string) string { return s }, got)
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

// describe counts the lines that say what a result came to.
func describe(r *scan.Result, name func(string) string, into map[string]int) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.File || f.Subject.Project != "" || strings.Contains(f.Subject.Store, "checkpoints") {
			continue
		}
		line := fmt.Sprintf("%s %s session=%s chat=%s source=%s row=%d", f.Severity, f.Check, name(f.Subject.SessionID), name(f.Subject.SessionKey), name(f.Subject.Source), f.Subject.RowID)
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
