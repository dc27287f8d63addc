package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) versionCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:  "version",
		Usage: "version of this tool and of its SQLite",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			return c.deliver(cc, to, report.Options{}, renderVersion)
		},
	}, 0, 0)
}

func renderVersion(w io.Writer, format report.Format, _ report.Options) error {
	if err := report.RenderVersion(w, tool(), format); err != nil || format == report.JSON || format == report.JSONLines {
		return err
	}
	_, err := fmt.Fprintln(w, "Independent: not affiliated with Hermes Agent, its makers or its own command `hermes doctor`.")
	return err
}
