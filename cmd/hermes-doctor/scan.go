package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) scanCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "scan",
		Usage:     "find damaged rows, lost chats and what each chat resumes after a restart",
		ArgsUsage: "PATH…",
		Flags:     slices.Concat([]cli.Flag{failOnFlag()}, selectFlags(), examineFlags()),
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			least, err := failOn(cc)
			if err != nil {
				return err
			}
			o, err := c.scanOptions(cc)
			if err != nil {
				return err
			}
			x, err := c.examine(cc, cc.Args().Slice(), o)
			if err != nil {
				return err
			}
			if err := c.deliver(cc, to, reportOptions(cc), x.scanReport); err != nil {
				return err
			}
			return x.exit(least)
		},
	}, 1, -1)
}

func reportOptions(cc *cli.Context) report.Options {
	return report.Options{All: cc.Bool("all"), Timings: cc.Bool("timings")}
}

func (x examination) scanReport(w io.Writer, format report.Format, o report.Options) error {
	return report.Render(w, report.New(tool(), x.inputs, x.result), format, o)
}
