package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/extract"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

func (c *console) checkpointsExtractCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "extract",
		Usage:     "files of a checkpoint, or all, into the new folder or .tar that --output names; the manifest goes to stdout",
		ArgsUsage: "PATH [-- FILE…]",
		Flags:     []cli.Flag{projectFlag(), checkpointFlag()},
		Action: func(cc *cli.Context) error {
			outputs := cc.StringSlice("output")
			if len(outputs) != 1 || outputs[0] == "-" {
				return usageError{what: "checkpoints extract needs one --output", try: "--output NEWFOLDER, or --output NEW.tar"}
			}
			to, err := destinationsOf(cc, nil)
			if err != nil {
				return err
			}
			if err := extractable(outputs[0]); err != nil {
				return err
			}
			var e *report.Extraction
			read, err := c.withProject(cc, func(p *evidence.CheckpointProject, r *evidence.ObjectReader, _ contents.Settings) error {
				e, err = extractFrom(cc, r, p, outputs[0])
				return err
			})
			if err != nil {
				return err
			}
			e.Inputs = read.inputs
			return c.deliverChecked(cc, to, read, len(e.Outcome.Failed) > 0, rendered(e, report.RenderExtraction))
		},
	}, 1, -1)
}

// extractable refuses a name that is taken, and one that asks for an archive of another kind.
func extractable(output string) error {
	for _, ending := range []string{".gz", ".tgz", ".zip", ".bz2", ".xz", ".zst", ".7z"} {
		if strings.HasSuffix(strings.ToLower(output), ending) {
			return usageError{what: fmt.Sprintf("output %q: no archive of this kind is made", output), try: "a name that ends in .tar, or that of a new folder"}
		}
	}
	return free(output)
}

func extractFrom(cc *cli.Context, r *evidence.ObjectReader, p *evidence.CheckpointProject, output string) (*report.Extraction, error) {
	point, err := pickCheckpoint(r, p, cc.String("checkpoint"))
	if err != nil {
		return nil, err
	}
	e := &report.Extraction{Tool: tool(), Point: pointOf(p, point), Output: output, Archive: strings.HasSuffix(strings.ToLower(output), ".tar")}
	o := contents.PlanOptions{System: contents.POSIX}
	if !e.Archive {
		o.System = system()
	}
	for _, name := range cc.Args().Tail() {
		clean, ok := contents.CleanPath(name, p.Workdir)
		if !ok {
			return nil, usageError{what: fmt.Sprintf("%q is not below the project's working directory", name), try: "a path as the checkpoint has it: hermes-doctor checkpoints show"}
		}
		o.Files = append(o.Files, clean)
	}
	if e.Plan, err = contents.NewPlan(cc.Context, r, point.tree, o); err != nil {
		return nil, fmt.Errorf("plan the extraction: %w", err)
	}
	if n := len(o.Files); n > 0 && len(e.Plan.Items) == 0 && e.Plan.Missing == len(slices.Compact(slices.Sorted(slices.Values(o.Files)))) {
		return nil, usageError{what: fmt.Sprintf("%q: %s", e.Plan.Failed[0].Path, e.Plan.Failed[0].Why), try: "hermes-doctor checkpoints why, which says where a file is and where it is not"}
	}
	if e.Archive {
		stamp := extract.Stamp{Modified: time.Unix(max(point.commit.Committer.When, 0), 0)}
		if !point.commit.Tree.IsZero() {
			stamp.Commit = point.commit.ID
		}
		e.Outcome, err = extract.Tar(cc.Context, r, e.Plan, output, stamp)
	} else {
		e.Outcome, err = extract.Folder(cc.Context, r, e.Plan, output)
	}
	for _, mendable := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrPermission} {
		if errors.Is(err, mendable) {
			return nil, usageError{what: fmt.Sprintf("output %q: %v", output, reason(err)), try: "a name in a folder that exists and may be written to"}
		}
	}
	return e, err
}

// system says which names the file systems of this machine hold.
func system() contents.System {
	switch runtime.GOOS {
	case "windows":
		return contents.Windows
	case "darwin", "ios":
		return contents.Darwin
	}
	return contents.POSIX
}
