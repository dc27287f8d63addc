package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func (c *console) checkpointsWhyCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "why",
		Usage:     "why one file can or cannot come back, in the order in which to look",
		ArgsUsage: "PATH FILE",
		Flags:     []cli.Flag{projectFlag()},
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			y := &report.Why{Tool: tool()}
			read, err := c.withProject(cc, func(p *evidence.CheckpointProject, r *evidence.ObjectReader, set contents.Settings) error {
				if name, inside := contents.CleanPath(cc.Args().Get(1), p.Workdir); inside && name == "" {
					return usageError{what: fmt.Sprintf("%q is the working directory itself", cc.Args().Get(1)), try: "a file in it, or hermes-doctor checkpoints show"}
				}
				loose, err := looseCommits(cc.Context, p.Store)
				if err != nil {
					return err
				}
				y.Project = p
				y.Answer, err = contents.Why(cc.Context, r, contents.Question{Project: p, File: cc.Args().Get(1), Loose: loose, Settings: set})
				if err == nil {
					y.Next = nextForFile(cc.Args().First(), p, y.Answer)
				}
				return err
			})
			if err != nil {
				return err
			}
			y.Inputs = read.inputs
			return c.deliverChecked(cc, to, read, false, rendered(y, report.RenderWhy))
		},
	}, 2, 2)
}

// looseCommits are the commits of a store that no chain leads to.
func looseCommits(ctx context.Context, s *evidence.CheckpointStore) ([]evidence.CommitInfo, error) {
	census, err := s.Census(ctx, evidence.CensusOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the trees: %w", err)
	}
	found, err := s.Unreachable(ctx, census)
	if err != nil {
		return nil, fmt.Errorf("look for commits that no list shows: %w", err)
	}
	return found.Commits, nil
}

// nextForFile spells the commands that bring the newest whole content of a file.
func nextForFile(path string, p *evidence.CheckpointProject, a *contents.Answer) []string {
	for _, list := range [][]contents.Sighting{a.Chain, a.Loose} {
		for _, s := range list {
			if s.Place.State != contents.Recorded {
				continue
			}
			which := s.Commit.ID.String()
			if s.Number > 0 && s.Number < 1000 {
				which = strconv.Itoa(s.Number)
			}
			command := fmt.Sprintf("hermes-doctor checkpoints %%s %s --project %s --checkpoint %s", scan.ShellQuote(path), scan.ShellQuote(p.ID), which)
			out := []string{fmt.Sprintf(command, "extract") + " --output NEW -- " + scan.ShellQuote(a.File)}
			if s.Number > 0 {
				out = append(out, fmt.Sprintf(command, "simulate")+" --selection "+scan.ShellQuote(":(literal)"+a.File))
			}
			return out
		}
	}
	return nil
}
