package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// migrateCommand is the group of the commands for moving an install and for bringing a copy back.
func (c *console) migrateCommand() *cli.Command {
	return group(&cli.Command{
		Name:      "migrate",
		Usage:     "which backup is the newest good one, and what to know before a move",
		ArgsUsage: "COMMAND [flags] PATH…",
	},
		c.migrateCandidatesCommand(),
	)
}

func (c *console) migrateCandidatesCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "candidates",
		Usage:     "every copy of a database in a home or folder, ranked by what it holds, with what it alone holds",
		ArgsUsage: "HOME|DIR…",
		Flags:     readFlags(),
		Action:    c.migrateCandidates,
	}, 1, -1)
}

func (c *console) migrateCandidates(cc *cli.Context) error {
	to, err := destinations(cc)
	if err != nil {
		return err
	}
	ranking, err := c.rank(cc)
	if err != nil {
		return err
	}
	o, err := c.redacted(cc, report.Options{}, ranking.Inputs, nil)
	if err != nil {
		return err
	}
	err = c.deliver(cc, to, o, func(w io.Writer, f report.Format, o report.Options) error {
		return report.RenderCandidates(w, &report.Candidates{Tool: tool(), Ranking: ranking}, f, o)
	})
	if err == nil && ranking.Limited {
		err = exitStatus(exitIncomplete)
	}
	return err
}

// rank looks at every copy at the paths of the command line.
func (c *console) rank(cc *cli.Context) (*backups.Ranking, error) {
	so, err := c.scanOptions(cc)
	if err != nil {
		return nil, err
	}
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return nil, err
	}
	defer m.clear()
	return backups.Rank(cc.Context, cc.Args().Slice(), checks.All(), backups.Options{TempDir: c.env["TMPDIR"], Scan: so, Progress: m.report})
}
