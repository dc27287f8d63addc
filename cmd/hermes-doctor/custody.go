package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// custodyFlags are the flags of the commands that may leave a custody record.
func custodyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "custody", Usage: "write who examined what, when and with which build to the new `FILE`, for hermes-doctor verify; never redacted"},
		&cli.StringFlag{Name: "examiner", Usage: "`NAME` of the person who examines, for --custody", DefaultText: "the user of this machine"},
	}
}

// custodian makes a custody record; nil without --custody.
type custodian struct {
	path   string
	record evidence.Record
}

// newCustodian begins the record. A name that is taken is refused before the work.
func (c *console) newCustodian(cc *cli.Context) (*custodian, error) {
	path := cc.String("custody")
	if path == "" {
		if cc.String("examiner") != "" {
			return nil, usageError{what: "--examiner without --custody", try: "--custody FILE"}
		}
		return nil, nil
	}
	if err := free(path); err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current folder: %w", reason(err))
	}
	t := tool()
	return &custodian{path: path, record: evidence.Record{
		Tool:     evidence.RecordTool{Name: t.Name, Version: t.Version, SQLite: t.SQLite, FTS5: t.FTS5},
		Examiner: c.examiner(cc), Command: c.args, Folder: folder, Began: wallTime(),
	}}, nil
}

// examiner is --examiner, else the user of this machine.
func (c *console) examiner(cc *cli.Context) string {
	if name := cc.String("examiner"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return c.env["USER"]
}

func wallTime() string { return time.Now().UTC().Format(time.RFC3339) }

// finish writes the record of an examination whose documents are written. A nil custodian does nothing.
func (k *custodian) finish(c *console, cc *cli.Context, x examination, to []destination) error {
	if k == nil {
		return nil
	}
	r := &k.record
	r.Take(x.inputs)
	r.Changed, r.Still = x.result.Changed, x.result.Unchanged
	r.Result = &evidence.RecordResult{Verdict: string(x.result.Verdict.Word), Findings: len(x.result.Findings), Digest: x.result.Digest}
	for _, d := range to {
		if d.path == "" {
			continue
		}
		if err := r.Wrote(cc.Context, "report", d.path); err != nil {
			return err
		}
	}
	r.Ended = wallTime()
	if err := writeRecord(k.path, r); err != nil {
		return err
	}
	c.note(cc, "wrote %s", k.path)
	return nil
}

// finishMany writes one record of all copies of a list, in the order of the list. It has no verdict: each line has one.
func (k *custodian) finishMany(c *console, cc *cli.Context, looked map[int]examination, to destination) error {
	r := &k.record
	r.Still = true
	for _, n := range slices.Sorted(maps.Keys(looked)) {
		x := looked[n]
		r.Take(x.inputs)
		r.Changed = append(r.Changed, x.result.Changed...)
		r.Still = r.Still && x.result.Unchanged
	}
	if to.path != "" {
		if err := r.Wrote(cc.Context, "report", to.path); err != nil {
			return err
		}
	}
	r.Ended = wallTime()
	if err := writeRecord(k.path, r); err != nil {
		return err
	}
	c.note(cc, "wrote %s", k.path)
	return nil
}

// writeRecord writes a record into a new file, which is not left behind half.
func writeRecord(path string, r *evidence.Record) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	f, err := openNew(path)
	if err != nil {
		return err
	}
	_, werr := f.Write(text)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", path, reason(err)), os.Remove(path))
	}
	return nil
}
