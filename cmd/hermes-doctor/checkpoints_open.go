package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// storesRead says what was read of checkpoint stores.
type storesRead struct {
	inputs  []evidence.Input // the stores, or the archive that they lie in
	changed []string         // inputs that did not stand still meanwhile
}

// withStores opens the path, lets use read its checkpoint stores, and closes it again.
func (c *console) withStores(cc *cli.Context, path string, use func(b *evidence.Bundle, m *meter) error) (read storesRead, err error) {
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return read, err
	}
	defer m.clear()
	c.say(cc, m, "opening %q", path)
	bundle, err := evidence.Open(cc.Context, []string{path}, evidence.Options{TempDir: c.env["TMPDIR"], Progress: m.report, Damaged: true})
	if err != nil {
		return read, fmt.Errorf("open %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, closeBundle(bundle)) }()
	if len(bundle.Checkpoints) == 0 {
		return read, usageError{what: fmt.Sprintf("%q: no checkpoint store is there", path), try: "the folder checkpoints/ of a Hermes home, or the home"}
	}
	boundStoreMemory(bundle)
	if err := use(bundle, m); err != nil {
		return read, err
	}
	inputs, err := bundle.Inputs(cc.Context)
	if err != nil {
		return read, fmt.Errorf("hash the inputs: %w", err)
	}
	for _, in := range inputs {
		if in.Role == evidence.RoleCheckpoints || in.Role == evidence.RoleArchive {
			read.inputs = append(read.inputs, in)
		}
	}
	if read.changed, err = bundle.Recheck(cc.Context); err != nil {
		return read, fmt.Errorf("look at the inputs again: %w", err)
	}
	return read, nil
}

// boundStoreMemory is boundMemory for the objects of checkpoint stores.
func boundStoreMemory(b *evidence.Bundle) {
	debug.SetMemoryLimit(24<<20 + 64*storedObjects(b))
}

// withProject is withStores for the project that --project names. The reader sees all that the store holds, also what no
// git sees.
func (c *console) withProject(cc *cli.Context, use func(p *evidence.CheckpointProject, r *evidence.ObjectReader, set contents.Settings) error) (storesRead, error) {
	return c.withStores(cc, cc.Args().First(), func(b *evidence.Bundle, _ *meter) (err error) {
		p, err := pickProject(b.Checkpoints, cc.String("project"))
		if err != nil {
			return err
		}
		r := p.Store.WholeReader()
		defer func() { err = errors.Join(err, r.Close()) }()
		return use(p, r, settingsOf(b, p.Store.Base))
	})
}

// settingsOf is what the home of a base says about its checkpoints.
func settingsOf(b *evidence.Bundle, base *evidence.CheckpointBase) contents.Settings {
	l := scan.LimitsOf(b, base)
	return contents.Settings{Known: l.Known, Enabled: l.Enabled, Snapshots: l.MaxSnapshots, MaxFile: l.MaxFile}
}

// deliverChecked writes the document and gives the exit code of a command that read checkpoints.
func (c *console) deliverChecked(cc *cli.Context, to []destination, read storesRead, partly bool, render renderer) error {
	o, err := c.redacted(cc, reportOptions(cc), read.inputs, nil)
	if err != nil {
		return err
	}
	if err := c.deliver(cc, to, o, render); err != nil {
		return err
	}
	if len(read.changed) > 0 {
		c.note(cc, "changed while it was read: %s", strings.Join(read.changed, ", "))
	}
	if partly || len(read.changed) > 0 {
		return exitStatus(exitIncomplete)
	}
	return nil
}

// pointOf describes a checkpoint for a document.
func pointOf(p *evidence.CheckpointProject, at checkpoint) report.Point {
	out := report.Point{
		Base: p.Store.Base.Name, Project: p.ID, Workdir: p.Workdir, ID: at.commit.ID.String(), Number: at.number,
		At: math.NaN(), Reason: checkpoints.Subject(at.commit.Message),
	}
	if at.commit.Author.Valid {
		out.At = float64(at.commit.Author.When)
	}
	return out
}

// rendered fits a document and its writer into deliver.
func rendered[T any](document *T, render func(io.Writer, *T, report.Format, report.Options) error) renderer {
	return func(w io.Writer, format report.Format, o report.Options) error { return render(w, document, format, o) }
}

// checkpointFlag names one checkpoint of a project.
func checkpointFlag() cli.Flag {
	return &cli.StringFlag{Name: "checkpoint", Usage: "`N` (1 = newest, as /rollback counts) or the beginning of an id", DefaultText: "1"}
}
