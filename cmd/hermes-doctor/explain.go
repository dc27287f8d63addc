package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) explainCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "explain",
		Usage:     "what a check proves, what it does not, and how to see the same by hand; also of what only looks like damage",
		ArgsUsage: "CHECK",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			list, id := checks.All(), cc.Args().First()
			for _, l := range scan.AllLooksLike() {
				if l.ID == id {
					return c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
						return report.RenderLooksLike(w, l, format, o)
					})
				}
			}
			if err := known(id, list, "hermes-doctor explain "); err != nil {
				return err
			}
			check := list[slices.IndexFunc(list, func(check *scan.Check) bool { return check.ID == id })]
			return c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
				return report.RenderCheck(w, *check, format, o)
			})
		},
	}, 1, 1)
}
