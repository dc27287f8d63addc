package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

func (c *console) helpCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "help",
		Usage:     "what a command does and which flags it has",
		ArgsUsage: "[COMMAND]",
		Action: func(cc *cli.Context) error {
			name := cc.Args().First()
			if name == "" {
				return cli.ShowAppHelp(cc)
			}
			if find(cc.App.Commands, name) == nil {
				return unknownCommand(cc.App.Commands, name)
			}
			if err := cli.ShowCommandHelp(cc, name); err != nil {
				return fmt.Errorf("show help of %s: %w", name, err)
			}
			return nil
		},
	}, 0, 1)
}
