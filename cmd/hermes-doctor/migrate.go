package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/preflight"
)

// migrateCommand is the group of the commands for moving an install and for bringing a copy back.
func (c *console) migrateCommand() *cli.Command {
	return group(&cli.Command{
		Name:      "migrate",
		Usage:     "which backup is the newest good one, and what to know before a move to another machine",
		ArgsUsage: "COMMAND [flags] PATH…",
	},
		c.migrateCandidatesCommand(),
		c.migrateCheckCommand(),
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

func (c *console) migrateCheckCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "check",
		Usage:     "before a move to another machine: what belongs together, what is bound to this one, what would be lost",
		ArgsUsage: "HOME",
		Flags:     append([]cli.Flag{failOnFlag()}, readFlags()...),
		Action:    c.migrateCheck,
	}, 1, 1)
}

func (c *console) migrateCheck(cc *cli.Context) error {
	to, err := destinations(cc)
	if err != nil {
		return err
	}
	least, err := failOn(cc)
	if err != nil {
		return err
	}
	so, err := c.scanOptions(cc)
	if err != nil {
		return err
	}
	v := &report.Preflight{Tool: tool(), Home: cc.Args().First()}
	result, err := c.preflight(cc, v, so)
	if err != nil {
		return err
	}
	o, err := c.redacted(cc, report.Options{}, v.Inputs, result)
	if err != nil {
		return err
	}
	if o.Redact != nil {
		o.Redact.Know(v.Check.Names...)
	}
	err = c.deliver(cc, to, o, func(w io.Writer, f report.Format, o report.Options) error { return report.RenderPreflight(w, v, f, o) })
	switch {
	case err != nil:
		return err
	case v.Check.Limited:
		return exitStatus(exitIncomplete)
	case slices.ContainsFunc(v.Check.Points, func(p preflight.Point) bool { return p.Severity.Rank() >= least }):
		return exitStatus(exitFindings)
	}
	return nil
}

// preflight opens a home, looks at it and scans it, and fills v in.
func (c *console) preflight(cc *cli.Context, v *report.Preflight, so scan.Options) (result *scan.Result, err error) {
	if info, err := os.Stat(v.Home); err == nil && !info.IsDir() {
		return nil, usageError{what: fmt.Sprintf("%q is no folder: what belongs to a move lies beside the database", v.Home), try: "the folder that holds state.db"}
	}
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return nil, err
	}
	defer m.clear()
	so.Progress, so.Target = m.report, target([]string{v.Home})
	bundle, err := evidence.Open(cc.Context, []string{v.Home}, evidence.Options{TempDir: c.env["TMPDIR"], Damaged: true, Progress: m.report})
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", v.Home, err)
	}
	defer func() { err = errors.Join(err, closeBundle(bundle)) }()
	if v.Check, err = preflight.Look(cc.Context, bundle); err != nil {
		return nil, err
	}
	if result, err = scan.Run(cc.Context, bundle, checks.All(), so); err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	v.Check.Judge(bundle, result)
	if v.Inputs, err = bundle.Inputs(cc.Context); err != nil {
		return nil, fmt.Errorf("hash the inputs: %w", err)
	}
	return result, nil
}
