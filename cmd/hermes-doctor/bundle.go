package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/fix/bundle"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

func (c *console) bundleCommand() *cli.Command {
	return c.command(&cli.Command{
		Name:      "bundle",
		Usage:     "write a zip that a stranger may see: the same rows and relations, with pseudonyms and without any text",
		ArgsUsage: "PATH",
		Description: "The --output is a new .zip with a database that a scan judges as it judges the original, the report of that scan, a\n" +
			"custody record and a manifest. Nothing is written where a word of the original would be in it.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "shift-times", Usage: "move every time by the same number of days, which only the owner can find out", DisableDefaultText: true},
			&cli.StringFlag{Name: "examiner", Usage: "`NAME` in the custody record; without it the record names nobody"},
		}, readFlags()...),
		Action: c.bundle,
	}, 1, 1)
}

// bundling is one run of bundle.
type bundling struct {
	*console
	cc     *cli.Context
	output string
	dir    string // the private folder of what will be in the zip
	key    pseudonym.Key
	shift  int64 // seconds that times are moved by; 0 = they are kept
	made   *bundle.Made
	source examination
	doc    report.Bundle
	began  string
}

// skeleton is the folder in the zip that a scan is for; an archive is looked through for one leading folder.
const skeleton = "skeleton"

func (c *console) bundle(cc *cli.Context) (err error) {
	outputs := cc.StringSlice("output")
	if len(outputs) != 1 || !strings.EqualFold(filepath.Ext(outputs[0]), ".zip") {
		return usageError{what: "bundle needs one --output that ends in .zip", try: "hermes-doctor bundle PATH --output bundle.zip"}
	}
	to, err := destinationsOf(cc, nil)
	if err != nil {
		return err
	}
	if err := free(outputs[0]); err != nil {
		return err
	}
	b := &bundling{console: c, cc: cc, output: outputs[0]}
	b.began = b.clock()
	if b.dir, err = os.MkdirTemp(c.env["TMPDIR"], "hermes-doctor-"); err != nil {
		return fmt.Errorf("make a private folder: %w", reason(err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.make(cc.Context); err != nil {
		return err
	}
	if err := c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
		return report.RenderBundle(w, &b.doc, format, o)
	}); err != nil {
		return err
	}
	if len(b.doc.Differences) > 0 || !b.source.result.Unchanged {
		return exitStatus(exitIncomplete)
	}
	return nil
}

// clock is the time for the custody record. With --now it is that, so that two bundles of one file are the same bytes.
func (b *bundling) clock() string {
	if b.cc.IsSet("now") {
		return time.Unix(int64(b.cc.Float64("now")), 0).UTC().Format(time.RFC3339)
	}
	return wallTime()
}

// make writes everything into the private folder, looks through it, and only then makes the zip.
func (b *bundling) make(ctx context.Context) error {
	o, err := b.scanOptions(b.cc)
	if err != nil {
		return err
	}
	path := b.cc.Args().First()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return usageError{what: fmt.Sprintf("open %q: no such file or folder", path), try: "check the name; the store is state.db in the Hermes home, usually ~/.hermes"}
	}
	if b.key, err = evidence.Secret(ctx, "pseudonyms", []string{path}); err != nil {
		return err
	}
	again, err := b.try(ctx, path, o, 1)
	if err != nil {
		return err
	}
	if onwards := len(b.doc.Differences); b.shift != 0 && onwards > 0 {
		again, err = b.try(ctx, path, o, -1)
		if err == nil && len(b.doc.Differences) >= onwards {
			again, err = b.try(ctx, path, o, 1)
		}
		if err != nil {
			return err
		}
	}
	if err := b.documents(again); err != nil {
		return err
	}
	return b.seal(ctx)
}

