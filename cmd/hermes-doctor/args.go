package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange rewrites a command line as "COMMAND flags -- paths". The flag parser below us stops at the first argument
// that is no flag and would take `--json` in `scan state.db --json` for a path; so flags are sorted out here, by the
// command's own flag set, and one that the command does not have is an error. PATH alone means scan PATH.
// exists says whether a name is there on disk.
func arrange(commands []*cli.Command, args []string, exists func(name string) bool) ([]string, error) {
	at := firstArgument(commands, args)
	command, rest := find(commands, "scan"), args
	switch {
	case at < 0 && len(args) == 0:
		return nil, usageError{what: "no command and no file given", try: "hermes-doctor demo, or hermes-doctor scan state.db, or hermes-doctor help"}
	case at < 0 && slices.ContainsFunc(args, isHelp):
		return []string{"help"}, nil
	case at < 0 && slices.Contains(args, "--version"):
		command, rest = find(commands, "version"), slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--version" })
	case at < 0 || at > 0 && args[at-1] == "--":
	case find(commands, args[at]) != nil:
		command, rest = find(commands, args[at]), slices.Delete(slices.Clone(args), at, at+1)
	case !looksLikePath(args[at]) && !exists(args[at]):
		return nil, unknownCommand(commands, args[at])
	}
	names := []string{command.Name}
	if len(command.Subcommands) > 0 {
		var err error
		if command, rest, err = member(command, rest); err != nil {
			return nil, err
		}
		if command == nil {
			return append([]string{"help", "--"}, names...), nil
		}
		names = append(names, command.Name)
	}
	flags, paths, err := sortOut(command, strings.Join(names, " "), rest)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(flags, isHelp) {
		return append([]string{"help", "--"}, names...), nil
	}
	return slices.Concat(names, flags, []string{"--"}, paths), nil
}

// member finds the command of a group that args name, and gives the other arguments. No command with --help is nil.
func member(group *cli.Command, args []string) (*cli.Command, []string, error) {
	var known []string
	for _, c := range group.Subcommands {
		known = append(known, c.Name)
	}
	at := firstArgument(group.Subcommands, args)
	switch {
	case at >= 0:
		if c := find(group.Subcommands, args[at]); c != nil {
			return c, slices.Delete(slices.Clone(args), at, at+1), nil
		}
		try := "one of " + strings.Join(known, ", ")
		if near := nearest(args[at], known); near != "" {
			try = fmt.Sprintf("hermes-doctor %s %s", group.Name, near)
		}
		return nil, nil, usageError{what: fmt.Sprintf("%s has no command %q", group.Name, args[at]), try: try}
	case slices.ContainsFunc(args, isHelp):
		return nil, nil, nil
	}
	return nil, nil, usageError{
		what: fmt.Sprintf("%s needs a command: %s", group.Name, strings.Join(known, ", ")),
		try:  fmt.Sprintf("hermes-doctor help %s", group.Name),
	}
}

// firstArgument finds the first argument that is neither a flag nor a flag's value, -1 if there is none. The command
// is not known yet, so a flag takes a value here if it does in any command: no name means both.
func firstArgument(commands []*cli.Command, args []string) int {
	for _, c := range commands {
		commands = append(commands[:len(commands):len(commands)], c.Subcommands...)
	}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			if i+1 < len(args) {
				return i + 1
			}
			return -1
		}
		name, _, hasValue, ok := splitFlag(args[i])
		if !ok {
			return i
		}
		takes := slices.ContainsFunc(commands, func(c *cli.Command) bool { return takesValue(flagNamed(c, name)) })
		if takes && !hasValue && i+1 < len(args) && (verbatim(name) || !isFlag(args[i+1])) {
			i++
		}
	}
	return -1
}

// sortOut parts flags (each with its value) from paths. title is the command's name with that of its group.
func sortOut(command *cli.Command, title string, args []string) (flags, paths []string, err error) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return flags, append(paths, args[i+1:]...), nil
		}
		name, _, hasValue, ok := splitFlag(args[i])
		if !ok {
			paths = append(paths, args[i])
			continue
		}
		flag := flagNamed(command, name)
		if flag == nil && !isHelp(args[i]) {
			return nil, nil, unknownFlag(command, title, name, args[i])
		}
		flags = append(flags, args[i])
		if !takesValue(flag) || hasValue {
			continue
		}
		// A value that looks like a flag is far more often a forgotten value: `--output --json` must not make a file.
		if i+1 == len(args) || isFlag(args[i+1]) && !verbatim(name) {
			return nil, nil, usageError{
				what: fmt.Sprintf("flag %s needs a value", args[i]),
				try:  fmt.Sprintf("%s=VALUE, or hermes-doctor %s --help", args[i], title),
			}
		}
		i++
		flags = append(flags, args[i])
	}
	return flags, paths, nil
}

// splitFlag takes "--name=value" apart; ok is false for what is no flag, such as a path or a lone "-".
func splitFlag(arg string) (name, value string, hasValue, ok bool) {
	name, ok = strings.CutPrefix(arg, "-")
	if !ok || name == "" {
		return "", "", false, false
	}
	name, value, hasValue = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	return name, value, hasValue, true
}

// isFlag says whether an argument would be read as a flag; a negative number is a value.
func isFlag(arg string) bool {
	if _, err := strconv.ParseFloat(arg, 64); err == nil {
		return false
	}
	_, _, _, ok := splitFlag(arg)
	return ok
}

// verbatim flags take the next argument whatever it looks like: a file to restore may be called "-x" or "--".
func verbatim(name string) bool { return name == "selection" }

func isHelp(arg string) bool {
	return arg == "--help" || arg == "-help" || arg == "-h" || arg == "--h"
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func flagNamed(command *cli.Command, name string) cli.Flag {
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// takesValue is false for a boolean flag and for nil.
func takesValue(flag cli.Flag) bool {
	f, ok := flag.(cli.DocGenerationFlag)
	return ok && f.TakesValue()
}

// looksLikePath tells a mistyped path from a mistyped command when neither exists.
func looksLikePath(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || filepath.Ext(arg) != ""
}

func unknownFlag(command *cli.Command, title, name, arg string) error {
	var known []string
	for _, f := range command.Flags {
		known = append(known, f.Names()[0])
	}
	try := fmt.Sprintf("hermes-doctor %s --help, or -- before a path that begins with a dash", title)
	if near := nearest(name, known); near != "" {
		try = fmt.Sprintf("--%s, or hermes-doctor %s --help", near, title)
	}
	flag, _, _ := strings.Cut(arg, "=")
	return usageError{what: fmt.Sprintf("unknown flag %s of %s", flag, title), try: try}
}

func unknownCommand(commands []*cli.Command, name string) error {
	var known []string
	for _, c := range commands {
		known = append(known, c.Name)
	}
	try := "one of " + strings.Join(known, ", ")
	if near := nearest(name, known); near != "" {
		try = fmt.Sprintf("hermes-doctor %s, or %s", near, try)
	}
	return usageError{what: fmt.Sprintf("%q is no command of this version and no file", name), try: try}
}
