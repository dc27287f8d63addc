package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) checksCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:  "checks",
		Usage: "list every check with its severity",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			var list []scan.Check
			for _, check := range checks.All() {
				list = append(list, *check)
			}
			return c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
				return report.RenderChecks(w, list, format, o)
			})
		},
	}, 0, 0)
}
