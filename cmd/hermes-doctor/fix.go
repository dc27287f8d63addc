package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) fixCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringSliceFlag{Name: "accept", Usage: "consent to the held repair of this session or finding `ID`, or to all adoptions with contiguity; may be repeated"},
		&cli.StringSliceFlag{Name: "finding", Usage: "only the repair of the finding `ID`; may be repeated"},
		&cli.StringFlag{Name: "plan", Usage: "only steps that are in the plan of `FILE`, which fix --json wrote about the same bytes"},
		&cli.StringFlag{Name: "record-lineage", Value: string(fix.LineageSafe), Usage: "`WHEN` to record the predecessor in an adopted row: safe, always or never"},
		&cli.BoolFlag{Name: "show-text", Usage: "show the first and last message of rows that need consent", DisableDefaultText: true},
	}
	return c.command(&cli.Command{
		Name:      "fix",
		Usage:     "print the repair of one copy, and with --apply carry it out: blank cells are filled, nothing else",
		ArgsUsage: "PATH",
		Description: "With --apply, an --output that has no ending of a report writes the repaired database to that new file and leaves the input\n" +
			"alone. --format sql is the procedure by hand. Held repairs need --accept, or an answer on the terminal.",
		Flags:  slices.Concat(flags, applyFlags(), checkFlags(), readFlags()),
		Action: c.fix,
	}, 1, -1, report.SQL)
}

// repair is one run of fix.
type repair struct {
	*console
	cc      *cli.Context
	to      []destination
	output  string // the database to write instead of changing the one that was given; "" = that one
	options fix.Options
	scan    scan.Options
	digest  string // of the plan in --plan; "" = none
	bundle  *evidence.Bundle
	meter   *meter
	doc     *report.Repair
}

func (c *console) fix(cc *cli.Context) (err error) {
	r := &repair{console: c, cc: cc, doc: &report.Repair{Tool: tool()}}
	if err := r.read(); err != nil {
		return err
	}
	if r.meter, err = c.newMeter(cc.String("progress"), cc.Bool("quiet")); err != nil {
		return err
	}
	defer r.meter.clear()
	if err := r.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeBundle(r.bundle)) }()
	if err := r.examine(); err != nil {
		return err
	}
	if err := r.plan(); err != nil {
		return err
	}
	if !cc.Bool("apply") {
		return r.finish(nil)
	}
	return r.finish(r.carryOut())
}

// read takes the command line.
func (r *repair) read() (err error) {
	cc := r.cc
	reports, databases := parted(cc.StringSlice("output"))
	if r.to, err = destinationsOf(cc, reports, report.SQL); err != nil {
		return err
	}
	switch {
	case cc.Bool("apply") && cc.Bool("dry-run"):
		return usageError{what: "--apply and --dry-run contradict each other", try: "one of them; --dry-run is the default"}
	case len(databases) > 1:
		return usageError{what: fmt.Sprintf("several new databases in --output: %q", databases), try: "one; a report is called .json, .jsonl, .md, .txt or .sql"}
	case len(databases) == 1:
		if r.output = databases[0]; cc.Bool("apply") {
			if err := free(r.output); err != nil {
				return err
			}
		}
	}
	r.options = fix.Options{Accept: cc.StringSlice("accept"), Only: cc.StringSlice("finding"), RecordLineage: fix.Lineage(cc.String("record-lineage"))}
	switch r.options.RecordLineage {
	case fix.LineageSafe, fix.LineageAlways, fix.LineageNever:
	default:
		return usageError{what: fmt.Sprintf("unknown --record-lineage %q", r.options.RecordLineage), try: "--record-lineage safe, always or never"}
	}
	if path := cc.String("plan"); path != "" {
		if r.digest, r.options.Steps, err = readPlan(path); err != nil {
			return err
		}
	}
	if r.scan, err = r.scanOptions(cc); err != nil {
		return err
	}
	r.scan.Plan, r.scan.Rows, r.scan.Target = true, true, target(cc.Args().Slice())
	return nil
}

// parted tells reports, by the ending of a format, from databases.
func parted(outputs []string) (reports, databases []string) {
	for _, path := range outputs {
		if _, err := report.FormatOf(path, report.SQL); err != nil && path != "-" {
			databases = append(databases, path)
		} else {
			reports = append(reports, path)
		}
	}
	return reports, databases
}