// try makes the skeleton, examines it and compares. Times are moved onwards or, with -1, back: rules that know a date, as
// that of the first session keys, keep their verdict about rows behind it where times go onwards, and about rows before it
// where they go back.
func (b *bundling) try(ctx context.Context, path string, o scan.Options, sign int64) (again examination, err error) {
	if b.cc.Bool("shift-times") { // by one to eleven years of days, by the key
		b.shift = sign * 86400 * int64(365+binary.BigEndian.Uint32(b.key[:4])%3650)
	}
	if err := os.RemoveAll(filepath.Join(b.dir, skeleton)); err != nil {
		return again, fmt.Errorf("remove a skeleton: %w", reason(err))
	}
	if err := b.skeleton(ctx, path, o); err != nil {
		return again, err
	}
	o.Now, o.Target = b.source.result.Now+float64(b.shift), skeleton
	if o.HomePath != "" {
		o.HomePath = b.made.Pseudonym(o.HomePath)
	}
	if again, err = b.examineSkeleton(ctx, o); err != nil {
		return again, err
	}
	b.doc = report.Bundle{Tool: tool(), Output: b.output, Left: b.made.Left, Differences: b.made.Compare(b.source.result, again.result)}
	for i, d := range b.doc.Differences {
		b.doc.Differences[i] = b.made.Pseudonym(d)
	}
	return again, nil
}

