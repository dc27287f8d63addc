package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

func (c *console) diffCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "diff",
		Usage:     "what became of the sessions, messages, checkpoints and findings of copy A in copy B",
		ArgsUsage: "A B",
		Flags:     append(checkFlags(), readFlags()...),
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			o, err := c.scanOptions(cc)
			if err != nil {
				return err
			}
			d, err := c.compareCopies(cc, cc.Args().Get(0), cc.Args().Get(1), o)
			if err != nil {
				return err
			}
			inputs, both := slices.Concat(d.A.Inputs, d.B.Inputs), &scan.Result{}
			for _, r := range []*scan.Result{d.A.Result, d.B.Result} {
				both.Findings, both.Resume = append(both.Findings, r.Findings...), append(both.Resume, r.Resume...)
				both.Stories, both.Census = append(both.Stories, r.Stories...), append(both.Census, r.Census...)
				both.Checkpoints = append(both.Checkpoints, r.Checkpoints...)
				both.Ends = append(both.Ends, r.Ends...)
			}
			ro, err := c.redacted(cc, report.Options{}, inputs, both)
			if err != nil {
				return err
			}
			render := func(w io.Writer, f report.Format, o report.Options) error { return report.RenderDiff(w, d, f, o) }
			if err := c.deliver(cc, to, ro, render); err != nil {
				return err
			}
			return diffExit(d)
		},
	}, 2, 2)
}

// diffExit is 3 where something could not be looked at, 1 where the copies differ.
func diffExit(d *report.Diff) error {
	for _, side := range []*report.DiffSide{&d.A, &d.B} {
		x := examination{result: side.Result}
		if err := x.exit(scan.Error.Rank()+1, nil); err != nil {
			return err
		}
	}
	switch {
	case len(d.Notes) > 0:
		return exitStatus(exitIncomplete)
	case d.Differs():
		return exitStatus(exitFindings)
	}
	return nil
}

// compareCopies opens both copies, compares their databases by name, and then scans each, which hashes the inputs once more.
func (c *console) compareCopies(cc *cli.Context, pathA, pathB string, o scan.Options) (_ *report.Diff, err error) {
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return nil, err
	}
	defer m.clear()
	d := &report.Diff{Tool: tool()}
	var bundles [2]*evidence.Bundle
	for i, path := range []string{pathA, pathB} {
		c.say(cc, m, "opening %q", path)
		b, err := evidence.Open(cc.Context, []string{path}, evidence.Options{TempDir: c.env["TMPDIR"], Progress: m.report, Damaged: true})
		if err != nil {
			return nil, fmt.Errorf("open %q: %w", path, err)
		}
		defer func() { err = errors.Join(err, closeBundle(b)) }()
		if err := allFaulty(b); err != nil {
			return nil, fmt.Errorf("open %q: %w", path, err)
		}
		bundles[i] = b
	}
	// As boundMemory: a digest of each message at worst, and what two scans need.
	limit := int64(24 << 20)
	for _, s := range slices.Concat(bundles[0].Stores, bundles[1].Stores) {
		limit += 300*int64(s.DB.RowHint(cc.Context, "sessions")) + 36*int64(s.DB.RowHint(cc.Context, "messages"))
	}
	debug.SetMemoryLimit(limit)
	if err := compareStores(cc.Context, bundles[0], bundles[1], d, m); err != nil {
		return nil, err
	}
	compareBases(bundles[0], bundles[1], d)
	o.Progress = m.report
	for i, side := range []*report.DiffSide{&d.A, &d.B} {
		o.Target = target([]string{[]string{pathA, pathB}[i]})
		if side.Result, err = scan.Run(cc.Context, bundles[i], checks.All(), o); err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		if side.Inputs, err = bundles[i].Inputs(cc.Context); err != nil {
			return nil, fmt.Errorf("hash the inputs: %w", err)
		}
		// A scan that has nothing more to read of a zeroed file is complete; a comparison with it is not.
		side.Result.Partial = side.Result.Partial || slices.ContainsFunc(bundles[i].Stores, func(s *evidence.Store) bool { return s.Fault != nil })
	}
	d.Appeared, d.Went = compare.Findings(d.A.Result, d.B.Result)
	d.Resumed = compare.Resumes(d.A.Result.Resume, d.B.Result.Resume, func(store string) bool {
		return slices.ContainsFunc(d.Stores, func(s *compare.Difference) bool { return s.Store == store })
	})
	if d.A.Result.Partial || d.B.Result.Partial {
		d.Notes = append(d.Notes, "findings that only one copy has are not listed where the other could not be read to its end")
	}
	return d, nil
}

// compareBases compares the checkpoint folders of both copies. A database that was given without its home says nothing of
// them: they are neither lost nor new.
func compareBases(a, b *evidence.Bundle, d *report.Diff) {
	for i, x := range []*evidence.Bundle{a, b} {
		other := []*evidence.Bundle{b, a}[i]
		if len(other.Checkpoints) > 0 && len(x.Checkpoints) == 0 && len(x.Homes) == 0 {
			d.Beside = append(d.Beside, "checkpoints are not compared: "+"AB"[i:i+1]+" is a database without its home")
			return
		}
	}
	d.Checkpoints = compare.Bases(a.Checkpoints, b.Checkpoints)
	for _, c := range d.Checkpoints {
		d.Notes = append(d.Notes, c.Unread...)
	}
}

// compareStores compares what both copies have under the same name, and what one of them has alone. A lone file is
// compared with a lone file, whatever they are called.
func compareStores(ctx context.Context, a, b *evidence.Bundle, d *report.Diff, m *meter) error {
	o := compare.Options{Progress: m.report}
	named := func(list []*evidence.Store, name string) *evidence.Store {
		i := slices.IndexFunc(list, func(s *evidence.Store) bool { return s.Name == name })
		if i < 0 {
			return nil
		}
		return list[i]
	}
	one := func(x, y *evidence.Store) error {
		for i, s := range []*evidence.Store{x, y} {
			if s != nil && s.Fault != nil {
				d.Notes = append(d.Notes, fmt.Sprintf("%s of %s could not be read, so that it is not compared: %v", s.Name, "AB"[i:i+1], s.Fault))
				return nil
			}
		}
		found, err := compare.Stores(ctx, x, y, o)
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		d.Stores = append(d.Stores, found)
		return nil
	}
	for _, x := range a.Stores {
		if err := one(x, named(b.Stores, x.Name)); err != nil {
			return err
		}
	}
	for _, y := range b.Stores {
		if named(a.Stores, y.Name) == nil {
			if err := one(nil, y); err != nil {
				return err
			}
		}
	}
	return nil
}
