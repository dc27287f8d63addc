package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// The help of a command names every format that the command takes, and no other.
func TestHelpNamesEveryFormat(t *testing.T) {
	t.Parallel()
	demo := filepath.Join(t.TempDir(), "demo")
	if code, _, complaints := tell(t, "demo", "--keep", demo, "-q"); code != exitClean {
		t.Fatalf("exit %d\n%s", code, complaints)
	}
	arguments := map[string][]string{
		"diff": {filepath.Join(demo, "state.db"), filepath.Join(demo, "state.db")}, "files": {demo}, "migrate": {demo}, "demo": nil,
		"corpus": {"check", t.TempDir()}, "checks": nil, "schema": nil, "man": nil, "version": nil, "explain": {"orphan-session"}, "completion": {"bash"},
		"why": {demo, "x"},
	}
	seen := map[report.Format]bool{}
	var look func(group []string, list []*cli.Command)
	look = func(group []string, list []*cli.Command) {
		for _, cmd := range list {
			words := append(append([]string{}, group...), cmd.Name)
			if len(cmd.Subcommands) > 0 {
				look(words, cmd.Subcommands)
				continue
			}
			if cmd.Name == "help" { // it prints what the parser makes
				continue
			}
			code, help, complaints := tell(t, append([]string{"help"}, words...)...)
			if code != exitClean {
				t.Fatalf("help %q: exit %d\n%s", words, code, complaints)
			}
			args, ok := arguments[cmd.Name]
			if !ok {
				args = []string{filepath.Join(demo, "state.db")}
			}
			line := regexp.MustCompile(`--format FORMAT.*`).FindString(string(help))
			for _, f := range []report.Format{report.SARIF, report.JUnit, report.HTML, report.CSV, report.SQL} {
				named := regexp.MustCompile(`\b` + string(f) + `\b`).MatchString(line)
				code, _, complaints := tell(t, append(append(append([]string{}, words...), "--format", string(f)), args...)...)
				switch unknown := strings.Contains(string(complaints), "unknown format"); {
				case named && unknown:
					t.Errorf("%q: help names %s, and the command does not know it: %s", words, f, complaints)
				case !named && code != exitUsage:
					t.Errorf("%q: help does not name %s, and the command takes it", words, f)
				}
				seen[f] = seen[f] || named
			}
		}
	}
	look(nil, newConsole(nil, strings.NewReader(""), io.Discard, io.Discard).commands())
	if len(seen) != 5 || !seen[report.SARIF] || !seen[report.JUnit] || !seen[report.HTML] || !seen[report.CSV] || !seen[report.SQL] {
		t.Errorf("formats that no help names: %v", seen)
	}
}
