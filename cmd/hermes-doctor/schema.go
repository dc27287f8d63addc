package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) schemaCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of what --json writes",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			return c.deliver(cc, to, report.Options{}, func(w io.Writer, _ report.Format, _ report.Options) error {
				_, err := w.Write(report.Schema())
				return err
			})
		},
	}, 0, 0)
}
