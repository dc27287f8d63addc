package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// ResumeReport is the document of the command resume: which row each chat gets, with its rows side by side.
type ResumeReport struct {
	tool   Tool
	inputs []evidence.Input
	result *scan.Result
	lines  []int
	byID   map[rowID]int
	byChat map[chatID][]int
	held   map[chatID][]int // rows without a key that may continue the chat, if the owner says so
}

type rowID struct{ store, id string }

type chatID struct{ store, source, key string }

// NewResume makes the document from the resume lines and the session rows of result, which must not change
// while the document is used.
func NewResume(tool Tool, inputs []evidence.Input, result *scan.Result) *ResumeReport {
	r := &ResumeReport{
		tool: tool, inputs: inputs, result: result, lines: resumeOrder(result, storeRank(result)),
		byID: map[rowID]int{}, byChat: map[chatID][]int{}, held: map[chatID][]int{},
	}
	for i, s := range result.Sessions {
		r.byID[rowID{s.Store, s.ID}] = i
		if s.SessionKey != "" {
			k := chatID{s.Store, s.Source, s.SessionKey}
			r.byChat[k] = append(r.byChat[k], i)
		}
	}
	for i := range result.Findings {
		f := &result.Findings[i]
		at, ok := r.byID[rowID{f.Subject.Store, f.Subject.SessionID}]
		if a := f.Adoption; ok && a != nil && a.Decision == "consent" && a.SessionKey != "" {
			k := chatID{f.Subject.Store, result.Sessions[at].Source, a.SessionKey}
			r.held[k] = append(r.held[k], at)
		}
	}
	return r
}

// nowhere says which rows hold talk, and are of no chat that the evidence names: no restart finds them.
func (r *ResumeReport) nowhere() (out []string) {
	for i := range r.result.Findings {
		f := &r.result.Findings[i]
		if a := f.Adoption; a == nil || a.Decision != "refuse" {
			continue
		}
		out = append(out, f.Message+": hermes-doctor scan --session "+scan.ShellQuote(f.Subject.SessionID)+" says why no chat is named for it")
	}
	return out
}

// nowhereTitle is the heading above them.
const nowhereTitle = "rows with talk that no restart finds"

// RenderResume writes r in the format f.
func RenderResume(w io.Writer, r *ResumeReport, f Format, o Options) error {
	switch f {
	case Table:
		return r.table(w, o)
	case JSON:
		return r.json(w)
	case JSONLines:
		return r.jsonLines(w)
	case Markdown:
		return r.markdown(w, o)
	case HTML:
		return r.html(w, o)
	}
	return fmt.Errorf("render resume report: unknown format %q (known: %s)", string(f), known(HTML))
}

// rows lists the session rows that carry the chat's key, and those that any of its lines names although they
// carry another key or none: an orphan that a fix would adopt. Oldest first.
func (r *ResumeReport) rows(lines []int) []int {
	if len(lines) == 0 {
		return nil
	}
	first := r.result.Resume[lines[0]]
	k := chatID{first.Store, first.Source, first.SessionKey}
	out := slices.Concat(r.byChat[k], r.held[k])
	for _, i := range lines {
		l := r.result.Resume[i]
		for _, id := range []string{l.Now, l.AfterFix, l.RunnerUp} {
			if at, ok := r.byID[rowID{l.Store, id}]; ok && !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.begin(a), r.begin(b)), cmp.Compare(a, b))
	})
	return out
}

// begin is when a row starts for the reader; a row without any time comes last.
func (r *ResumeReport) begin(i int) float64 {
	s := &r.result.Sessions[i]
	for _, t := range []float64{s.Started, s.First} {
		if !math.IsNaN(t) {
			return t
		}
	}
	return math.Inf(1)
}

func (r *ResumeReport) chat(line int) Chat {
	rows := r.rows([]int{line})
	out := Chat{Resume: resumeLine(r.result.Resume[line]), Rows: make([]Row, len(rows))}
	for i, at := range rows {
		out.Rows[i] = row(r.result.Sessions[at])
	}
	return out
}

// chats groups the lines of one chat, one for each resolver.
func (r *ResumeReport) chats(yield func(lines []int) bool) {
	for i := 0; i < len(r.lines); {
		j := i + 1
		for j < len(r.lines) && r.id(r.lines[j]) == r.id(r.lines[i]) {
			j++
		}
		if !yield(r.lines[i:j]) {
			return
		}
		i = j
	}
}

func (r *ResumeReport) id(line int) chatID {
	l := &r.result.Resume[line]
	return chatID{l.Store, l.Source, l.SessionKey}
}
