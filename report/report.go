package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Report is the document of one scan. It refers to the result instead of copying it and converts one element at
// a time while it is rendered, so the result must not change meanwhile.
type Report struct {
	tool     Tool
	inputs   []evidence.Input
	result   *scan.Result
	findings []int // positions in the result, in the order of every rendering
	census   []int
	ends     []int
	resume   []int
}

// New makes the document of result. The order of findings, census and resume lines does not depend on the order
// in which checks finished: the first database comes first, errors come before warnings and notices.
func New(tool Tool, inputs []evidence.Input, result *scan.Result) *Report {
	rank := storeRank(result)
	r := &Report{tool: tool, inputs: inputs, result: result, resume: resumeOrder(result, rank)}
	r.findings = order(result.Findings, func(a, b *scan.Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
			rank(a.Subject.Store, b.Subject.Store),
			cmp.Compare(a.Check, b.Check),
			cmp.Compare(a.Subject.SessionID, b.Subject.SessionID),
			cmp.Compare(a.Subject.SessionKey, b.Subject.SessionKey),
			cmp.Compare(a.Subject.Source, b.Subject.Source),
			cmp.Compare(a.Subject.Table, b.Subject.Table),
			cmp.Compare(a.Subject.RowID, b.Subject.RowID),
			cmp.Compare(a.Subject.Project, b.Subject.Project),
			cmp.Compare(a.Subject.Path, b.Subject.Path),
			messages(a, b),
		)
	})
	r.census = order(result.Census, func(a, b *scan.CensusLine) int {
		return cmp.Or(
			rank(a.Store, b.Store),
			cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Verdict, b.Verdict),
		)
	})
	r.ends = order(result.Ends, func(a, b *scan.EndLine) int { return cmp.Or(rank(a.Store, b.Store), a.Compare(*b)) })
	return r
}

// messages orders findings of one subject. Checkpoints stay in the order of their numbers.
func messages(a, b *scan.Finding) int {
	if a.Subject.Checkpoint != "" && b.Subject.Checkpoint != "" {
		return 0
	}
	return cmp.Compare(a.Message, b.Message)
}

// Render writes r in the format f. A result that has a finding without evidence is refused before anything is
// written; when the writer fails, a part has been written.
func Render(w io.Writer, r *Report, f Format, o Options) error {
	for i := range r.result.Findings {
		if x := &r.result.Findings[i]; len(x.Evidence) == 0 {
			return fmt.Errorf("render finding %s of check %q: it has no evidence", x.ID(), x.Check)
		}
	}
	switch f {
	case Table:
		return r.table(w, o)
	case JSON:
		return r.json(w, o)
	case JSONLines:
		return r.jsonLines(w, o)
	case Markdown:
		return r.markdown(w, o)
	case SARIF:
		return r.sarif(w, o)
	case JUnit:
		return r.junit(w, o)
	case HTML:
		return r.html(w, o)
	}
	return fmt.Errorf("render report: unknown format %q (known: %s)", string(f), known(SARIF, JUnit, HTML))
}

func order[T any](list []T, compare func(a, b *T) int) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return compare(&list[a], &list[b]) })
	return out
}

// storeRank orders stores as the result lists its databases; others follow by name.
func storeRank(result *scan.Result) func(a, b string) int {
	place := make(map[string]int, len(result.Databases))
	for i, d := range result.Databases {
		place[d.Store] = i - len(result.Databases)
	}
	return func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) }
}

func resumeOrder(result *scan.Result, rank func(a, b string) int) []int {
	return order(result.Resume, func(a, b *scan.ResumeLine) int {
		return cmp.Or(
			rank(a.Store, b.Store),
			cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.SessionKey, b.SessionKey),
			cmp.Compare(a.Resolver, b.Resolver),
		)
	})
}
