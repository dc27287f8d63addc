package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

func (c *console) helpCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "help",
		Usage:     "what a command does and which flags it has",
		ArgsUsage: "[COMMAND [COMMAND]]",
		Action: func(cc *cli.Context) error {
			name := cc.Args().First()
			if name == "" {
				return cli.ShowAppHelp(cc)
			}
			command := find(cc.App.Commands, name)
			if command == nil {
				return unknownCommand(cc.App.Commands, name)
			}
			if len(command.Subcommands) > 0 {
				return showGroup(cc, command)
			}
			if cc.NArg() > 1 {
				return usageError{what: fmt.Sprintf("%s has no commands", name), try: "hermes-doctor help " + name}
			}
			if err := cli.ShowCommandHelp(cc, name); err != nil {
				return fmt.Errorf("show help of %s: %w", name, err)
			}
			return nil
		},
	}, 0, 2)
}

// showGroup prints the help of a group, or of the member that the second argument names.
func showGroup(cc *cli.Context, group *cli.Command) error {
	if cc.NArg() < 2 {
		return listGroup(cc.App.Writer, group)
	}
	command, _, err := member(group, cc.Args().Slice()[1:])
	if err != nil {
		return err
	}
	cli.HelpPrinter(cc.App.Writer, cli.CommandHelpTemplate, command)
	return nil
}

// listGroup names the members: the parser's own template knows them only while it runs the group.
func listGroup(w io.Writer, group *cli.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "NAME:\n   %s - %s\n\nUSAGE:\n   %s %s\n\nCOMMANDS:\n", group.HelpName, group.Usage, group.HelpName, group.ArgsUsage)
	width := 0
	for _, m := range group.Subcommands {
		width = max(width, len(m.Name))
	}
	for _, m := range group.Subcommands {
		fmt.Fprintf(&b, "   %-*s  %s\n", width, m.Name, m.Usage)
	}
	_, err := io.WriteString(w, b.String())
	if err != nil {
		return fmt.Errorf("show help of %s: %w", group.Name, err)
	}
	return nil
}