// skeleton examines the source and makes the skeleton while it is open.
func (b *bundling) skeleton(ctx context.Context, path string, o scan.Options) (err error) {
	m, err := b.newMeter(b.cc.String("progress"), b.cc.Bool("quiet"))
	if err != nil {
		return err
	}
	defer m.clear()
	source, err := evidence.Open(ctx, []string{path}, evidence.Options{TempDir: b.env["TMPDIR"], Progress: m.report, Damaged: true})
	if err != nil {
		return fmt.Errorf("open %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, closeBundle(source)) }()
	if err := allFaulty(source); err != nil {
		return fmt.Errorf("open %q: %w", path, err)
	}
	// As boundMemory: the old and the new id of every object, the words of texts, and what a scan needs.
	limit := 64<<20 + 240*storedObjects(source)
	for _, s := range source.Stores {
		limit += 400 * int64(s.DB.RowHint(ctx, "sessions"))
	}
	debug.SetMemoryLimit(limit)
	o.Progress = m.report
	if b.source.result, err = scan.Run(ctx, source, checks.All(), o); err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	dir := filepath.Join(b.dir, skeleton)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make a private folder: %w", reason(err))
	}
	b.made, err = bundle.Skeleton(ctx, source, dir, bundle.Options{Key: b.key, Shift: b.shift})
	if errors.Is(err, bundle.ErrNothing) {
		return usageError{what: fmt.Sprintf("%q holds no single database to bundle", path), try: "a state.db, a checkpoints folder or one Hermes home"}
	}
	if err != nil {
		return err
	}
	b.source.inputs, err = source.Inputs(ctx)
	return err
}

// examineSkeleton scans the skeleton as anybody will who gets the zip.
func (b *bundling) examineSkeleton(ctx context.Context, o scan.Options) (x examination, err error) {
	again, err := evidence.Open(ctx, []string{b.made.Path}, evidence.Options{TempDir: b.env["TMPDIR"]})
	if err != nil {
		return x, fmt.Errorf("open the skeleton: %w", err)
	}
	defer func() { err = errors.Join(err, closeBundle(again)) }()
	if x.result, err = scan.Run(ctx, again, checks.All(), o); err != nil {
		return x, fmt.Errorf("scan the skeleton: %w", err)
	}
	if x.inputs, err = again.Inputs(ctx); err != nil {
		return x, err
	}
	for i := range x.inputs { // a private folder is nobody's
		rel, err := filepath.Rel(b.dir, x.inputs[i].Path)
		if err != nil {
			return x, err
		}
		x.inputs[i].Path = filepath.ToSlash(rel)
	}
	return x, nil
}

// documents writes the report of the skeleton, what the original's report says beyond it, and the custody record.
func (b *bundling) documents(again examination) error {
	redactor := report.NewRedactor(b.key, b.source.inputs, b.source.result)
	list := []struct {
		name   string
		format report.Format
		x      examination
		by     *report.Redactor
	}{{"report.json", report.JSON, again, nil}, {"report.md", report.Markdown, again, nil}} // of pseudonyms alone
	if b.shift == 0 { // its times are the real ones
		list = append(list, list[0])
		list[2].name, list[2].x, list[2].by = "original.json", b.source, redactor
	}
	for _, d := range list {
		err := b.put(d.name, func(w io.Writer) error {
			rw := report.Redacting(&nowhere{w, []byte(b.dir + string(filepath.Separator))}, d.by)
			return errors.Join(report.Render(rw, report.New(tool(), d.x.inputs, d.x.result), d.format, report.Options{All: true}), report.Finish(rw))
		})
		if err != nil {
			return err
		}
	}
	return b.put("custody.json", func(w io.Writer) error {
		t := tool()
		r := evidence.Record{
			Tool: evidence.RecordTool{Name: t.Name, Version: t.Version, SQLite: t.SQLite, FTS5: t.FTS5}, Examiner: b.cc.String("examiner"),
			Command: []string{"bundle"}, Began: b.began, Ended: b.clock(), Still: b.source.result.Unchanged,
			Result: &evidence.RecordResult{Verdict: string(b.source.result.Verdict.Word), Findings: len(b.source.result.Findings), Digest: b.source.result.Digest},
		}
		r.Take(b.source.inputs)
		for i := range r.Inputs {
			r.Inputs[i].Path = redactor.Name(r.Inputs[i].Path)
			if b.shift != 0 {
				r.Inputs[i].Modified = nil
			}
		}
		for _, path := range b.source.result.Changed {
			r.Changed = append(r.Changed, redactor.Name(path))
		}
		text, err := r.Text()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
}

// nowhere takes the private folder out of what is written: the files that lie in it are those of the bundle.
type nowhere struct {
	to     io.Writer
	folder []byte
}

func (n *nowhere) Write(p []byte) (int, error) {
	if _, err := n.to.Write(bytes.ReplaceAll(p, n.folder, nil)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// put writes one file beside the skeleton.
func (b *bundling) put(name string, fill func(w io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(b.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %s of the bundle: %w", name, reason(err))
	}
	w := bufio.NewWriter(f)
	err = errors.Join(fill(w), w.Flush(), f.Close())
	if err == nil { // the same bundle has the same bytes
		err = os.Chtimes(f.Name(), bundle.Still, bundle.Still)
	}
	if err != nil {
		return fmt.Errorf("write %s of the bundle: %w", name, err)
	}
	return nil
}

// seal looks through all files, adds the manifest and makes the zip, which is nowhere until it is whole.
func (b *bundling) seal(ctx context.Context) error {
	own := report.NewRedactor(b.key, b.source.inputs, nil)
	checked, err := b.made.Check(ctx, b.dir, own.Writes)
	var leak *bundle.LeakError
	if errors.As(err, &leak) {
		return &fix.RefusedError{Code: "leak", Reason: fmt.Sprintf("and there is no %q: %v", b.output, leak),
			Next: "report this with the output of hermes-doctor version; share a report with --redact meanwhile"}
	}
	if err != nil {
		return err
	}
	b.doc.Files, b.doc.Words, b.doc.Kept, b.doc.Whole = checked.Files, checked.Words, checked.Kept, checked.Whole
	manifest := b.doc
	manifest.Output = ""
	if err := b.put("manifest.json", func(w io.Writer) error {
		return report.RenderBundle(w, &manifest, report.JSON, report.Options{})
	}); err != nil {
		return err
	}
	part := b.output + ".part"
	f, err := openNew(part)
	if err != nil {
		return err
	}
	if err := errors.Join(bundle.Pack(ctx, b.dir, f), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	// A link fails where the name was taken meanwhile, and then nothing is lost.
	if err := os.Link(part, b.output); err != nil {
		return errors.Join(usageError{what: fmt.Sprintf("output %q: %v", b.output, reason(err)), try: "another name"}, os.Remove(part))
	}
	if err := os.Remove(part); err != nil {
		return fmt.Errorf("remove %q: %w", part, reason(err))
	}
	return nil
}
