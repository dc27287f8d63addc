package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) manCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:  "man",
		Usage: "the manual page of this program: hermes-doctor man | man -l -",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			return c.deliver(cc, to, report.Options{}, func(w io.Writer, _ report.Format, _ report.Options) error {
				return manual(w, cc.App)
			})
		},
	}, 0, 0)
}

// manual writes a page for man(1), in roff, from the commands themselves.
func manual(w io.Writer, app *cli.App) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HERMES\\-DOCTOR 1 \"\" \"hermes\\-doctor %s\"\n.SH NAME\nhermes\\-doctor \\- %s\n.SH SYNOPSIS\n", version, roff(app.Usage))
	for line := range strings.SplitSeq(app.UsageText, "\n") {
		fmt.Fprintf(&b, "%s\n.br\n", roff(line))
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff(app.Description))
	for _, cmd := range leaves(app.Commands, "") {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimSpace(cmd.path+" "+cmd.ArgsUsage)), roff(cmd.Usage))
		for _, f := range cmd.Flags {
			flag, ok := f.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			names, value := spelled(f), ""
			if flag.TakesValue() {
				value = " \\fI" + roff(placeholder(flag.GetUsage())) + "\\fR"
			}
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR%s\n%s\n", roff(strings.Join(names, ", ")), value, roff(strings.ReplaceAll(flag.GetUsage(), "`", "")))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	return nil
}

// leaf is a command that does something, with the names that lead to it.
type leaf struct {
	*cli.Command
	path string
}

// leaves lists the commands of all groups in the order of the help.
func leaves(commands []*cli.Command, before string) []leaf {
	var out []leaf
	for _, cmd := range commands {
		path := strings.TrimSpace(before + " " + cmd.Name)
		if len(cmd.Subcommands) > 0 {
			out = append(out, leaves(cmd.Subcommands, path)...)
			continue
		}
		out = append(out, leaf{cmd, path})
	}
	return out
}

// spelled gives the names of a flag with their dashes.
func spelled(f cli.Flag) []string {
	var out []string
	for _, name := range f.Names() {
		if len(name) == 1 {
			out = append(out, "-"+name)
		} else {
			out = append(out, "--"+name)
		}
	}
	return out
}

// placeholder is what a flag's usage calls its value: the word between backquotes.
func placeholder(usage string) string {
	_, rest, _ := strings.Cut(usage, "`")
	name, _, ok := strings.Cut(rest, "`")
	if !ok {
		return "VALUE"
	}
	return name
}

// roff escapes a text: a backslash, a dash, and a dot or quote at the beginning of a line mean something to roff.
func roff(s string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		if r < 0x80 {
			b.WriteRune(r)
		} else { // readers of roff do not agree about encodings
			fmt.Fprintf(&b, "\\[u%04X]", r)
		}
	}
	return b.String()
}
