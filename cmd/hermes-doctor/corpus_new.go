package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// newCaseFlags are those of corpus new.
func newCaseFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "finding", Usage: "new: only the finding with this `ID`", DefaultText: "all findings and the verdict"},
		&cli.IntFlag{Name: "max-scans", Value: 400, Usage: "new: leave rows out until `N` scans are used up"},
	}
}

// corpusNew writes what a scan of a copy finds as a case, to stdout or to one new file.
func (c *console) corpusNew(cc *cli.Context, copyPath string) error {
	outputs := cc.StringSlice("output")
	switch {
	case len(outputs) > 1 || len(cc.StringSlice("format")) > 0 || cc.Bool("json"):
		return usageError{what: "a case is text of one form", try: "hermes-doctor corpus new COPY --output cases/NAME.txtar"}
	case cc.Bool("redact"):
		return usageError{what: "--redact does not reach into a case", try: "a case of a redacted copy"}
	case cc.Int("max-scans") < 1:
		return usageError{what: "--max-scans is less than 1", try: "--max-scans 400"}
	}
	to := destination{}
	name := "case"
	if len(outputs) == 1 {
		to.path = outputs[0]
		if filepath.Ext(to.path) != ".txtar" {
			return usageError{what: fmt.Sprintf("corpus check would not find %q: it looks for *.txtar", to.path), try: "--output cases/NAME.txtar"}
		}
		if err := free(to.path); err != nil {
			return err
		}
		name = strings.TrimSuffix(filepath.Base(to.path), ".txtar")
	}
	made, err := c.makeCase(cc, copyPath, name)
	var no *corpus.CannotReduce
	if errors.As(err, &no) {
		return usageError{what: fmt.Sprintf("no case can be made of %q: %v", copyPath, no), try: "hermes-doctor scan COPY, and --finding ID for one of its findings"}
	}
	if err != nil {
		return err
	}
	render := func(w io.Writer, _ report.Format, _ report.Options) error {
		_, err := w.Write(made.Text)
		return err
	}
	if err := c.deliver(cc, []destination{to}, report.Options{}, render); err != nil {
		return err
	}
	text := fmt.Sprintf("%d of %d rows show the same (%d sessions, %d messages), after %d scans", made.Rows, made.RowsOf, made.Sessions, made.Messages, made.Scans)
	if !made.Whole {
		text += "; more might be left out with a higher --max-scans"
	}
	c.note(cc, "%s; ids, keys and times are those of the copy", text)
	return nil
}

func (c *console) makeCase(cc *cli.Context, copyPath, name string) (_ *corpus.Reduced, err error) {
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return nil, err
	}
	defer m.clear()
	b, err := evidence.Open(cc.Context, []string{copyPath}, evidence.Options{TempDir: c.env["TMPDIR"], Progress: m.report, Damaged: true})
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", copyPath, err)
	}
	defer func() { err = errors.Join(err, closeBundle(b)) }()
	if err := allFaulty(b); err != nil {
		return nil, fmt.Errorf("open %q: %w", copyPath, err)
	}
	o := scan.Options{Deep: cc.Bool("deep"), Progress: m.report}
	result, err := scan.Run(cc.Context, b, checks.All(), o)
	if err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	return corpus.New(cc.Context, checks.All(), b, result, corpus.NewOptions{TempDir: c.env["TMPDIR"], Deep: o.Deep, Name: name,
		Finding: cc.String("finding"), MaxScans: cc.Int("max-scans"), Progress: m.report})
}
