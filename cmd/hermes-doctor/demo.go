package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func (c *console) demoCommand() *cli.Command {
	keep := &cli.StringFlag{Name: "keep", Usage: "leave the store in the new or empty folder `DIR`, to try commands on"}
	return c.command(&cli.Command{
		Name:   "demo",
		Usage:  "build the incident of August 2026 from invented data, and scan it",
		Flags:  slices.Concat([]cli.Flag{keep}, selectFlags(), examineFlags()),
		Action: c.demo,
	}, 0, 0, report.HTML)
}

func (c *console) demo(cc *cli.Context) (err error) {
	to, err := pages(cc)
	if err != nil {
		return err
	}
	o, err := c.scanOptions(cc)
	if err != nil {
		return err
	}
	incident, err := corpus.Demo()
	if err != nil {
		return fmt.Errorf("read the demo: %w", err)
	}
	o.Lanes = drawn(to)
	o.Zone = incident.Zone // the demo is the same everywhere, whatever TZ says
	if !cc.IsSet("now") {
		o.Now = incident.Now
	}
	dir, done, err := c.demoFolder(cc.String("keep"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done(err)) }()
	if err := corpus.BuildTo(cc.Context, incident, dir); err != nil {
		return fmt.Errorf("build the demo: %w", err)
	}
	if cc.String("keep") == "" {
		o.Target = "COPY" // the folder of the moment is gone when the command could be typed
	}
	x, err := c.examine(cc, []string{incident.Path(dir)}, o)
	if err != nil {
		return err
	}
	if cc.String("keep") == "" { // a name of the moment is nothing to print
		for i := range x.inputs {
			x.inputs[i].Path = filepath.Join("demo", strings.TrimPrefix(x.inputs[i].Path, dir))
		}
	}
	err = c.deliver(cc, to, reportOptions(cc), func(w io.Writer, format report.Format, o report.Options) error {
		if format == report.Table {
			if _, err := fmt.Fprintf(w, "%s\n\n", demoIntroduction); err != nil {
				return err
			}
		}
		return x.scanReport(w, format, o)
	})
	if err == nil && cc.String("keep") != "" {
		c.note(cc, "made %s; try: hermes-doctor resume %s", incident.Path(dir), incident.Path(dir))
	}
	return err
}

const demoIntroduction = `The incident of August 2026 (#82616), rebuilt from invented data: after a
restart a Telegram chat woke up days in the past. This is what a scan says.`

// demoFolder gives the folder to build in and what must be called at the end with the outcome. Without --keep that
// is a private folder, removed at the end; with it, a new or empty one, which is left alone unless the demo failed.
func (c *console) demoFolder(keep string) (dir string, done func(error) error, err error) {
	if keep == "" {
		dir, err = os.MkdirTemp(c.env["TMPDIR"], "hermes-doctor-demo-*")
		if err != nil {
			return "", nil, fmt.Errorf("make a folder for the demo: %w", err)
		}
		return dir, func(error) error { return os.RemoveAll(dir) }, nil
	}
	err = os.Mkdir(keep, 0o700)
	made := err == nil
	if errors.Is(err, fs.ErrExist) {
		var entries []os.DirEntry
		if entries, err = os.ReadDir(keep); err == nil && len(entries) > 0 {
			err = errors.New("is not empty, and no file is ever overwritten")
		}
	}
	if err != nil {
		return "", nil, usageError{what: fmt.Sprintf("keep the demo in %q: %v", keep, reason(err)), try: "--keep with the name of a new folder"}
	}
	return keep, func(outcome error) error {
		if outcome == nil {
			return nil
		}
		return emptied(keep, made)
	}, nil
}

// emptied removes what a failed demo made: everything in the folder, which was empty, and the folder if it was new.
func emptied(dir string, made bool) error {
	if made {
		return os.RemoveAll(dir)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
