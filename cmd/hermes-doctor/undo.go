package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func (c *console) undoCommand() *cli.Command {
	database := &cli.StringFlag{Name: "database", Usage: "the repaired `FILE`", DefaultText: "where the journal says it is"}
	return c.command(&cli.Command{
		Name:      "undo",
		Usage:     "print which cells of a repair can be taken back, and with --apply take them back",
		ArgsUsage: "JOURNAL",
		Flags:     slices.Concat([]cli.Flag{database}, applyFlags()),
		Action:    c.undo,
	}, 1, 1)
}

func (c *console) undo(cc *cli.Context) error {
	to, err := destinations(cc)
	if err != nil {
		return err
	}
	if cc.Bool("apply") && cc.Bool("dry-run") {
		return usageError{what: "--apply and --dry-run contradict each other", try: "one of them; --dry-run is the default"}
	}
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return err
	}
	defer m.clear()
	o := fix.UndoOptions{Target: cc.String("database"), Backup: c.backupOptions(cc, m), ApplyOptions: c.applyOptions(cc)}
	doc := &report.Undo{Tool: tool(), Journal: cc.Args().First(), Apply: undoLine(cc)}
	doc.Undone, err = fix.Undo(cc.Context, doc.Journal, o)
	if err != nil {
		return unreadable(notToBeChanged(cc, err), "the .undo.json file that fix --apply named")
	}
	if cc.Bool("apply") && len(doc.Undone.Restored) > 0 {
		err = c.takeBack(cc, doc, o)
	}
	m.clear()
	return c.concludeUndo(cc, to, doc, err)
}

// takeBack asks, and carries the undo out.
func (c *console) takeBack(cc *cli.Context, doc *report.Undo, o fix.UndoOptions) error {
	if !cc.Bool("yes") {
		ask := c.asker()
		if ask == nil {
			return unconfirmed("there is no terminal to confirm the undo on, and no --yes", doc.Apply+" --yes")
		}
		if err := report.RenderUndo(ask, doc, report.Table, report.Options{Width: c.width()}); err != nil {
			return err
		}
		doc.Shown = true
		yes, err := ask.yes(cc.Context, "Back this copy up and take these cells back?")
		if err != nil {
			return err
		}
		if !yes {
			return unconfirmed("the undo was not confirmed", doc.Apply)
		}
	}
	o.Apply = true
	done, err := fix.Undo(cc.Context, doc.Journal, o)
	if done != nil {
		doc.Undone = done
	}
	return err
}

// concludeUndo writes the document and gives the exit code; err is what came of an --apply.
func (c *console) concludeUndo(cc *cli.Context, to []destination, doc *report.Undo, err error) error {
	refusal, late := (*fix.RefusedError)(nil), (*fix.UnverifiedError)(nil)
	switch {
	case errors.As(err, &late):
		doc.Failed, doc.Undo = late, undoCommandLine(late.Journal)
	case errors.As(err, &refusal):
		doc.Refused = refusal
	case err != nil:
		return err
	}
	if doc.Undone.Outcome != nil && doc.Undo == "" && doc.Undone.Outcome.Applied > 0 {
		doc.Undo = undoCommandLine(doc.Undone.Outcome.Journal)
	}
	ro, rerr := c.redacted(cc, report.Options{}, doc.Undone.Inputs, nil)
	if rerr == nil {
		rerr = c.deliver(cc, to, ro, rendered(doc, report.RenderUndo))
	}
	switch {
	case err != nil || rerr != nil:
		return errors.Join(err, rerr)
	case !doc.Undone.Done():
		return exitStatus(exitFindings)
	}
	return nil
}

// undoLine spells the command that carries the undo out.
func undoLine(cc *cli.Context) string {
	words := []string{"hermes-doctor", "undo", "--apply"}
	for _, name := range []string{"database", "backup-dir"} {
		if cc.IsSet(name) {
			words = append(words, "--"+name+"="+scan.ShellQuote(cc.String(name)))
		}
	}
	return strings.Join(append(words, scan.ShellQuote(cc.Args().First())), " ")
}

// unreadable makes an error about the journal or receipt that was named one of the command line; any other stays what it
// is.
func unreadable(err error, try string) error {
	var record *fix.RecordError
	if errors.As(err, &record) {
		return usageError{what: record.Error(), try: try}
	}
	return err
}
