package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) completionCommand() *cli.Command {
	shells := map[string]func(commands []leaf) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion, "powershell": powershellCompletion}
	return c.command(&cli.Command{
		Name:      "completion",
		Usage:     "a script that completes commands, flags and checks in bash, zsh, fish or powershell",
		ArgsUsage: "SHELL",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			script, ok := shells[cc.Args().First()]
			if !ok {
				return usageError{what: fmt.Sprintf("no completion for the shell %q", cc.Args().First()), try: "hermes-doctor completion bash, zsh, fish or powershell"}
			}
			return c.deliver(cc, to, report.Options{}, func(w io.Writer, _ report.Format, _ report.Options) error {
				if _, err := io.WriteString(w, script(leaves(cc.App.Commands, ""))); err != nil {
					return fmt.Errorf("write the completion: %w", err)
				}
				return nil
			})
		},
	}, 1, 1)
}

// offers lists what may follow each command: its flags, the ids of checks for explain, and the members of a group.
func offers(commands []leaf) (names []string, words map[string][]string) {
	words = map[string][]string{}
	for _, cmd := range commands {
		var flags []string
		for _, f := range cmd.Flags {
			flags = append(flags, spelled(f)...)
		}
		if cmd.path == "explain" {
			for _, check := range checks.All() {
				flags = append(flags, check.ID)
			}
		}
		if cmd.path == "completion" {
			flags = append(flags, "bash", "zsh", "fish", "powershell")
		}
		words[cmd.path] = flags
		group, member, ok := strings.Cut(cmd.path, " ")
		if ok {
			words[group] = append(words[group], member)
		}
		if !slices.Contains(names, group) {
			names = append(names, group)
		}
	}
	return names, words
}

// branches writes one branch for each command, whose names are the key.
func branches(commands []leaf, branch func(path string, words []string) string) string {
	_, words := offers(commands)
	paths := make([]string, 0, len(words))
	for p := range words {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(branch(p, words[p]))
	}
	return b.String()
}

func bashCompletion(commands []leaf) string {
	names, _ := offers(commands)
	return `# bash completion of hermes-doctor: source <(hermes-doctor completion bash)
_hermes_doctor() {
	local word=${COMP_WORDS[COMP_CWORD]} path="" words="" w
	for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $w in -*) ;; *) case "$path $w" in
` + branches(commands, func(path string, _ []string) string {
		return "			\" " + path + "\"|\"" + path + "\") path=\"" + path + "\" ;;\n"
	}) + `		esac ;; esac
	done
	case $path in
	"") words="` + strings.Join(names, " ") + `" ;;
` + branches(commands, func(path string, words []string) string {
		return "	\"" + path + "\") words=\"" + strings.Join(words, " ") + "\" ;;\n"
	}) + `	esac
	COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _hermes_doctor hermes-doctor
`
}

func zshCompletion(commands []leaf) string {
	return "#compdef hermes-doctor\n# zsh completion of hermes-doctor: source <(hermes-doctor completion zsh)\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(commands)
}

func fishCompletion(commands []leaf) string {
	names, words := offers(commands)
	var b strings.Builder
	b.WriteString("# fish completion of hermes-doctor: hermes-doctor completion fish | source\n")
	fmt.Fprintf(&b, "complete -c hermes-doctor -n __fish_use_subcommand -a '%s'\n", strings.Join(names, " "))
	for _, name := range names {
		seen := words[name]
		for _, cmd := range commands {
			if group, _, ok := strings.Cut(cmd.path, " "); ok && group == name {
				seen = append(seen, words[cmd.path]...)
			}
		}
		slices.Sort(seen)
		fmt.Fprintf(&b, "complete -c hermes-doctor -n '__fish_seen_subcommand_from %s' -a '%s'\n", name, strings.Join(slices.Compact(seen), " "))
	}
	return b.String()
}

func powershellCompletion(commands []leaf) string {
	names, _ := offers(commands)
	quoted := func(words []string) string { return "'" + strings.Join(words, "','") + "'" }
	return `# PowerShell completion of hermes-doctor: hermes-doctor completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName hermes-doctor -ScriptBlock {
	param($word, $ast, $at)
	$said = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { -not $_.StartsWith('-') -and $_ -ne $word })
	$known = @{
` + branches(commands, func(path string, words []string) string { return "		'" + path + "' = @(" + quoted(words) + ")\n" }) + `	}
	$words = @(` + quoted(names) + `)
	if ($said.Count -ge 2 -and $known.ContainsKey("$($said[0]) $($said[1])")) { $words = $known["$($said[0]) $($said[1])"] }
	elseif ($said.Count -ge 1 -and $known.ContainsKey($said[0])) { $words = $known[$said[0]] }
	$words | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`
}
