package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Format is a way to write a report.
type Format string

// The formats that Render knows.
const (
	Table     Format = "table"    // for a terminal
	JSON      Format = "json"     // one document, described by Schema
	JSONLines Format = "jsonl"    // one finding, or one resume line, a line
	Markdown  Format = "markdown" // for an issue tracker
)

// Formats of some documents alone.
const (
	SQL   Format = "sql"   // of RenderRepair: the manual procedure
	SARIF Format = "sarif" // of Render: SARIF 2.1.0, for code scanning
	JUnit Format = "junit" // of Render and RenderCases: test results, for CI
	HTML  Format = "html"  // of Render, RenderResume and RenderInventory: one self-contained page without a script
)

// Formats lists every format that Render knows, in the order in which help shows them.
func Formats() []Format { return []Format{Table, JSON, JSONLines, Markdown} }

// ParseFormat reads the value of --format, which is one of Formats or of more. An unknown name is an error that lists
// the known ones.
func ParseFormat(name string, more ...Format) (Format, error) {
	for _, f := range append(Formats(), more...) {
		if string(f) == name {
			return f, nil
		}
	}
	return "", fmt.Errorf("unknown format %q (known: %s)", name, known(more...))
}

// FormatOf infers the format from the ending of a file's name: .json, .jsonl or .ndjson, .md or .markdown, .txt, and
// the name of a format of more; .xml is JUnit, .sarif.json SARIF and .htm HTML where they are among these.
func FormatOf(path string, more ...Format) (Format, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if slices.Contains(more, SARIF) && strings.HasSuffix(strings.ToLower(path), ".sarif.json") {
		return SARIF, nil
	}
	for _, f := range more {
		if ending == "."+string(f) || f == JUnit && ending == ".xml" || f == HTML && ending == ".htm" {
			return f, nil
		}
	}
	switch ending {
	case ".json":
		return JSON, nil
	case ".jsonl", ".ndjson":
		return JSONLines, nil
	case ".md", ".markdown":
		return Markdown, nil
	case ".txt":
		return Table, nil
	}
	return "", fmt.Errorf("no format is known by the ending of %q (name one: %s)", path, known(more...))
}

func known(more ...Format) string {
	var names []string
	for _, f := range append(Formats(), more...) {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Options steers a rendering; the zero value is what a pipe gets.
type Options struct {
	Width   int  // columns of a table; 0 = 100
	Color   bool // severity words in colour; the layout does not change
	All     bool // every session row, not only the census
	Events  bool // everything that has a time, in order: what one chat's page has
	Timings bool // how long each check took: the only output that differs between runs

	Lang *lang.Tongue // of headings, of the verdict and of the documentation of checks; nil = English. JSON, lines and CSV are English

	Known  *Judged       // what was known of the findings before; nil = nothing
	Checks []*scan.Check // what checks are about, for SARIF; nil = their ids alone
	FailOn int           // the rank that a finding must reach to be a failed test of JUnit; 0 = any
	// Redact replaces ids and names in what is written through Redacting; nil = they stay.
	Redact *Redactor
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return max(o.Width, 40)
}
