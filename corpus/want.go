package corpus

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Want is what a scan is to find, as text that a reviewer can read. Each is a list of sorted lines:
//
//	want.txt     check-id severity subject; a finding of orphan-session goes on with `: adopt|consent|refuse
//	             PREDECESSOR evidence… -refusal…`, one of nested-repo-uncaptured with `: labelled` or `: unlabelled`; a
//	             check that could not run is `check-id failed REASON`
//	resume.txt   resolver source key now -> after_fix
//	census.txt   source class sessions messages
//	verdict.txt  the word
//	ends.txt     source reason sessions, and how many of them were last used up to 1, 7, 30 and 90 days ago, earlier, and
//	             at no time that can be used; a reason without a time stands as `reason!`, an open row's is "-", an end
//	             without a reason is "?". A case may leave this section out
//
// A blank is "-". A subject is the session id, bare, and what else names it, as name=value: source and table only
// where there is no session id, the store only where it is not the home's own. Runs of spaces count as one.
type Want struct {
	Findings []string
	Resume   []string
	Census   []string
	Verdict  string
	Ends     []string // nil = a case does not say
}

func wantSections() []string { return []string{"want.txt", "resume.txt", "census.txt", "verdict.txt"} }

// endsSection is the one that a case may leave out.
const endsSection = "ends.txt"

func (w Want) section(name string) (string, bool) {
	i := slices.Index(append(wantSections(), endsSection), name)
	if i < 0 {
		return "", false
	}
	var b strings.Builder
	for _, line := range [][]string{w.Findings, w.Resume, w.Census, {w.Verdict}, w.Ends}[i] {
		b.WriteString(line + "\n")
	}
	return b.String(), true
}

// sorted reads a list of lines, whatever their order and alignment.
func sorted(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	sort.Strings(lines)
	return lines
}

// Describe is a result in the words of Want.
func Describe(r *scan.Result) Want {
	w := Want{Verdict: string(r.Verdict.Word)}
	for _, f := range r.Findings {
		w.Findings = append(w.Findings, finding(f))
	}
	for _, c := range r.Checks {
		if c.Status == scan.Failed {
			w.Findings = append(w.Findings, c.ID+" failed "+word(c.Reason))
		}
	}
	for _, l := range r.Resume {
		w.Resume = append(w.Resume, fmt.Sprintf("%s %s %s %s -> %s%s", word(l.Resolver), word(l.Source),
			word(l.SessionKey), word(l.Now), word(l.AfterFix), behind(l.Store)))
	}
	for _, l := range r.Census {
		w.Census = append(w.Census, fmt.Sprintf("%s %s %d %d%s", word(l.Source), l.Verdict, l.Sessions, l.Messages,
			behind(l.Store)))
	}
	for _, l := range r.Ends {
		w.Ends = append(w.Ends, fmt.Sprintf("%s %s %d %s%s", word(l.Source), endWord(l), l.Sessions, strings.Trim(fmt.Sprint(l.Ages), "[]"), behind(l.Store)))
	}
	for _, list := range [][]string{w.Findings, w.Resume, w.Census, w.Ends} {
		sort.Strings(list)
	}
	return w
}

func endWord(l scan.EndLine) string {
	switch {
	case l.Open && l.Reason != "":
		return word(l.Reason) + "!"
	case !l.Open && l.Reason == "":
		return "?"
	}
	return word(l.Reason)
}

func finding(f scan.Finding) string {
	text := fmt.Sprintf("%s %s %s", f.Check, f.Severity, subject(f.Subject))
	if f.Labelled != nil && *f.Labelled {
		text += ": labelled"
	} else if f.Labelled != nil {
		text += ": unlabelled"
	}
	if a := f.Adoption; a != nil {
		text += ": " + string(a.Decision) + " " + word(a.Predecessor)
		for _, e := range a.Evidence {
			text += " " + word(e)
		}
		for _, r := range a.Refusals {
			text += " -" + word(r.Code)
		}
	}
	return text
}

func subject(s scan.Subject) string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+word(value))
		}
	}
	add("", s.SessionID)
	add("key=", s.SessionKey)
	if s.SessionID == "" {
		add("source=", s.Source)
		add("table=", s.Table)
	}
	if s.RowID != 0 {
		add("rowid=", strconv.FormatInt(s.RowID, 10))
	}
	add("project=", s.Project)
	add("checkpoint=", s.Checkpoint)
	add("path=", s.Path)
	if len(words) == 0 {
		words = append(words, "-")
	}
	return strings.Join(words, " ") + behind(s.Store)
}

func behind(store string) string {
	if store == "" || store == "state.db" {
		return ""
	}
	return " store=" + word(store)
}

// word makes one word of a text: "-" for none, quoted where a reader of the line would misread it.
func word(text string) string {
	if text == "" {
		return "-"
	}
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && r != '"' && r != '\\' }
	if text == "-" || strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) >= 0 {
		return strings.ReplaceAll(strconv.QuoteToASCII(text), " ", `\x20`)
	}
	return text
}
