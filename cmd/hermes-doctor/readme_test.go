package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestPageListsTheChecks holds the table of docs/checks.md against the checks: both are printed from the same texts.
func TestPageListsTheChecks(t *testing.T) {
	code, out, complaints := tell(t, "checks", "--format", "markdown")
	if code != exitClean {
		t.Fatalf("exit %d: %s", code, complaints)
	}
	shows(t, "../../docs/checks.md", "the table that `hermes-doctor checks --format markdown` prints", string(out))
}

// TestReadmeListsTheCommands holds the table of the README against the commands.
func TestReadmeListsTheCommands(t *testing.T) {
	var b strings.Builder
	b.WriteString("| command | what it does |\n| --- | --- |\n")
	for _, cmd := range leaves(newConsole(nil, nil, nil, nil).commands(), "") {
		usage := strings.TrimSpace(cmd.path + " " + cmd.ArgsUsage)
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(usage, "|", `\|`), strings.ReplaceAll(cmd.Usage, "|", `\|`))
	}
	shows(t, "../../README.md", "this table of commands", b.String())
}

func shows(t *testing.T, page, what, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want = strings.TrimSpace(want); !strings.Contains(string(text), want) {
		t.Errorf("%s does not hold %s:\n%s", page, what, want)
	}
}

// TestLinksOfPages follows every link of the README and of docs/ that does not lead out, and wants the index of docs/ to lead
// to every page.
func TestLinksOfPages(t *testing.T) {
	leads := map[string]bool{}
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllSubmatch(text, -1) {
			to := string(link[1])
			if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
				continue
			}
			path := filepath.Join(filepath.Dir(page), to)
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s leads nowhere", page, to)
			}
			if filepath.Base(page) == "README.md" && strings.Contains(page, "docs") {
				leads[path] = true
			}
		}
	}
	for _, page := range documents(t)[1:] {
		if !leads[filepath.Clean(page)] && filepath.Base(page) != "README.md" {
			t.Errorf("docs/README.md does not lead to %s", page)
		}
	}
}

// TestPromisesNameTheirTests wants each of the eight promises to name tests, and each test to be in the file that it is said to be in.
func TestPromisesNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\[(Test\w+)\]\(([^)]+)\)`)
	for _, l := range link.FindAllSubmatch(text, -1) {
		code, err := os.ReadFile(filepath.Join("../../docs", string(l[2])))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Contains(code, []byte("\nfunc "+string(l[1])+"(t *testing.T)")) {
			t.Errorf("%s is not in %s", l[1], l[2])
		}
	}
	promises := regexp.MustCompile(`(?m)^\| \d+ \|.*$`).FindAll(text, -1)
	if len(promises) != 8 {
		t.Errorf("the page has %d promises, want 8", len(promises))
	}
	for _, p := range promises {
		if !link.Match(p) {
			t.Errorf("no test holds this: %s", p)
		}
	}
}

// TestSpansNameWhatExists wants what stands in the prose of pages between backquotes, and is a command of this program or a flag, to be one.
func TestSpansNameWhatExists(t *testing.T) {
	commands := newConsole(nil, nil, nil, nil).commands()
	flags := map[string]bool{}
	for _, cmd := range leaves(commands, "") {
		for _, f := range cmd.Flags {
			for _, name := range spelled(f) {
				flags[name] = true
			}
		}
	}
	names := func(c *cli.Command) string { return c.Name }
	seen := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")
		prose = regexp.MustCompile(`(?m)^\|.*$`).ReplaceAllString(prose, "") // tables show usages, and are held by tests of their own
		for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(prose, -1) {
			words := strings.Fields(span[1])
			if len(words) == 0 {
				continue
			}
			named := words[0] == "hermes-doctor" || words[0] == "bin/hermes-doctor"
			if named {
				words = words[1:]
			}
			switch {
			case named && len(words) == 0:
			case strings.HasPrefix(words[0], "--"):
				seen++
				if name, _, _ := strings.Cut(words[0], "="); !flags[name] {
					t.Errorf("%s: %q: there is no flag %s", page, span[1], name)
				}
			case named && !slices.Contains(mapped(commands, names), words[0]):
				t.Errorf("%s: %q: there is no command %s", page, span[1], words[0])
			case named || len(words) > 1 && slices.Contains(mapped(commands, names), words[0]):
				seen++
				if _, err := arrange(commands, words, func(string) bool { return true }); err != nil {
					t.Errorf("%s: %q: %v", page, span[1], err)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d commands and flags were found", seen)
	}
}

func mapped[A, B any](all []A, of func(A) B) []B {
	var out []B
	for _, a := range all {
		out = append(out, of(a))
	}
	return out
}
