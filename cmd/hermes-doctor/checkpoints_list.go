package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func (c *console) checkpointsListCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "list",
		Usage:     "every project with its checkpoints, also those that no list of the product shows, and why",
		ArgsUsage: "PATH",
		Action: func(cc *cli.Context) error {
			return c.inventory(cc, func(b *evidence.Bundle, _ *meter, v *report.Inventory) error {
				return readBases(cc.Context, b.Checkpoints, v)
			})
		},
	}, 1, 1, report.HTML)
}

func (c *console) checkpointsShowCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "show",
		Usage:     "each checkpoint of a project, or of all, or what one checkpoint holds",
		ArgsUsage: "PATH",
		Flags: []cli.Flag{
			projectFlag(),
			&cli.StringFlag{Name: "checkpoint", Usage: "list the files of this one: `N` (1 = newest, as /rollback counts) or the beginning of its id"},
		},
		Action: func(cc *cli.Context) error {
			return c.inventory(cc, func(b *evidence.Bundle, _ *meter, v *report.Inventory) error {
				v.Detail = true
				if !cc.IsSet("project") && !cc.IsSet("checkpoint") {
					return readBases(cc.Context, b.Checkpoints, v)
				}
				p, err := pickProject(b.Checkpoints, cc.String("project"))
				if err != nil {
					return err
				}
				if err := readBases(cc.Context, []*evidence.CheckpointBase{p.Store.Base}, v); err != nil {
					return err
				}
				v.Project = auditOf(v.Bases, p)
				if !cc.IsSet("checkpoint") {
					return nil
				}
				return showCheckpoint(cc, p, v)
			})
		},
	}, 1, 1, report.HTML)
}

// auditOf finds what was found out about a project.
func auditOf(bases []*checkpoints.Base, p *evidence.CheckpointProject) *checkpoints.Project {
	for _, b := range bases {
		for _, s := range b.Stores {
			for _, one := range s.Projects {
				if one.Source == p {
					return one
				}
			}
		}
	}
	return nil
}

// showCheckpoint narrows an inventory to one checkpoint and lists its files.
func showCheckpoint(cc *cli.Context, p *evidence.CheckpointProject, v *report.Inventory) (err error) {
	r := p.Store.Reader()
	defer func() { err = errors.Join(err, r.Close()) }()
	point, err := pickCheckpoint(r, p, cc.String("checkpoint"))
	if err != nil {
		return err
	}
	if point.number == 0 {
		return usageError{
			what: fmt.Sprintf("%s is no checkpoint of project %s", point.commit.ID, p.ID), try: "hermes-doctor checkpoints extract, which takes any commit and tree of the store",
		}
	}
	v.Number = point.number
	err = r.Walk(cc.Context, point.tree, evidence.WalkOptions{}, func(path []byte, e evidence.TreeEntry, fault error) error {
		if fault == nil && e.Mode.Canonical() != evidence.ModeTree {
			v.Entries = append(v.Entries, contents.Entry{Path: string(path), Mode: e.Mode.Canonical(), ID: e.ID})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list checkpoint %d: %w", point.number, err)
	}
	return nil
}

// inventory reads what a list needs and writes it.
func (c *console) inventory(cc *cli.Context, read func(*evidence.Bundle, *meter, *report.Inventory) error) error {
	to, err := pages(cc)
	if err != nil {
		return err
	}
	v, found, err := c.readInventory(cc, read)
	if err != nil {
		return err
	}
	return c.deliverChecked(cc, to, found, false, rendered(v, report.RenderInventory))
}

func (c *console) readInventory(cc *cli.Context, read func(*evidence.Bundle, *meter, *report.Inventory) error) (*report.Inventory, storesRead, error) {
	v := &report.Inventory{Tool: tool(), Sizes: map[*evidence.CheckpointStore]*contents.Sizes{}}
	found, err := c.withStores(cc, cc.Args().First(), func(b *evidence.Bundle, m *meter) error {
		if err := read(b, m, v); err != nil {
			return err
		}
		v.Settings = map[*evidence.CheckpointBase]contents.Settings{}
		for _, base := range v.Bases {
			v.Settings[base.Source] = settingsOf(b, base.Source)
		}
		return nil
	})
	v.Inputs, v.Changed = found.inputs, found.changed
	return v, found, err
}

// readBases audits bases without their objects, and weighs their stores.
func readBases(ctx context.Context, bases []*evidence.CheckpointBase, v *report.Inventory) error {
	for _, b := range bases {
		read, err := checkpoints.Read(ctx, b, checkpoints.Options{})
		if err != nil {
			return err
		}
		v.Bases = append(v.Bases, read)
	}
	return weigh(ctx, v)
}

func weigh(ctx context.Context, v *report.Inventory) error {
	for _, b := range v.Bases {
		for _, s := range b.Stores {
			sizes, err := contents.Weigh(ctx, s.Source)
			if err != nil {
				return fmt.Errorf("weigh %s/%s: %w", b.Source.Name, s.Source.Name, err)
			}
			v.Sizes[s.Source] = sizes
		}
	}
	return nil
}

func (c *console) checkpointsAuditCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "audit",
		Usage:     "the list, with what the checks of the store find, what is damaged, and what can still be extracted",
		ArgsUsage: "PATH",
		Flags: append([]cli.Flag{
			failOnFlag(),
			&cli.BoolFlag{Name: "deep", Usage: "also read every file's content whole", DisableDefaultText: true},
		}, knownFlags()...),
		Action: func(cc *cli.Context) error {
			to, err := pages(cc)
			if err != nil {
				return err
			}
			least, err := failOn(cc)
			if err != nil {
				return err
			}
			known, err := knownBefore(cc)
			if err != nil {
				return err
			}
			v, found, err := c.readInventory(cc, func(b *evidence.Bundle, m *meter, v *report.Inventory) error {
				return c.audit(cc, b, m, v)
			})
			if err != nil {
				return err
			}
			x := examination{result: v.Audit}
			v.Known = x.judge(known)
			if err := c.deliverChecked(cc, to, found, false, rendered(v, report.RenderInventory)); err != nil {
				return err
			}
			if v.Known != nil {
				for _, text := range v.Known.Notes {
					c.note(cc, "%s", text)
				}
			}
			return x.exit(least, v.Known)
		},
	}, 1, 1, report.HTML)
}

// audit runs the checks of checkpoint stores and keeps what they were given.
func (c *console) audit(cc *cli.Context, b *evidence.Bundle, m *meter, v *report.Inventory) (err error) {
	var list []*scan.Check
	for _, check := range checks.All() {
		if check.Needs&scan.NeedStore == 0 {
			continue
		}
		if len(list) == 0 { // the first of them is given every base, as all are
			first, run := *check, check.Run
			first.Run = func(ctx context.Context, p *scan.Pass) error {
				v.Bases = append(v.Bases, p.Base)
				return run(ctx, p)
			}
			check = &first
		}
		list = append(list, check)
	}
	// What lies beside the checkpoints is another command's business, and whether it can be read too.
	databases := b.Stores
	b.Stores = nil
	defer func() { b.Stores = databases }()
	if v.Audit, err = scan.Run(cc.Context, b, list, scan.Options{Deep: cc.Bool("deep"), Target: target([]string{cc.Args().First()}), Progress: m.report}); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return weigh(cc.Context, v)
}
