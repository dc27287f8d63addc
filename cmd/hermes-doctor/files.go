package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/backups"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

func (c *console) filesCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "files",
		Usage:     "every file of a home: keep it, or what must hold before it may be deleted",
		ArgsUsage: "HOME",
		Flags:     readFlags(),
		Action:    c.files,
	}, 1, 1)
}

func (c *console) files(cc *cli.Context) error {
	to, err := destinations(cc)
	if err != nil {
		return err
	}
	so, err := c.scanOptions(cc)
	if err != nil {
		return err
	}
	v := &report.Files{Tool: tool()}
	if v.List, v.Inputs, err = c.judgeFiles(cc, cc.Args().First(), so); err != nil {
		return err
	}
	o, err := c.redacted(cc, report.Options{}, v.Inputs, nil)
	if err != nil {
		return err
	}
	err = c.deliver(cc, to, o, func(w io.Writer, f report.Format, o report.Options) error { return report.RenderFiles(w, v, f, o) })
	if err == nil && v.List.Limited {
		err = exitStatus(exitIncomplete)
	}
	return err
}

// judgeFiles compares the copies in a home and judges each of its files.
func (c *console) judgeFiles(cc *cli.Context, home string, so scan.Options) (_ *inventory.List, _ []evidence.Input, err error) {
	if info, err := os.Stat(home); err == nil && !info.IsDir() {
		return nil, nil, usageError{what: fmt.Sprintf("%q is no folder: the files of a home are judged together", home), try: "the folder that holds state.db"}
	}
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return nil, nil, err
	}
	defer m.clear()
	bundle, err := c.openHome(cc.Context, home, m)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, closeBundle(bundle)) }()
	ranking, err := backups.Rank(cc.Context, []string{home}, checks.All(), backups.Options{TempDir: c.env["TMPDIR"], Scan: so, Progress: m.report})
	if err != nil {
		return nil, nil, err
	}
	list, err := inventory.Homes(cc.Context, bundle.Homes, ranking)
	if err != nil {
		return nil, nil, fmt.Errorf("judge the files of %q: %w", home, err)
	}
	if ranking.Limited {
		list.Limited = true
		list.Notes = append(list.Notes, ranking.Notes...)
	}
	return list, ranking.Inputs, nil
}

func (c *console) openHome(ctx context.Context, home string, m *meter) (*evidence.Bundle, error) {
	bundle, err := evidence.Open(ctx, []string{home}, evidence.Options{TempDir: c.env["TMPDIR"], Damaged: true, NoCheckpoints: true, Progress: m.report})
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", home, err)
	}
	return bundle, nil
}
