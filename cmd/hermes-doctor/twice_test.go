package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// form is one way to call a command, with the formats that it then has. Without any, what it writes has one form. OUT is a
// name that is free again for each run.
type form struct {
	args    string
	formats []report.Format
}

// formsOf gives the ways to call each command, in a folder made by examples.
func formsOf() map[string][]form {
	all := func(more ...report.Format) []report.Format { return append(report.Formats(), more...) }
	return map[string][]form{
		"scan": {
			{"scan --deep --all COPY", all(report.HTML, report.SARIF, report.JUnit)},
			{"scan --redact COPY", all(report.HTML, report.SARIF, report.JUnit)},
			{"scan --from-file LIST --jobs 2", []report.Format{report.Table, report.JSONLines}},
		},
		"resume":               {{"resume COPY", all(report.HTML)}},
		"timeline":             {{"timeline COPY", all(report.CSV)}},
		"diff":                 {{"diff BEFORE AFTER", all()}},
		"fix":                  {{"fix COPY", all(report.SQL)}},
		"undo":                 {{"undo JOURNAL", all()}},
		"verify":               {{"verify RECEIPT", all()}},
		"salvage":              {{"salvage BEFORE --output OUT.db", all()}},
		"bundle":               {{"bundle BEFORE --output OUT.zip --now 1786300000", all()}},
		"checkpoints list":     {{"checkpoints list COPY", all(report.HTML)}},
		"checkpoints show":     {{"checkpoints show COPY", all(report.HTML)}},
		"checkpoints audit":    {{"checkpoints audit COPY", all(report.HTML)}},
		"checkpoints why":      {{"checkpoints why COPY notes.txt", all()}},
		"checkpoints simulate": {{"checkpoints simulate COPY --checkpoint 2", all()}},
		"checkpoints diff":     {{"checkpoints diff COPY --checkpoint 3 --checkpoint 1", all()}},
		"checkpoints extract":  {{"checkpoints extract COPY --checkpoint 2 --output OUT", all()}, {"checkpoints extract COPY --checkpoint 2 --output OUT.tar", all()}},
		"files":                {{"files AFTER", all()}},
		"issue":                {{"issue COPY", all()}, {"issue --redact AFTER", all()}},
		"migrate candidates":   {{"migrate candidates AFTER", all()}},
		"migrate check":        {{"migrate check AFTER", all()}},
		"demo":                 {{"demo", all(report.HTML)}},
		"explain":              {{"explain orphan-session", all()}, {"explain orphan-session --lang zh", all()}},
		"checks":               {{"checks", all()}},
		"corpus":               {{"corpus check cases", all(report.JUnit)}, {"corpus new BEFORE", nil}},
		"schema":               {{"schema", nil}},
		"man":                  {{"man", nil}},
		"completion":           {{"completion bash", nil}, {"completion zsh", nil}, {"completion fish", nil}, {"completion powershell", nil}},
		"version":              {{"version", all()}},
		"help":                 {{"help", nil}, {"help scan", nil}},
	}
}

// TestSameBytesTwice runs every command in every format twice, with another home and another folder for what is temporary
// the second time, and wants the same bytes, on stdout and in the files that a command writes. A command that formsOf does not
// have fails, and so does a format that it does not have and the command writes.
func TestSameBytesTwice(t *testing.T) {
	dir := examples(t)
	t.Chdir(dir)
	journals, err := filepath.Glob("AFTER/*.undo.json")
	if err != nil || len(journals) != 1 {
		t.Fatalf("%q, %v", journals, err)
	}
	receipt := strings.Replace(journals[0], ".undo.", ".receipt.", 1)
	once := func(args []string) (string, error) {
		var out, errs bytes.Buffer
		env := []string{"COLUMNS=100", "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
		if code := run(t.Context(), args, env, strings.NewReader(""), &out, &errs); code > exitFindings || out.Len() == 0 {
			return "", fmt.Errorf("exit %d, %d bytes: %s", code, out.Len(), &errs)
		}
		for _, made := range []string{"OUT", "OUT.tar", "OUT.zip", "OUT.db", "OUT.db.manifest.json"} {
			if err := errors.Join(gather(&out, made), os.RemoveAll(made)); err != nil {
				return "", err
			}
		}
		return out.String(), nil
	}
	if err := os.WriteFile("LIST", []byte("BEFORE/state.db\nAFTER/state.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("cases", 0o700); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), strings.Fields("corpus new BEFORE --output cases/demo.txtar -q"), nil, strings.NewReader(""), &bytes.Buffer{}, os.Stderr); code != exitClean {
		t.Fatalf("corpus new: exit %d", code)
	}
	all := append(report.Formats(), report.HTML, report.SARIF, report.JUnit, report.CSV, report.SQL)
	_, noStore := os.Stat("COPY/checkpoints")
	for _, cmd := range leaves(newConsole(nil, nil, nil, nil).commands(), "") {
		forms := formsOf()[cmd.path]
		if len(forms) == 0 {
			t.Errorf("%s: no test runs it twice", cmd.path)
		}
		for _, f := range forms {
			words := strings.Fields(strings.NewReplacer("JOURNAL", journals[0], "RECEIPT", receipt).Replace(f.args))
			if strings.HasPrefix(f.args, "checkpoints") && noStore != nil {
				t.Logf("not run, since git made no store: %s", f.args)
				continue
			}
			lines := map[report.Format][]string{"": words}
			if f.formats != nil {
				lines = map[report.Format][]string{}
				for _, format := range all {
					lines[format] = append(slices.Clone(words), "--format", string(format))
				}
			}
			for format, args := range lines {
				t.Run(strings.Join(args, " "), func(t *testing.T) {
					first, err := once(args)
					if format != "" && !slices.Contains(f.formats, format) {
						if err == nil {
							t.Errorf("it has the format %s, and no test runs that twice", format)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					second, err := once(args)
					if err != nil {
						t.Fatal(err)
					}
					if first != second {
						t.Errorf("(-first +second):\n%s", cmp.Diff(first, second))
					}
				})
			}
		}
	}
}

// gather adds what lies at a path, if anything does: names, modes and contents.
func gather(out *bytes.Buffer, path string) error {
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		fmt.Fprintf(out, "%s %s\n%s\n", name, d.Type(), content)
		return err
	})
}
