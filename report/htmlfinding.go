package report

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// How many findings a page shows: of one check, and in all. The rest is counted, and JSON has it.
const (
	htmlOfCheck = 12
	htmlOfAll   = 240
)

type htmlGroup struct {
	ID, Title string
	Findings  []htmlFinding
	More      []string
}

type htmlFinding struct {
	Anchor, Severity, Check, ID, Issues string // Severity is in English: the style goes by it
	Message, Advice                     []span
	DecisionHead                        string
	Decision                            [][]span
	Fills                               *htmlFills
	EvidenceHead                        string
	Evidence                            []htmlEvidence
	EvidenceMore                        string
	Same                                string
}

type htmlFills struct {
	Title string
	Table *htmlTable
	More  string
}

type htmlEvidence struct {
	At, Saw []span
	How     string
}

// htmlFindings has a group for each severity that occurs.
func (r *Report) htmlFindings(o Options) htmlSection {
	s := htmlSection{ID: "findings", Title: "Findings, each with its evidence", Count: Count(int64(len(r.findings)))}
	shown, total := map[string]int{}, 0
	var checks []string // of the group, with findings that are left out
	rest := map[string]int{}
	var g *htmlGroup
	end := func() {
		for _, c := range checks {
			g.More = append(g.More, Clean(c, cellLimit)+": "+hidden(rest[c], "finding"))
		}
		checks, rest = nil, map[string]int{}
	}
	for f, same := range r.grouped(o.Known) {
		if id := "found-" + string(f.Severity); g == nil || g.ID != id {
			end()
			s.Groups = append(s.Groups, htmlGroup{ID: id, Title: capital(string(f.Severity)) + "s"})
			g = &s.Groups[len(s.Groups)-1]
		}
		if shown[f.Check]++; shown[f.Check] <= htmlOfCheck && total < htmlOfAll {
			total++
			g.Findings = append(g.Findings, htmlFindingOf(f, same))
			continue
		}
		if rest[f.Check] == 0 {
			checks = append(checks, f.Check)
		}
		rest[f.Check] += 1 + len(same)
	}
	if g != nil {
		end()
	}
	return s
}

func htmlFindingOf(f *scan.Finding, same []string) htmlFinding {
	out := htmlFinding{
		Anchor: "f-" + f.ID(), ID: f.ID(), Severity: string(f.Severity), Check: Clean(f.Check, cellLimit),
		Issues: Clean(strings.Join(f.Issues, ", "), cellLimit), Message: spans(capital(f.Message)),
	}
	if f.Advice != "" {
		out.Advice = spans(f.Advice)
	}
	if a := f.Adoption; a != nil {
		lines := adoptionLines(a)
		out.DecisionHead = "Which chat it belongs to: " + map[string]string{
			"adopt": "decided", "consent": "only the owner can say", "refuse": "no answer, for these reasons",
		}[string(a.Decision)]
		for _, l := range lines {
			out.Decision = append(out.Decision, spans(capital(l)))
		}
	}
	if len(f.Fills) > 0 {
		out.Fills = htmlFillsOf(f)
	}
	out.EvidenceHead = "Evidence: " + plural(int64(len(f.Evidence)), "observation") + ", and how to see it again"
	for i, e := range f.Evidence {
		if i == listLimit {
			out.EvidenceMore = hidden(len(f.Evidence)-i, "observation")
			break
		}
		out.Evidence = append(out.Evidence, htmlEvidence{At: []span{{Text: Clean(e.At.String(), cellLimit)}}, Saw: spans(e.Saw),
			How: strings.Join(cleanLines(e.Command(), codeLimit), "\n")})
	}
	if len(same) > 0 {
		out.Same = Clean(capital(sameOf(same)), proseLimit)
	}
	return out
}

func htmlFillsOf(f *scan.Finding) *htmlFills {
	g := &grid{columns: []column{left("row"), left("cell"), left("would become"), left("because")}}
	for _, fill := range f.Fills[:min(len(f.Fills), listLimit)] {
		g.add(fmt.Sprintf("%s[%s]", fill.Table, fill.Key), fill.Column, literal(fill.Value), fill.Because)
	}
	out := &htmlFills{Title: capital(fillHead(f))}
	out.Table, _ = htmlGrid(out.Title, g, "cell")
	if n := len(f.Fills) - listLimit; n > 0 {
		out.More = hidden(n, "cell")
	}
	return out
}
