package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) verifyCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "verify",
		Usage:     "look again at what the receipt of a repair or a custody record names",
		ArgsUsage: "RECEIPT|CUSTODY",
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			v := &report.Verification{Tool: tool(), Path: cc.Args().First()}
			if err := c.lookAgain(cc, v); err != nil {
				return err
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

// lookAgain tells a custody record from a receipt and checks it.
func (c *console) lookAgain(cc *cli.Context, v *report.Verification) error {
	record, err := evidence.ReadRecord(v.Path)
	if err != nil {
		v.Verified, err = fix.Verify(cc.Context, v.Path, c.env["TMPDIR"])
		return unreadable(err, "the .receipt.json file that fix --apply or undo --apply named, or a record that --custody wrote")
	}
	v.Record, v.Verified = record, &fix.Verified{}
	seal := fix.Verification{Name: "seal", Path: v.Path, OK: record.Sealed(), Text: "the record is as it was written"}
	if !seal.OK {
		seal.Text = "the record was changed after it was written"
	}
	again, err := record.Recheck(cc.Context)
	if err != nil {
		return err
	}
	v.Verified.Checks = append(v.Verified.Checks, seal)
	for _, a := range again {
		v.Verified.Checks = append(v.Verified.Checks, fix.Verification{Name: a.What, Path: a.Path, OK: a.OK, Text: a.Text})
	}
	return nil
}
