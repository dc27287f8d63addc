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

// SQL is the manual procedure of a repair: a format of RenderRepair alone.
const SQL Format = "sql"

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
// the name of a format of more.
func FormatOf(path string, more ...Format) (Format, error) {
	ending := strings.ToLower(filepath.Ext(path))
	for _, f := range more {
		if ending == "."+string(f) {
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
	Timings bool // how long each check took: the only output that differs between runs
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return max(o.Width, 40)
}
