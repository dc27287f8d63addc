package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) resumeCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "resume",
		Usage:     "which row each chat gets after a restart, with its rows side by side",
		ArgsUsage: "PATH…",
		Flags:     append(custodyFlags(), examineFlags()...),
		Action: func(cc *cli.Context) error {
			to, err := pages(cc)
			if err != nil {
				return err
			}
			o, err := c.scanOptions(cc)
			if err != nil {
				return err
			}
			o.Rows = true
			record, err := c.newCustodian(cc)
			if err != nil {
				return err
			}
			x, err := c.examine(cc, cc.Args().Slice(), o)
			if err != nil {
				return err
			}
			ro, err := c.redacted(cc, reportOptions(cc), x.inputs, x.result)
			if err != nil {
				return err
			}
			err = c.deliver(cc, to, ro, func(w io.Writer, format report.Format, o report.Options) error {
				return report.RenderResume(w, report.NewResume(tool(), x.inputs, x.result), format, o)
			})
			if err != nil {
				return err
			}
			return record.finish(c, cc, x, to)
		},
	}, 1, -1, report.HTML)
}
