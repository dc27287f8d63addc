package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

// documents are README.md and the pages of docs/, as paths from here.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages in docs/: %v", err)
	}
	return append([]string{"../../README.md"}, pages...)
}

// fenced is a block of code in a document: its language, and its lines without the indent of a list.
type fenced struct {
	language string
	lines    []string
	at       int // of its first line among those of the document, from 0
}

func blocks(t *testing.T, page string) (all []fenced, text []string) {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Split(string(content), "\n")
	var open *fenced
	indent := ""
	for i, line := range text {
		before, language, fence := strings.Cut(line, "```")
		switch {
		case fence && strings.TrimSpace(before) == "" && open == nil:
			indent, open = before, &fenced{language: language, at: i + 1}
		case fence && strings.TrimSpace(before) == "":
			all, open = append(all, *open), nil
		case open != nil:
			open.lines = append(open.lines, strings.TrimPrefix(line, indent))
		}
	}
	if open != nil {
		t.Fatalf("%s: the block of line %d does not end", page, open.at)
	}
	return all, text
}

// shell runs a line as a person would who has just unpacked the tool in the folder, on a machine that says nothing about
// itself, and gives what the terminal shows.
func shell(t *testing.T, dir, line string) (shown string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "nobody"), "TMPDIR=" + t.TempDir(), "COLUMNS=100", "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", line, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestRecordedRuns types the commands of every block of the kind console into the built program, page by page in one folder
// each, and wants what is printed to be what the page shows, byte for byte. The time of day in the names that a repair
// gives is not compared, nor where the folder lies. UPDATE_SCRIPTS=1 records anew.
func TestRecordedRuns(t *testing.T) {
	needsBash(t)
	recorded := 0
	for _, page := range documents(t) {
		all, text := blocks(t, page)
		if !slices.ContainsFunc(all, func(b fenced) bool { return b.language == "console" }) {
			continue
		}
		recorded++
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var now []string // the page, with what its commands print today
			kept := 0
			for _, b := range all {
				if b.language != "console" {
					continue
				}
				now = append(now, text[kept:b.at]...)
				kept = b.at + len(b.lines)
				if len(b.lines) == 0 || !strings.HasPrefix(b.lines[0], "$ ") {
					t.Fatalf("line %d: a recording begins with a command", b.at+1)
				}
				for _, line := range b.lines {
					command, ok := strings.CutPrefix(line, "$ ")
					if !ok {
						continue
					}
					shown, _ := shell(t, dir, command)
					now = append(now, line)
					if shown = anywhere(shown, dir); shown != "" {
						now = append(now, strings.Split(strings.TrimSuffix(shown, "\n"), "\n")...)
					}
				}
			}
			now = append(now, text[kept:]...)
			if got, want := strings.Join(now, "\n"), strings.Join(text, "\n"); got != want {
				if os.Getenv("UPDATE_SCRIPTS") != "" {
					if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				for i := range now {
					if i >= len(text) || now[i] != text[i] {
						t.Fatalf("line %d is, of what is printed today:\n%s\nand in the page:\n%s", i+1, now[i], text[min(i, len(text)-1)])
					}
				}
				t.Fatal("the page shows more than is printed")
			}
		})
	}
	if recorded == 0 {
		t.Error("no page holds a recording")
	}
}

// anywhere takes out of an output where and when it was made.
func anywhere(shown, dir string) string {
	shown = strings.ReplaceAll(shown, dir, "/home/you")
	return regexp.MustCompile(`doctor-\d{8}T\d{6}Z`).ReplaceAllString(shown, "doctor-20261130T120000Z")
}

func needsBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash in PATH")
	}
}

