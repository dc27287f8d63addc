package report_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func TestParseFormat(t *testing.T) {
	for _, f := range report.Formats() {
		if got, err := report.ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%q gives %q, %v", f, got, err)
		}
	}
	for _, name := range []string{"", "JSON", "yaml", "html"} {
		_, err := report.ParseFormat(name)
		if err == nil || !strings.Contains(err.Error(), "known: table, json, jsonl, markdown") {
			t.Errorf("%q gives the error %v", name, err)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]report.Format{
		"a.json": report.JSON, "a.jsonl": report.JSONLines, "a.ndjson": report.JSONLines, "dir.json/a.md": report.Markdown,
		"A.MARKDOWN": report.Markdown, "a.txt": report.Table, "a.pdf": "", "a": "", "json": "",
	} {
		got, err := report.FormatOf(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestFormatOfAPage(t *testing.T) {
	for path, want := range map[string]report.Format{"a.html": report.HTML, "A.HTM": report.HTML, "a.json": report.JSON, "a.xhtml": ""} {
		got, err := report.FormatOf(path, report.HTML)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v; want %q", path, got, err, want)
		}
	}
	if f, err := report.FormatOf("a.html"); err == nil {
		t.Errorf("a.html gives %q where no pages are made", f)
	}
}

// full is a writer whose disk is full after n bytes.
type full struct{ n int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestRenderersReturnErrors(t *testing.T) {
	renderers := map[string]func(io.Writer, report.Format) error{
		"scan": func(w io.Writer, f report.Format) error {
			return report.Render(w, report.New(tool(), inputs(), incident()), f, report.Options{})
		},
		"resume": func(w io.Writer, f report.Format) error {
			return report.RenderResume(w, report.NewResume(tool(), inputs(), incident()), f, report.Options{})
		},
		"checks": func(w io.Writer, f report.Format) error {
			return report.RenderChecks(w, []scan.Check{check()}, f, report.Options{})
		},
		"explain": func(w io.Writer, f report.Format) error {
			return report.RenderCheck(w, check(), f, report.Options{})
		},
	}
	for name, render := range renderers {
		for _, f := range report.Formats() {
			if err := render(&full{n: 100}, f); !errors.Is(err, errFull) {
				t.Errorf("%s as %s on a full disk gives %v", name, f, err)
			}
		}
		if err := render(&full{n: 100}, report.HTML); (name == "scan" || name == "resume") && !errors.Is(err, errFull) {
			t.Errorf("%s as a page on a full disk gives %v", name, err)
		}
		if err := render(io.Discard, "csv"); err == nil || !strings.Contains(err.Error(), "known: table") {
			t.Errorf("%s as csv gives %v", name, err)
		}
	}
}
