package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

func (c *console) checkpointsSimulateCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "simulate",
		Usage:     "what /rollback would do with a checkpoint, without doing it",
		ArgsUsage: "PATH",
		Flags: []cli.Flag{
			projectFlag(),
			&cli.StringFlag{Name: "checkpoint", Usage: "`N` (1 = newest, as /rollback counts) or the beginning of an id", DefaultText: "1"},
			&cli.StringFlag{Name: "selection", Usage: "the path or pattern after the number, a git pathspec `TEXT`", DefaultText: "everything"},
			&cli.StringFlag{Name: "workdir", Usage: "the working directory as it is today, `DIR`; it is read only"},
			&cli.StringFlag{Name: "platform", Usage: "the rollback's `SYSTEM`: posix or windows", DefaultText: "by the recorded path"},
			&cli.StringFlag{Name: "backend", Usage: "terminal.backend `NAME` of the session, such as docker"},
			&cli.BoolFlag{Name: "all", Usage: "as /rollback --all: do not keep what a user edited", DisableDefaultText: true},
		},
		Action: func(cc *cli.Context) error {
			to, err := destinations(cc)
			if err != nil {
				return err
			}
			var s *report.Simulation
			read, err := c.withStores(cc, cc.Args().First(), func(b *evidence.Bundle, _ *meter) (err error) {
				p, err := pickProject(b.Checkpoints, cc.String("project"))
				if err != nil {
					return err
				}
				r := p.Store.Reader() // of what a rollback reaches, which is less than the store holds
				defer func() { err = errors.Join(err, r.Close()) }()
				s, err = c.simulateProject(cc, r, p, settingsOf(b, p.Store.Base))
				return err
			})
			if err != nil {
				return err
			}
			s.Inputs = read.inputs
			return c.deliverChecked(cc, to, read, false, rendered(s, report.RenderSimulation))
		},
	}, 1, 1)
}

func (c *console) simulateProject(cc *cli.Context, r *evidence.ObjectReader, p *evidence.CheckpointProject, set contents.Settings) (*report.Simulation, error) {
	point, err := pickCheckpoint(r, p, cc.String("checkpoint"))
	if err != nil {
		return nil, err
	}
	request := rollback.Request{
		Selection: cc.String("selection"), Backend: cc.String("backend"), Work: p.Workdir, All: cc.Bool("all"),
	}
	if request.Platform, err = platform(cc.String("platform"), p.Workdir); err != nil {
		return nil, err
	}
	request.Ledger = agentLedger(p, request.Platform)
	if dir := cc.String("workdir"); dir != "" {
		if request.Today, err = c.today(cc, workdirQuestion{dir: dir, reader: r, tree: point.tree, project: p, ledger: request.Ledger, settings: set}); err != nil {
			return nil, err
		}
	}
	outcome, err := rollback.Simulate(cc.Context, storeObjects{r}, point.tree.String(), request)
	if err != nil {
		return nil, fmt.Errorf("simulate the rollback: %w", err)
	}
	if point.number == 0 {
		outcome.Assumes = append(outcome.Assumes, "the id is typed as it is: no list of this project shows the checkpoint")
	} else if p.ChainErr != nil && p.ChainErr.Fault != evidence.ObjectLimit {
		outcome.Assumes = append(outcome.Assumes, "the checkpoint is named by its id: an older one is missing, and the product then lists none")
	}
	s := &report.Simulation{
		Tool: tool(), Base: p.Store.Base.Name, Project: p.ID, Workdir: p.Workdir, Checkpoint: point.commit.ID.String(), Number: point.number,
		At: math.NaN(), Reason: subject(point.commit.Message), Request: request, Outcome: outcome,
	}
	if point.commit.Author.Valid {
		s.At = float64(point.commit.Author.When)
	}
	return s, nil
}

// subject is the first paragraph of a message on one line, as git's %s gives it.
func subject(message []byte) string {
	var lines []string
	for line := range strings.Lines(strings.TrimLeft(string(message), "\n")) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) == "" {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

// platform reads --platform; the default follows the recorded path, which on Windows begins with a drive or a share.
func platform(name, workdir string) (rollback.Platform, error) {
	switch p := rollback.Platform(name); {
	case p == rollback.POSIX || p == rollback.Windows:
		return p, nil
	case name != "":
		return "", usageError{what: fmt.Sprintf("unknown --platform %q", name), try: "--platform posix or windows"}
	case strings.HasPrefix(workdir, `\\`) || len(workdir) > 2 && workdir[1] == ':' && strings.Contains(`\/`, workdir[2:3]):
		return rollback.Windows, nil
	}
	return rollback.POSIX, nil
}

// storeObjects gives a store's objects to a simulation.
type storeObjects struct{ r *evidence.ObjectReader }

func (o storeObjects) Tree(_ context.Context, id string) ([]rollback.Entry, error) {
	key, err := evidence.ParseObjectID(id)
	if err != nil {
		return nil, err
	}
	entries, err := o.r.Tree(key)
	if err != nil {
		return nil, missing(err)
	}
	out := make([]rollback.Entry, len(entries))
	for i, e := range entries {
		out[i] = rollback.Entry{Name: string(e.Name), Mode: rollback.Mode(e.Mode.Canonical()), ID: e.ID.String()}
	}
	return out, nil
}

func (o storeObjects) Blob(_ context.Context, id string) error {
	key, err := evidence.ParseObjectID(id)
	if err != nil {
		return err
	}
	_, err = o.r.Blob(key, io.Discard)
	return missing(err)
}

// missing marks damage as what it means for a rollback. What only this program cannot read stays an error.
func missing(err error) error {
	switch evidence.ObjectFaultOf(err) {
	case evidence.ObjectMissing, evidence.ObjectEmpty, evidence.ObjectCorrupt, evidence.ObjectMismatch, evidence.ObjectWrongKind:
		return fmt.Errorf("%w: %w", rollback.ErrMissing, err)
	}
	return err
}