// examine scans the database.
func (r *repair) examine() error {
	r.say(r.cc, r.meter, "running %d checks", len(checks.All()))
	boundMemory(r.cc.Context, r.bundle)
	o := r.scan
	o.Progress = r.meter.report
	result, err := scan.Run(r.cc.Context, r.bundle, checks.All(), o)
	if err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	r.doc.Result = result
	if r.doc.Inputs, err = r.bundle.Inputs(r.cc.Context); err != nil {
		return fmt.Errorf("hash the inputs: %w", err)
	}
	for _, in := range r.doc.Inputs {
		if in.Role == evidence.RoleDatabase {
			r.doc.Database = in.Path
		}
	}
	if failed := slices.IndexFunc(result.Checks, func(s scan.CheckStatus) bool { return s.Status == scan.Failed && s.Reason != "no-fts5" }); failed >= 0 {
		s := result.Checks[failed]
		return &fix.RefusedError{Code: fix.CodeIncomplete, Path: r.doc.Database, Reason: fmt.Sprintf("the check %s failed, so that nothing may be concluded: %s", s.ID, s.Reason),
			Next: "the same command without --time-budget, with free space in the temporary folder (TMPDIR)"}
	}
	return nil
}

// plan makes the plan and what is said about it.
func (r *repair) plan() error {
	if r.digest != "" && r.digest != r.doc.Result.Digest {
		return &fix.RefusedError{Code: fix.CodePlan, Path: r.cc.String("plan"), Reason: "this plan was made for other bytes than those of the database now", Next: r.line("fix")}
	}
	plan, err := fix.NewPlan(r.doc.Result, r.options)
	var unknown *fix.UnknownIDError
	if errors.As(err, &unknown) {
		return r.unknown(unknown)
	}
	if err != nil {
		return err
	}
	r.doc.Plan = plan
	var fills []scan.Fill
	for _, s := range plan.Steps {
		fills = append(fills, scan.Fill{Table: s.Table, Key: s.Key, Column: s.Column, Value: s.New, Because: s.Because})
	}
	r.doc.Resume = r.doc.Result.Planner.Lines(fills)
	r.doc.Apply = ""
	if !plan.Empty() {
		r.doc.Apply = r.line("fix", "--apply")
	}
	r.doc.Accept = func(ids []string) string {
		more := []string{"fix"}
		for _, id := range ids {
			more = append(more, "--accept="+scan.ShellQuote(id))
		}
		return r.line(more...)
	}
	r.doc.Compared, err = r.compare(plan.Held)
	return err
}

// unknown words an id that the scan does not have as the mistake in a command line that it is.
func (r *repair) unknown(u *fix.UnknownIDError) error {
	switch u.Option {
	case "steps":
		return usageError{what: fmt.Sprintf("the plan in %q has the step %q, which a plan of today does not have", r.cc.String("plan"), u.ID),
			try: "the flags with which that plan was made, or a new plan: hermes-doctor fix --json"}
	case "only":
		return usageError{what: fmt.Sprintf("--finding: no finding has the id %q", u.ID), try: "hermes-doctor scan --format jsonl " + r.scan.Target}
	}
	return usageError{what: fmt.Sprintf("--accept: no session with a finding and no finding has the id %q", u.ID), try: r.line("fix")}
}

// finish writes the document and gives the exit code; err is what came of an --apply.
func (r *repair) finish(err error) error {
	refusal, late := (*fix.RefusedError)(nil), (*fix.UnverifiedError)(nil)
	switch {
	case errors.As(err, &late):
		r.doc.Failed = late
	case errors.As(err, &refusal):
		r.doc.Refused = refusal
	case err != nil:
		return err
	}
	done := r.doc.Outcome != nil && r.doc.Outcome.Applied > 0
	if done || late != nil {
		r.doc.Undo = undoCommandLine(r.journal())
	}
	r.meter.clear()
	ro, rerr := r.redacted(r.cc, report.Options{}, r.doc.Inputs, r.doc.Result)
	if rerr != nil {
		return errors.Join(err, rerr)
	}
	rerr = r.deliver(r.cc, r.to, ro, func(w io.Writer, format report.Format, o report.Options) error {
		return report.RenderRepair(w, r.doc, format, o)
	})
	switch {
	case err != nil:
		return err
	case rerr != nil && done:
		return fmt.Errorf("the repair is done and verified, see %q, but its report is not written: %w", r.doc.Outcome.ReceiptPath, rerr)
	case rerr != nil:
		return rerr
	}
	left := len(r.doc.Plan.Held)+len(r.doc.Plan.Refused) > 0
	if left || !done && !r.doc.Plan.Empty() {
		return exitStatus(exitFindings)
	}
	return nil
}

func (r *repair) journal() string {
	if r.doc.Failed != nil {
		return r.doc.Failed.Journal
	}
	return r.doc.Outcome.Journal
}
