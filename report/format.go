package report

import (
	"fmt"
	"path/filepath"
	"strings"
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

// Formats lists every format that Render knows, in the order in which help shows them.
func Formats() []Format { return []Format{Table, JSON, JSONLines, Markdown} }

// ParseFormat reads the value of --format. An unknown name is an error that lists the known ones.
func ParseFormat(name string) (Format, error) {
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
	}
	return "", fmt.Errorf("unknown format %q (known: %s)", name, known())
}

// FormatOf infers the format from the ending of a file's name: .json, .jsonl or .ndjson, .md or .markdown, .txt.
func FormatOf(path string) (Format, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return JSON, nil
	case ".jsonl", ".ndjson":
		return JSONLines, nil
	case ".md", ".markdown":
		return Markdown, nil
	case ".txt":
		return Table, nil
	}
	return "", fmt.Errorf("no format is known by the ending of %q (name one: %s)", path, known())
}

func known() string {
	names := make([]string, 0, len(Formats()))
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Options steers a rendering; the zero value is what a pipe gets.
type Options struct {
	Width   int  // columns of a table; 0 = 100
	Color   bool // severity words in colour; the layout does not change
	All     bool // every session row, not only the census
	Timings bool // how long each check took: the only output that differs between runs
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return max(o.Width, 40)
}
