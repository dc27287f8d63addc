package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// examination is what one run over the given paths found out; its sources are closed.
type examination struct {
	inputs []evidence.Input
	result *scan.Result
	faulty error // why no given database can be read; nil where one can
}

// examine opens the paths, runs the checks and closes the sources again, so that no private copy outlives it. The
// result is narrowed to what --chat and --session name.
func (c *console) examine(cc *cli.Context, paths []string, o scan.Options) (x examination, err error) {
	m, err := c.newMeter(cc.String("progress"), cc.Bool("quiet"))
	if err != nil {
		return x, err
	}
	defer m.clear()
	c.say(cc, m, "opening %q", paths)
	o.Progress = m.report
	x, err = c.look(cc.Context, paths, o, evidence.Options{Progress: m.report, NoCheckpoints: cc.Command.Name == "resume"}, boundMemory)
	if err != nil {
		return x, err
	}
	// What cannot be read is a finding of a scan and an unreadable input to everything else.
	if x.faulty != nil && (cc.Command.Name != "scan" || len(x.result.Findings) == 0) {
		return x, x.faulty
	}
	return x, x.narrow(cc.String("chat"), cc.String("session"))
}

// look is examine for whoever has read the flags already. bound is told the opened bundle before the scan; nil = nobody.
func (c *console) look(ctx context.Context, paths []string, o scan.Options, open evidence.Options, bound func(context.Context, *evidence.Bundle)) (x examination, err error) {
	open.TempDir, open.Damaged = c.env["TMPDIR"], true
	bundle, err := evidence.Open(ctx, paths, open)
	if err != nil {
		return x, fmt.Errorf("open %q: %w", paths, err)
	}
	defer func() { err = errors.Join(err, closeBundle(bundle)) }()
	if err := allFaulty(bundle); err != nil {
		x.faulty = fmt.Errorf("open %q: %w", paths, err)
	}
	if o.Target == "" {
		o.Target = target(paths)
	}
	if bound != nil {
		bound(ctx, bundle)
	}
	if x.result, err = scan.Run(ctx, bundle, checks.All(), o); err != nil {
		return x, fmt.Errorf("scan: %w", err)
	}
	if x.inputs, err = bundle.Inputs(ctx); err != nil {
		return x, fmt.Errorf("hash the inputs: %w", err)
	}
	return x, nil
}

// allFaulty is the reason why no given database can be read. One broken database among others is told in the report.
func allFaulty(b *evidence.Bundle) error {
	for _, s := range b.Stores {
		if s.Fault == nil {
			return nil
		}
	}
	if len(b.Stores) == 0 {
		return nil
	}
	return b.Stores[0].Fault
}

// boundMemory tells the collector how much a scan of these inputs should need, so that garbage is taken away and
// given back before the process grows beyond it. It is a wish: a scan that needs more takes more.
func boundMemory(ctx context.Context, b *evidence.Bundle) {
	limit := int64(14 << 20)
	if objects := storedObjects(b); objects > 0 {
		limit += 15<<20 + min(64*objects, 24<<20)
	}
	for _, s := range b.Stores {
		limit += 250 * int64(s.DB.RowHint(ctx, "sessions"))
	}
	for _, h := range b.Homes { // what logs say of sessions is kept until the database has been read
		limit += min(h.LogBytes()/8, 64<<20)
	}
	debug.SetMemoryLimit(limit)
}

// storedObjects counts the objects of all checkpoint stores.
func storedObjects(b *evidence.Bundle) (n int64) {
	for _, base := range b.Checkpoints {
		for _, s := range base.Stores {
			n += int64(s.Objects())
		}
	}
	return n
}

// target spells the paths as the next commands of a report name them.
func target(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = scan.ShellQuote(p)
	}
	return strings.Join(quoted, " ")
}

func closeBundle(b *evidence.Bundle) error {
	if err := b.Close(); err != nil {
		return fmt.Errorf("remove private copies: %w", err)
	}
	return nil
}

// say is for --verbose: what is being done, on stderr.
func (c *console) say(cc *cli.Context, m *meter, format string, args ...any) {
	if cc.Bool("verbose") {
		m.clear()
		c.note(cc, format, args...)
	}
}

// exit is the exit code of a scan: incomplete wins over findings, because "nothing else found" was not established.
// Findings that are known do not count.
func (x examination) exit(least int, known *report.Judged) error {
	failed := slices.ContainsFunc(x.result.Checks, func(s scan.CheckStatus) bool { return s.Status == scan.Failed })
	if failed || x.result.Partial || !x.result.Unchanged {
		return exitStatus(exitIncomplete)
	}
	if slices.ContainsFunc(x.result.Findings, func(f scan.Finding) bool { return f.Severity.Rank() >= least && known.Counts(&f) }) {
		return exitStatus(exitFindings)
	}
	return nil
}

// tool says which build this is, in every report.
func tool() report.Tool {
	sqlite, fts5 := evidence.SQLiteVersion()
	return report.Tool{Name: "hermes-doctor", Version: version, SQLite: sqlite, FTS5: fts5}
}
