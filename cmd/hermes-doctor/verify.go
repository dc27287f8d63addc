package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) verifyCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "verify",
		Usage:     "look again at what the receipt of a repair says: backup, journal, result and its rows",
		ArgsUsage: "RECEIPT",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			v := &report.Verification{Tool: tool(), Path: cc.Args().First()}
			v.Verified, err = fix.Verify(cc.Context, v.Path, c.env["TMPDIR"])
			if err != nil {
				return unreadable(err, "the .receipt.json file that fix --apply or undo --apply named")
			}
			if err := c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
				return report.RenderVerification(w, v, format, o)
			}); err != nil {
				return err
			}
			if !v.Verified.Good() {
				return exitStatus(exitFindings)
			}
			return nil
		},
	}, 1, 1)
}
