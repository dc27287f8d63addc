package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) scanCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "scan",
		Usage:     "find damaged rows, lost chats and what each chat resumes after a restart",
		ArgsUsage: "PATH… | --from-file LIST",
		Flags:     slices.Concat([]cli.Flag{failOnFlag()}, selectFlags(), knownFlags(), manyFlags(), custodyFlags(), examineFlags()),
		Action: func(cc *cli.Context) error {
			a, err := c.asked(cc)
			if err != nil {
				return err
			}
			if cc.IsSet("from-file") {
				if err := notInLists(cc); err != nil {
					return err
				}
				return c.scanMany(cc, a)
			}
			if err := oneAtATime(cc); err != nil {
				return err
			}
			to, err := destinationsOf(cc, cc.StringSlice("output"), report.SARIF, report.JUnit, report.HTML)
			if err != nil {
				return err
			}
			a.scan.Lanes = drawn(to)
			a.scan.Chat, a.scan.Session = cc.String("chat"), cc.String("session")
			record, err := c.newCustodian(cc)
			if err != nil {
				return err
			}
			x, err := c.examine(cc, cc.Args().Slice(), a.scan)
			if err != nil {
				return err
			}
			judged := x.judge(a.known)
			o := a.report
			o.Events = cc.String("chat")+cc.String("session") != ""
			o.All = o.All || o.Events // one chat's rows, all of them on its page
			o.Known = judged
			if o, err = c.redacted(cc, o, x.inputs, x.result); err != nil {
				return err
			}
			if err := c.deliver(cc, to, o, x.scanReport); err != nil {
				return err
			}
			if err := record.finish(c, cc, x, to); err != nil {
				return err
			}
			if judged != nil {
				for _, text := range judged.Notes {
					c.note(cc, "%s", text)
				}
			}
			return x.exit(a.least, judged)
		},
	}, 0, -1, report.SARIF, report.JUnit, report.HTML)
}

// question is what a command line asks of every store.
type question struct {
	scan   scan.Options
	report report.Options
	known  *report.Known
	least  int // the rank that a finding must reach to count
}

func (c *console) asked(cc *cli.Context) (q question, err error) {
	if q.least, err = failOn(cc); err != nil {
		return q, err
	}
	if q.scan, err = c.scanOptions(cc); err != nil {
		return q, err
	}
	if q.known, err = knownBefore(cc); err != nil {
		return q, err
	}
	q.report = reportOptions(cc)
	q.report.Checks, q.report.FailOn = checks.All(), q.least
	return q, nil
}

func reportOptions(cc *cli.Context) report.Options {
	return report.Options{All: cc.Bool("all"), Timings: cc.Bool("timings")}
}

func (x examination) scanReport(w io.Writer, format report.Format, o report.Options) error {
	return report.Render(w, report.New(tool(), x.inputs, x.result), format, o)
}
