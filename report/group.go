package report

import (
	"iter"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// grouped gives the findings that people are shown whole, in order, each with the ids of those behind it that tell the
// same. What was known before is left out.
func (r *Report) grouped(known *Judged) iter.Seq2[*scan.Finding, []string] {
	return func(yield func(*scan.Finding, []string) bool) {
		for k := 0; k < len(r.findings); {
			first := &r.result.Findings[r.findings[k]]
			if !known.Counts(first) {
				k++
				continue
			}
			var rest []string
			for k++; k < len(r.findings); k++ {
				f := &r.result.Findings[r.findings[k]]
				if f.Group == "" || f.Group != first.Group || f.Check != first.Check {
					break
				}
				if known.Counts(f) {
					rest = append(rest, f.ID())
				}
			}
			if !yield(first, rest) {
				return
			}
		}
	}
}

// sameOf lists the findings that tell the same as the one above.
func sameOf(ids []string) string {
	text := "the same holds for " + plural(int64(len(ids)), "more finding") + ": " + strings.Join(ids[:min(len(ids), listLimit)], ", ")
	if n := len(ids) - listLimit; n > 0 {
		text += "; " + hidden(n, "finding")
	}
	return text
}
