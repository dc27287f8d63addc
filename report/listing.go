package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// CheckDoc is a check as `checks` and `explain` give it in JSON.
type CheckDoc struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Class    string   `json:"class"`
	Severity string   `json:"severity"`
	Issues   []string `json:"issues"`
	What     string   `json:"what"`
	Not      string   `json:"not"`
	Origin   string   `json:"origin"`
	Safe     string   `json:"safe"`
	Unsafe   string   `json:"unsafe"`
	ByHand   string   `json:"by_hand"`
}

func checkDoc(c scan.Check) CheckDoc {
	return CheckDoc{
		c.ID, c.Title, c.Class, string(c.Severity), texts(c.Issues),
		c.Doc.What, c.Doc.Not, c.Doc.Origin, c.Doc.Safe, c.Doc.Unsafe, c.Doc.ByHand,
	}
}

// RenderChecks lists checks in the order given, in the language of o for people: a line each, or {"checks":[…]}.
func RenderChecks(w io.Writer, checks []scan.Check, f Format, o Options) error {
	g := &grid{columns: []column{left("check"), left("severity"), left("class"), left("what it finds"), left("known as")}}
	for _, c := range checks {
		c = o.Lang.Check(c)
		g.add(c.ID, o.Lang.Say(string(c.Severity)), c.Class, c.Title, strings.Join(c.Issues, " "))
	}
	switch f {
	case Table:
		p := newPage(w, o)
		p.grid("", g)
		return p.flush()
	case Markdown:
		s := newSheet(w, o)
		s.grid(g)
		return s.flush()
	case JSON:
		j := newJSONWriter(w)
		list(j, "checks", each(checks, checkDoc))
		return j.finish()
	case JSONLines:
		return eachLine(w, each(checks, checkDoc))
	}
	return fmt.Errorf("list checks: unknown format %q (known: %s)", string(f), known())
}

// RenderCheck explains one check.
func RenderCheck(w io.Writer, c scan.Check, f Format, o Options) error {
	switch f {
	case Table:
		return explainTable(w, o.Lang.Check(c), o)
	case Markdown:
		return explainMarkdown(w, o.Lang.Check(c), o)
	case JSON, JSONLines:
		j := newJSONWriter(w)
		j.value(checkDoc(c))
		j.raw("\n")
		return j.flush()
	}
	return fmt.Errorf("explain check %q: unknown format %q (known: %s)", c.ID, string(f), known())
}

type chapter struct{ title, text string }

// chapters are the parts of a check's Doc that are prose and not blank.
func chapters(c scan.Check) []chapter {
	d, what, not := c.Doc, "What it proves", "What it does not prove"
	if c.Severity == noSeverity {
		what, not = "What it is", "Why it is no damage"
	}
	all := []chapter{
		{what, d.What}, {not, d.Not}, {"How it comes about", d.Origin},
		{"What is safe", d.Safe}, {"What makes it worse", d.Unsafe},
	}
	return slices.DeleteFunc(all, func(c chapter) bool { return c.text == "" })
}

// severityWord says a severity; what only looks like damage has none.
func severityWord(s scan.Severity) string {
	if s == noSeverity {
		return notDamageTitle
	}
	return string(s)
}

func explainTable(w io.Writer, c scan.Check, o Options) error {
	p := newPage(w, o)
	p.line(c.ID + " (" + p.paint(severityColor(c.Severity), p.lang.Say(severityWord(c.Severity))) + ")")
	p.para("  ", c.Title)
	for _, part := range chapters(c) {
		p.heading(part.title)
		p.para("  ", part.text)
	}
	if c.Doc.ByHand != "" {
		p.heading("To see it by hand")
		p.code("  ", c.Doc.ByHand)
	}
	if len(c.Issues) > 0 {
		p.heading(capital(p.label("known as")) + strings.Join(c.Issues, ", "))
	}
	return p.flush()
}

func explainMarkdown(w io.Writer, c scan.Check, o Options) error {
	s := newSheet(w, o)
	s.block("## " + c.ID + " (" + s.lang.Say(severityWord(c.Severity)) + ")")
	s.block(markdownProse(c.Title))
	for _, part := range chapters(c) {
		s.block("**" + s.lang.Say(part.title) + ".** " + markdownProse(part.text))
	}
	if c.Doc.ByHand != "" {
		s.block("**" + s.lang.Say("To see it by hand") + ".**")
		s.block(markdownFence(fenceInfo(c.Doc.ByHand), c.Doc.ByHand)...)
	}
	if len(c.Issues) > 0 {
		s.block(s.label("known as") + strings.Join(c.Issues, ", "))
	}
	return s.flush()
}

// RenderVersion writes the build: a line, or the tool object of every report.
func RenderVersion(w io.Writer, t Tool, f Format) error {
	switch f {
	case JSON, JSONLines:
		j := newJSONWriter(w)
		j.value(t)
		j.raw("\n")
		return j.flush()
	}
	fts := "with full text search (FTS5)"
	if !t.FTS5 {
		fts = "without full text search: built without -tags sqlite_fts5"
	}
	_, err := fmt.Fprintf(w, "%s %s (SQLite %s, %s)\n", t.Name, t.Version, t.SQLite, fts)
	return err
}
