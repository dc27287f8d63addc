package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

func TestGolden(t *testing.T) {
	results := map[string]func() *scan.Result{"incident": incident, "sound": sound, "hostile": hostile, "audited": audited, "everything": everything}
	for name, make := range results {
		for _, f := range report.Formats() {
			o := report.Options{All: name == "incident"}
			golden(t, name+"."+string(f), func(w *bytes.Buffer) error {
				return report.Render(w, report.New(tool(), inputs(), make()), f, o)
			})
			golden(t, name+"-resume."+string(f), func(w *bytes.Buffer) error {
				return report.RenderResume(w, report.NewResume(tool(), inputs(), make()), f, o)
			})
		}
	}
	for name, make := range map[string]func() *scan.Result{"incident": incident, "hostile": hostile, "nothing": func() *scan.Result { return &scan.Result{} }} {
		for _, f := range append(report.Formats(), report.CSV) {
			golden(t, name+"-timeline."+string(f), func(w *bytes.Buffer) error {
				return report.RenderTimeline(w, report.NewTimeline(tool(), inputs(), make()), f, report.Options{Color: true})
			})
		}
	}
	for _, code := range lang.Languages()[1:] {
		tongue, err := lang.Parse(code)
		if err != nil {
			t.Fatal(err)
		}
		o := report.Options{Lang: tongue}
		for _, f := range []report.Format{report.Table, report.Markdown} {
			golden(t, "incident-"+code+"."+string(f), func(w *bytes.Buffer) error {
				return report.Render(w, report.New(tool(), inputs(), incident()), f, o)
			})
			golden(t, "explain-"+code+"."+string(f), func(w *bytes.Buffer) error {
				return report.RenderCheck(w, *checks.All()[0], f, o)
			})
		}
		goldenPage(t, "incident-"+code+".html", func(w *bytes.Buffer) error {
			return report.Render(w, report.New(tool(), inputs(), drawn()), report.HTML, o)
		})
		golden(t, "incident-resume-"+code+".table", func(w *bytes.Buffer) error {
			return report.RenderResume(w, report.NewResume(tool(), inputs(), incident()), report.Table, o)
		})
	}
	golden(t, "incident-narrow.table", func(w *bytes.Buffer) error {
		return report.Render(w, report.New(tool(), inputs(), incident()), report.Table, report.Options{Width: 60, All: true, Color: true})
	})
	for _, f := range report.Formats() {
		golden(t, "checks."+string(f), func(w *bytes.Buffer) error {
			return report.RenderChecks(w, []scan.Check{check(), check()}, f, report.Options{})
		})
		golden(t, "explain."+string(f), func(w *bytes.Buffer) error {
			return report.RenderCheck(w, check(), f, report.Options{})
		})
		golden(t, "version."+string(f), func(w *bytes.Buffer) error { return report.RenderVersion(w, tool(), f) })
	}
}

func check() scan.Check {
	return scan.Check{
		ID: "orphan-session", Title: "A row of a chat holds messages and no session key, so that no restart finds it.",
		Class: "O1", Severity: scan.Error, Issues: []string{"#82616"},
		Doc: scan.Doc{
			What: "Such a row exists and its messages are readable.", Not: "Which chat it belongs to.",
			Origin: "A late write made the row after the write that carries its identity had failed.",
			Safe:   "Fill the blank cells.", Unsafe: "Deleting it.",
			ByHand: "SELECT id FROM sessions\n WHERE session_key IS NULL;",
		},
	}
}

// golden renders twice and compares with testdata/name.golden.
func golden(t *testing.T, name string, render func(*bytes.Buffer) error) {
	t.Run(name, func(t *testing.T) {
		var got, again bytes.Buffer
		if err := render(&got); err != nil {
			t.Fatal(err)
		}
		if err := render(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), again.Bytes()) {
			t.Errorf("a second rendering differs (-first +second):\n%s", cmp.Diff(got.String(), again.String()))
		}
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