// TestCommandsOfPagesRun runs every line of every block of the kind sh, page by page in one folder, where the names that
// pages use stand for the demo. A command may find something, and nothing else may go wrong with it.
func TestCommandsOfPagesRun(t *testing.T) {
	needsBash(t)
	for _, page := range documents(t) {
		if filepath.Base(page) == "questions.md" {
			continue // TestCommandsForQuestionsRun
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			all, _ := blocks(t, page)
			var dir string
			for _, b := range all {
				switch b.language {
				case "console", "yaml", "sql", "text": // recordings, docs/ci.md, and what is no command
					continue
				case "sh":
				default:
					t.Fatalf("line %d: no test knows what to do with a block of the kind %q", b.at, b.language)
				}
				if dir == "" {
					dir = examples(t)
				}
				for i, line := range b.lines {
					if target, ok := strings.CutPrefix(line, "make "); ok {
						makes(t, target)
						continue
					}
					typed, ok := filled(t, dir, line)
					if !ok {
						continue
					}
					if shown, code := shell(t, dir, typed); code != exitClean && code != exitFindings || shown == "" && !strings.Contains(line, "--output") {
						t.Errorf("line %d: %s: exit %d\n%s", b.at+i+1, typed, code, shown)
					}
				}
			}
		})
	}
}

// makes wants a target of the Makefile. It is not run: it would run this test again.
func makes(t *testing.T, target string) {
	t.Helper()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(makefile) {
		t.Errorf("the Makefile has no target %q", target)
	}
}

// project is the one whose checkpoints the examples hold; its id is that of the recorded path.
const project = "55e8fbffcaa6d84b"

// filled puts in a line what stands behind the names of pages, and gives false for a line that cannot be run here.
func filled(t *testing.T, dir, line string) (string, bool) {
	t.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return "", false
	}
	if _, err := os.Stat(filepath.Join(dir, "COPY", "checkpoints")); err != nil && strings.Contains(line, "checkpoints") {
		t.Logf("not run, since git made no store: %s", line)
		return "", false
	}
	if strings.Contains(line, "--apply") && !strings.Contains(line, "--yes") {
		line += " --yes" // there is no terminal to answer on
	}
	for name, value := range map[string]string{"ID": project, "JOURNAL": "COPY/state.db.doctor-*.undo.json", "RECEIPT": "COPY/state.db.doctor-*.receipt.json"} {
		line = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllLiteralString(line, value)
	}
	return line, true
}

// examples is a folder with what the commands of pages name: COPY, a home with checkpoints; BEFORE and AFTER, two databases of
// which the second was repaired; copies, a folder of them; and the program as a clone has it.
func examples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program, err := exec.LookPath("hermes-doctor")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "bin", "hermes-doctor")); err != nil {
		t.Fatal(err)
	}
	demo, err := corpus.Demo()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"COPY", "BEFORE", "AFTER", "copies/1", "copies/2"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := corpus.BuildTo(t.Context(), demo, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if shown, code := shell(t, dir, "hermes-doctor fix --apply --yes AFTER"); code != exitClean {
		t.Fatalf("exit %d: %s", code, shown)
	}
	if _, err := exec.LookPath("git"); err == nil {
		madeStore(t, filepath.Join(dir, "COPY", "checkpoints", "store"))
	}
	return dir
}

// madeStore makes a store of three checkpoints of one project.
func madeStore(t *testing.T, store string) {
	t.Helper()
	gittest.Init(t, store)
	var b bytes.Buffer
	for n := range 3 {
		fmt.Fprintf(&b, "commit refs/hermes/%s\ncommitter Hermes Checkpoint <hermes@local> %d +0000\ndata 17\nbefore write_file\n", project, 1786200000+100*n)
		gittest.Stream(&b, gittest.File{"100644", "notes.txt", fmt.Sprint("line ", n)}, gittest.File{"100644", "app.py", "pass"})
		b.WriteByte('\n')
	}
	gittest.Run(t, store, b.Bytes(), "fast-import", "--quiet")
	if err := os.MkdirAll(filepath.Join(store, "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	registered := []byte(`{"workdir": "/home/you/project", "created_at": 1786200000.0, "last_touch": 1786200200.0}`)
	if err := os.WriteFile(filepath.Join(store, "projects", project+".json"), registered, 0o600); err != nil {
		t.Fatal(err)
	}
}
