package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func (c *console) checkpointsDiffCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "diff",
		Usage:     "which files differ between two checkpoints, or between one and a folder",
		ArgsUsage: "PATH",
		Flags: []cli.Flag{
			projectFlag(),
			&cli.StringSliceFlag{Name: "checkpoint", Usage: "`N` (1 = newest) or the beginning of an id; twice, from and to, or once with --workdir"},
			&cli.StringFlag{Name: "workdir", Usage: "the working directory as it is today, `DIR`; it is read only"},
		},
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			names, dir := cc.StringSlice("checkpoint"), cc.String("workdir")
			switch {
			case dir == "" && len(names) != 2:
				return usageError{what: "checkpoints diff needs two checkpoints, or one and a folder", try: "--checkpoint 2 --checkpoint 1, or --checkpoint 1 --workdir DIR"}
			case dir != "" && len(names) > 1:
				return usageError{what: "checkpoints diff takes one checkpoint beside --workdir", try: "--checkpoint 1 --workdir DIR"}
			case len(names) == 0:
				names = []string{"1"}
			}
			t := &report.TreeDiff{Tool: tool(), Folder: dir}
			read, err := c.withProject(cc, func(p *evidence.CheckpointProject, r *evidence.ObjectReader, _ contents.Settings) error {
				return c.diff(cc, p, r, names, t)
			})
			if err != nil {
				return err
			}
			t.Inputs = read.inputs
			partly := len(t.Found.Unread)+len(t.Found.Unlike) > 0
			return c.deliverChecked(cc, to, read, partly, rendered(t, report.RenderTreeDiff))
		},
	}, 1, 1)
}

// diff fills in a document. names are the checkpoints, one where the folder is the other side.
func (c *console) diff(cc *cli.Context, p *evidence.CheckpointProject, r *evidence.ObjectReader, names []string, t *report.TreeDiff) error {
	from, err := pickCheckpoint(r, p, names[0])
	if err != nil {
		return err
	}
	t.From = pointOf(p, from)
	if t.Folder != "" {
		today, err := c.today(cc, workdirQuestion{dir: t.Folder, reader: r, tree: from.tree, project: p})
		if err != nil {
			return err
		}
		if t.Found, err = contents.DiffFolder(cc.Context, p.Store, r, from.tree, today); err != nil {
			return fmt.Errorf("compare with %q: %w", t.Folder, err)
		}
		return nil
	}
	to, err := pickCheckpoint(r, p, names[1])
	if err != nil {
		return err
	}
	point := pointOf(p, to)
	t.To = &point
	found, err := contents.Diff(cc.Context, r, from.tree, to.tree)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	t.Found = &contents.FolderDifference{Difference: *found}
	return nil
}
