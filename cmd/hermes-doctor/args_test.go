package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

func TestArrange(t *testing.T) {
	commands := []*cli.Command{
		{Name: "scan", Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json"}, &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}},
			&cli.StringFlag{Name: "fail-on"}, &cli.StringSliceFlag{Name: "output"}, &cli.Float64Flag{Name: "now"},
		}},
		{Name: "checks", Flags: []cli.Flag{&cli.BoolFlag{Name: "json"}}},
		{Name: "help"},
		{Name: "group", Subcommands: []*cli.Command{
			{Name: "show", Flags: []cli.Flag{&cli.StringFlag{Name: "selection"}, &cli.StringFlag{Name: "project"}, &cli.BoolFlag{Name: "json"}}},
			{Name: "list"},
		}},
	}
	tests := []struct {
		name, args, want string // "" splits at blanks; want of an error begins with "!"
	}{
		{"command, flags, path", "scan --json a.db", "scan --json -- a.db"},
		{"flags after the path", "scan a.db --json --fail-on error", "scan --json --fail-on error -- a.db"},
		{"flags before the command", "--fail-on error scan a.db", "scan --fail-on error -- a.db"},
		{"a flag's value is not the command", "--fail-on checks a.db", "scan --fail-on checks -- a.db"},
		{"path alone", "a.db", "scan -- a.db"},
		{"path and flag alone", "a.db --json", "scan --json -- a.db"},
		{"a file without an ending that exists", "here", "scan -- here"},
		{"a file that is called like a command", "./scan", "scan -- ./scan"},
		{"dash dash before the path", "-- checks", "scan -- checks"},
		{"dash dash ends flags", "scan --json -- --json -q", "scan --json -- --json -q"},
		{"one dash", "scan -json a.db", "scan -json -- a.db"},
		{"short name", "scan a.db -q", "scan -q -- a.db"},
		{"joined value", "scan --output=--odd a.db", "scan --output=--odd -- a.db"},
		{"negative number is a value", "scan --now -5 a.db", "scan --now -5 -- a.db"},
		{"a lone dash is a path", "scan -", "scan -- -"},
		{"two paths around a flag", "scan a.db --json b.db", "scan --json -- a.db b.db"},
		{"help of a command", "scan a.db --help", "help -- scan"},
		{"help", "-h", "help"},
		{"unknown flag", "scan a.db --jsno", "!unknown flag --jsno of scan"},
		{"unknown flag with a value", "scan --jsno=x a.db", "!unknown flag --jsno of scan"},
		{"a flag of another command", "checks --fail-on error", "!unknown flag --fail-on of checks"},
		{"three dashes", "scan ---json a.db", "!unknown flag ---json of scan"},
		{"value forgotten before a flag", "scan --output --json a.db", "!flag --output needs a value"},
		{"value forgotten before dash dash", "scan --output -- a.db", "!flag --output needs a value"},
		{"value forgotten at the end", "scan a.db --fail-on", "!flag --fail-on needs a value"},
		{"unknown command", "chekcs", `!"chekcs" is no command of this version and no file`},
		{"a member of a group", "group show dir --json", "group show --json -- dir"},
		{"flags before and inside the group", "--project p group --json show dir", "group show --project p --json -- dir"},
		{"a flag's value is not the member", "group --project list show dir", "group show --project list -- dir"},
		{"a selection may look like a flag", "group show --selection -x dir", "group show --selection -x -- dir"},
		{"a selection may be two dashes", "group --selection -- show dir --json", "group show --selection -- --json -- dir"},
		{"a selection is forgotten at the end", "group show dir --selection", "!flag --selection needs a value"},
		{"help of a group", "group -h", "help -- group"},
		{"help of a member", "group show --help", "help -- group show"},
		{"a group without a member", "group --json", "!group needs a command: show, list"},
		{"an unknown member", "group shwo dir", `!group has no command "shwo"`},
		{"a flag of another member", "group list --project p", "!unknown flag --project of group list"},
		{"nothing", "", "!no command and no file given"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			out, err := arrange(commands, strings.Fields(tt.args), func(name string) bool { return name == "here" })
			if got = strings.Join(out, " "); err != nil {
				got = "!" + err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("arrange(%q) (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	known := []string{"orphan-session", "zombie-session", "scan", "resume"}
	for word, want := range map[string]string{
		"orphan-sesion": "orphan-session", "orphans-session": "orphan-session", "scam": "scan", "resmue": "resume",
		"zombie": "zombie-session", "fix": "", "telegram": "", "": "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
