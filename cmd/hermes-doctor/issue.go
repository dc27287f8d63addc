package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/dossier"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

func (c *console) issueCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "issue",
		Usage:     "what the maintainers ask of who reports a damaged store, filled in from a copy, without any text of a message",
		ArgsUsage: "PATH",
		Flags:     readFlags(),
		Action:    c.issue,
	}, 1, 1)
}

func (c *console) issue(cc *cli.Context) error {
	to, err := destinations(cc)
	if err != nil {
		return err
	}
	so, err := c.scanOptions(cc)
	if err != nil {
		return err
	}
	v := &report.Dossier{Tool: tool()}
	result, err := c.dossier(cc, v, so)
	if err != nil {
		return err
	}
	o, err := c.redacted(cc, report.Options{}, v.Inputs, result)
	if err != nil {
		return err
	}
	err = c.deliver(cc, to, o, func(w io.Writer, f report.Format, o report.Options) error { return report.RenderDossier(w, v, f, o) })
	if err == nil && v.List.Limited {
		err = exitStatus(exitIncomplete)
	}
	return err
}

// dossier opens and scans a path and fills v in.
func (c *console) dossier(cc *cli.Context, v *report.Dossier, so scan.Options) (result *scan.Result, err error) {
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return nil, err
	}
	defer m.clear()
	path := cc.Args().First()
	so.Progress, so.Target = m.report, target([]string{path})
	bundle, err := evidence.Open(cc.Context, []string{path}, evidence.Options{TempDir: c.env["TMPDIR"], Damaged: true, Progress: m.report})
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, closeBundle(bundle)) }()
	if result, err = scan.Run(cc.Context, bundle, checks.All(), so); err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	if v.Inputs, err = bundle.Inputs(cc.Context); err != nil {
		return nil, fmt.Errorf("hash the inputs: %w", err)
	}
	var list *inventory.List
	if len(bundle.Homes) > 0 {
		if list, err = inventory.Homes(cc.Context, bundle.Homes, nil); err != nil {
			return nil, fmt.Errorf("list the home: %w", err)
		}
	}
	v.Verdict = result.Verdict.Sentence
	v.List, err = dossier.Fill(cc.Context, bundle, result, v.Inputs, list)
	return result, err
}
