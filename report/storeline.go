package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// StoreLine is what scan --from-file tells about one entry of the list, on one line.
type StoreLine struct {
	Schema  int    `json:"schema"`
	N       int    `json:"n"` // place in the list, from 1; the same in every shard
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	Exit    int    `json:"exit"` // what scan of this path alone exits with
	// Options is a digest of what was asked: lines of different ones do not compare.
	Options string          `json:"options"`
	Verdict *string         `json:"verdict"` // the word; null = it could not be looked at
	Counts  SeverityCounts  `json:"counts"`  // findings that count
	Error   *LineError      `json:"error,omitempty"`
	Report  json.RawMessage `json:"report,omitempty"` // the document that scan --json writes
}

// SeverityCounts counts findings.
type SeverityCounts struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Notice  int `json:"notice"`
}

// LineError is why an entry could not be looked at, and what to try.
type LineError struct {
	What string `json:"what"`
	Try  string `json:"try"`
}

// NewStoreLine begins the line of the n-th entry of the list.
func NewStoreLine(n int, path, options string) StoreLine {
	l := StoreLine{Schema: schemaNumber, N: n, Options: options}
	l.Path, l.PathB64 = text(path)
	return l
}

// SetReport puts the document of a scan into the line.
func (l *StoreLine) SetReport(r *Report, o Options) error {
	var document bytes.Buffer
	w := Redacting(&document, o.Redact)
	if err := errors.Join(Render(w, r, JSON, o), Finish(w)); err != nil {
		return err
	}
	var one bytes.Buffer
	if err := json.Compact(&one, document.Bytes()); err != nil {
		return fmt.Errorf("put a report on one line: %w", err)
	}
	l.Report = one.Bytes()
	word := string(r.result.Verdict.Word)
	l.Verdict = &word
	for i := range r.result.Findings {
		f := &r.result.Findings[i]
		if !o.Known.Counts(f) {
			continue
		}
		switch f.Severity.Rank() {
		case 3:
			l.Counts.Error++
		case 2:
			l.Counts.Warning++
		default:
			l.Counts.Notice++
		}
	}
	return nil
}

// Render writes the line as JSON, or for a table as a line of text.
func (l *StoreLine) Render(w io.Writer, f Format) error {
	switch f {
	case JSONLines:
		j := newJSONWriter(w)
		j.value(l)
		j.raw("\n")
		return j.flush()
	case Table:
		word := "unreadable"
		if l.Verdict != nil {
			word = *l.Verdict
		}
		rest := ""
		if l.Error != nil {
			rest = ": " + l.Error.What
		}
		_, err := fmt.Fprintf(w, "%d  %-15s  %s  %s  %s  %s\n", l.Exit, Clean(word, cellLimit),
			padded(l.Counts.Error, "error"), padded(l.Counts.Warning, "warning"), padded(l.Counts.Notice, "notice"), Clean(l.Path+rest, proseLimit))
		if err != nil {
			return fmt.Errorf("write line: %w", err)
		}
		return nil
	}
	return fmt.Errorf("render a store's line: unknown format %q (known: %s, %s)", string(f), Table, JSONLines)
}

// padded is a count of what a line has many of, as wide for one as for many.
func padded(n int, noun string) string {
	if n != 1 {
		noun += "s"
	} else {
		noun += " "
	}
	return fmt.Sprintf("%3d %s", n, noun)
}
