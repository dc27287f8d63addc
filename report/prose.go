package report

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// listLimit bounds the evidence, candidates and cells of one finding that people are shown; JSON has them all.
const listLimit = 12

// storyTitle names a chat.
func storyTitle(s scan.Story, store bool) string {
	title := fmt.Sprintf("%s chat %s", s.Source, s.SessionKey)
	if s.SessionKey == "" {
		title = s.Source + " chat without a key"
	}
	if store {
		title += " in " + s.Store
	}
	return title
}

// adoptionLines explains a decision: what it is, then what speaks for and against it.
func adoptionLines(a *scan.Adoption) []string {
	if a == nil {
		return nil
	}
	head := "adoption: " + string(a.Decision)
	if a.Predecessor != "" {
		head += ", continues " + a.Predecessor
	}
	if a.SessionKey != "" {
		head += ", would get the key " + a.SessionKey
	}
	if len(a.Evidence) > 0 {
		head += ", by " + strings.Join(a.Evidence, ", ")
	}
	out := []string{head}
	for _, r := range a.Refusals {
		out = append(out, "against it ("+r.Code+"): "+r.Text)
	}
	for _, c := range a.Caveats {
		out = append(out, "to know: "+c)
	}
	for i, c := range a.Candidates {
		if i == listLimit {
			return append(out, hidden(len(a.Candidates)-i, "candidate"))
		}
		if c.RejectedBy != "" {
			out = append(out, "candidate "+c.SessionID+" was set aside: "+c.RejectedBy)
		}
	}
	return out
}

// fillLines lists the cells that a fix would fill.
func fillLines(f *scan.Finding) []string {
	var out []string
	for i, fill := range f.Fills {
		if i == listLimit {
			return append(out, hidden(len(f.Fills)-i, "cell"))
		}
		out = append(out, fmt.Sprintf("%s[%s].%s := %s (%s)", fill.Table, fill.Key, fill.Column, literal(fill.Value), fill.Because))
	}
	return out
}

func fillHead(f *scan.Finding) string {
	s := "would fill " + plural(int64(len(f.Fills)), "blank cell")
	if f.Held {
		s += ", only with consent"
	}
	return s
}

func literal(v any) string {
	switch v := v.(type) {
	case string:
		return evidence.Quote(v)
	case float64:
		return evidence.FormatFloat(v)
	}
	return fmt.Sprint(v)
}

// fenceInfo tells a statement from a command.
func fenceInfo(how string) string {
	words := strings.Fields(how)
	if len(words) == 0 {
		return "text"
	}
	switch strings.ToLower(words[0]) {
	case "select", "with", "pragma", "explain":
		return "sql"
	}
	return "text"
}
