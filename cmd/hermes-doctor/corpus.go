package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

func (c *console) corpusCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "corpus",
		Usage:     "run the built-in corpus of damaged stores, or that of a folder, against this build; new makes a case of a copy",
		ArgsUsage: "[check [DIR] | new COPY]",
		Flags:     append([]cli.Flag{&cli.BoolFlag{Name: "deep", Usage: "also the slow checks", DisableDefaultText: true}}, newCaseFlags()...),
		Action: func(cc *cli.Context) error {
			if cc.Args().First() == "new" {
				if cc.NArg() < 2 {
					return usageError{what: "corpus new needs an argument: COPY", try: "hermes-doctor corpus new COPY --output cases/NAME.txtar"}
				}
				return c.corpusNew(cc, cc.Args().Get(1))
			}
			to, err := destinationsOf(cc, cc.StringSlice("output"), report.JUnit)
			if err != nil {
				return err
			}
			cases, err := corpusCases(cc.Args())
			if err != nil {
				return err
			}
			all, err := c.runCases(cc, cases)
			if err != nil {
				return err
			}
			render := func(w io.Writer, f report.Format, o report.Options) error { return report.RenderCases(w, all, f, o) }
			if err := c.deliver(cc, to, report.Options{}, render); err != nil || all.Failed == 0 {
				return err
			}
			return exitStatus(exitFindings)
		},
	}, 0, 2, report.JUnit)
}

// corpusCases loads the embedded cases, or those of a folder.
func corpusCases(args cli.Args) ([]corpus.Case, error) {
	if args.Present() && args.First() != "check" {
		return nil, usageError{what: fmt.Sprintf("corpus has no command %q", args.First()), try: "hermes-doctor corpus check DIR"}
	}
	var dir fs.FS
	var err error
	name := args.Get(1)
	if name == "" {
		name = "the built-in corpus"
		if dir, err = corpus.Embedded(); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	} else {
		dir = os.DirFS(name)
	}
	cases, err := corpus.Load(dir)
	if err == nil && len(cases) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, usageError{what: fmt.Sprintf("read cases of %q: %v", name, err), try: "a folder with *.txtar files, as hermes-doctor corpus runs them"}
	}
	return cases, nil
}

func (c *console) runCases(cc *cli.Context, cases []corpus.Case) (*report.Cases, error) {
	all := &report.Cases{}
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return all, err
	}
	defer m.clear()
	for i := range cases {
		m.report("cases", int64(i), int64(len(cases)))
		outcomes, err := corpus.Run(cc.Context, checks.All(), cases[i:i+1], corpus.Options{TempDir: c.env["TMPDIR"], Deep: cc.Bool("deep")})
		if err != nil {
			return all, fmt.Errorf("run case %q: %w", cases[i].Name, err)
		}
		for _, o := range outcomes {
			all.Add(caseOf(o))
		}
	}
	return all, cc.Context.Err() // a case that was cut short failed for no fault of its own
}

func caseOf(o corpus.Outcome) report.Case {
	one := report.Case{Name: o.Case.Name, About: o.Case.About, Status: "failed", Reason: o.Skipped, Problems: o.Problems}
	switch {
	case o.Passed():
		one.Status = "passed"
	case o.Skipped != "" && len(o.Problems) == 0:
		one.Status = "skipped"
	}
	return one
}
