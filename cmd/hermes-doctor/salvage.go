package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/salvage"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) salvageCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "salvage",
		Usage:     "bring what a damaged database still holds into a new one, and account for every message",
		ArgsUsage: "PATH [CAPTURE…]",
		Description: "PATH is a state.db or a home; a CAPTURE is a -wal, a copy, or a folder with one, such as state.db.retired-wal-*, of which\n" +
			"a home's own are read too. The --output is a new database with the product's own schema; the source is only read, and\n" +
			"nothing of it is run. The manifest beside it says of each message id whether it was recovered, deleted or lost.",
		Flags:  readFlags(),
		Action: c.salvage,
	}, 1, -1)
}

func (c *console) salvage(cc *cli.Context) (err error) {
	outputs := cc.StringSlice("output")
	if len(outputs) != 1 {
		return usageError{what: "salvage needs one --output, the new database", try: "hermes-doctor salvage PATH --output new.db"}
	}
	to, err := destinationsOf(cc, nil)
	if err != nil {
		return err
	}
	for _, name := range []string{outputs[0], salvage.ManifestOf(outputs[0])} {
		if err := free(name); err != nil {
			return err
		}
	}
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return err
	}
	path, more, err := wreckPaths(cc.Args().First(), cc.Args().Tail())
	if err != nil {
		return err
	}
	defer m.clear()
	w, err := evidence.OpenWreck(cc.Context, path, more)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	o := salvage.Options{Output: outputs[0], Progress: m.report, Prove: c.proveSalvage}
	done, err := salvage.Salvage(cc.Context, w, o)
	switch {
	case errors.Is(err, salvage.ErrNothing):
		return &evidence.InputError{Path: path, Reason: "gives no row of a session or a message, by any way", Next: "keep this file; look for copies: hermes-doctor migrate candidates"}
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return usageError{what: fmt.Sprintf("output %q: %v", outputs[0], reason(err)), try: "a name in a folder that exists and may be written to"}
	case err != nil:
		return err
	}
	m.clear()
	doc := report.Salvage{Tool: tool(), Manifest: done}
	if err := c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
		return report.RenderSalvage(w, &doc, format, o)
	}); err != nil {
		return err
	}
	if !done.Complete {
		return exitStatus(exitFindings)
	}
	return nil
}

// wreckPaths is the database that a path stands for, and the captures that lie in a home beside those that were named.
func wreckPaths(path string, more []string) (string, []string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, more, nil // what is wrong with it is told where it is opened
	}
	home := path
	path = filepath.Join(home, "state.db")
	found, err := os.ReadDir(home)
	if err != nil {
		return "", nil, fmt.Errorf("look for captures beside %q: %w", path, err)
	}
	for _, f := range found {
		at := filepath.Join(home, f.Name())
		if !strings.HasPrefix(at, path+".retired-wal-") || slices.Contains(more, at) {
			continue
		}
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			more = append(more, at)
		}
	}
	return path, more, nil
}

// proveSalvage scans the new file as anybody will: what the checks of files say must be nothing.
func (c *console) proveSalvage(ctx context.Context, path string) (string, error) {
	x, err := c.look(ctx, []string{path}, scan.Options{Deep: true}, evidence.Options{}, nil)
	if err != nil {
		return "", err
	}
	if x.faulty != nil {
		return "", x.faulty
	}
	for _, f := range x.result.Findings {
		if f.Severity != scan.Error {
			continue
		}
		for _, check := range checks.All() {
			if check.ID == f.Check && check.Needs == scan.NeedFile && f.Check != "shifted-columns" { // which came like that
				return "", fmt.Errorf("a scan of it says %s: %s", f.Check, f.Message)
			}
		}
	}
	return "scan: no fault of the file; of its rows it says " + string(x.result.Verdict.Word), nil
}
