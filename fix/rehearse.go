package fix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// rehearse does the steps on a private copy in the folder of the result, and scans it as if it lay in the place of the
// database.
func (j *job) rehearse(ctx context.Context) error {
	j.progress("work on a private copy", 0, 0)
	if err := j.copyWork(ctx); err != nil {
		return err
	}
	c, err := write.Open(ctx, j.files, j.work, j.changes)
	if err != nil {
		return refuse(CodeStep, "open the private copy", err)
	}
	if err := j.fill(ctx, c, true); err != nil {
		return errors.Join(err, c.Close())
	}
	err = c.Commit(ctx)
	if err == nil {
		err = c.Checkpoint(ctx)
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return refuse(CodeWrite, "change the private copy", err)
	}
	for _, end := range sidecarNames()[1:] {
		if info, err := os.Lstat(j.work + end); err == nil && info.Size() > 0 && end != "-shm" {
			return &RefusedError{Code: CodeWrite, Path: j.work + end, Reason: "SQLite left it behind"}
		} else if err == nil {
			if err := j.files.Remove(j.work + end); err != nil {
				return refuse(CodeWrite, "remove what SQLite left behind", err)
			}
		}
	}
	if err := j.files.Sync(j.work); err != nil {
		return refuse(CodeWrite, "force the private copy to disk", err)
	}
	_, err = j.look(ctx, j.work)
	return err
}

// copyWork copies the database with the sidecars that hold rows, and proves that it is still what was backed up.
func (j *job) copyWork(ctx context.Context) error {
	name := "." + filepath.Base(j.stem) + ".work"
	j.work = filepath.Join(filepath.Dir(j.out.Target), name)
	if _, err := os.Lstat(j.work); err == nil {
		j.work = ""
		return &RefusedError{Code: CodeExists, Path: name, Reason: "a private copy of that name is there already"}
	}
	for _, m := range j.set {
		if m.end == "-shm" {
			continue
		}
		sum, err := write.Copy(ctx, j.files, m.path, j.work+m.end, m.info)
		if err != nil {
			return refuse(CodeWrite, "make a private copy", err)
		}
		if sum != m.sum {
			return &RefusedError{Code: CodeChanged, Path: m.path, Reason: "it changed since it was backed up", Next: "stop whatever uses it, and scan again"}
		}
	}
	return nil
}

// look reads a repaired file as a stranger would: its rows must be those that the transaction saw, and a scan of it, in
// the place of the database, must keep what the plan promised. instead is "" for the database itself.
func (j *job) look(ctx context.Context, instead string) (_ *scan.Result, err error) {
	j.progress("verify", 0, 0)
	bundle, err := evidence.Open(ctx, j.paths, evidence.Options{TempDir: j.tempDir, Instead: instead, NoCheckpoints: true})
	if err != nil {
		return nil, refuse(CodeWrite, "open the result", err)
	}
	defer func() { err = errors.Join(err, bundle.Close()) }()
	rows, err := write.DigestOf(ctx, bundle.Stores[0].DB)
	if err != nil {
		return nil, refuse(CodeWrite, "read the result", err)
	}
	if diff := rows.Differs(j.result); len(diff) > 0 {
		return nil, &RefusedError{Code: CodeDiffers, Path: j.out.Target, Reason: fmt.Sprintf("the result reads otherwise than the transaction saw it, in %q", diff)}
	}
	if err := sound(ctx, bundle.Stores[0].DB, j.out.Target); err != nil {
		return nil, err
	}
	o := j.o.Scan
	o.Now, o.Plan = j.clock, false
	result, err := scan.Run(ctx, bundle, j.o.Checks, o)
	if err != nil {
		return nil, refuse(CodeResume, "scan the result", err)
	}
	if result.Partial || !result.Unchanged {
		return nil, &RefusedError{Code: CodeResume, Path: j.out.Target, Reason: "a scan of the result did not see everything, or the file changed meanwhile"}
	}
	if j.expect != nil {
		err = j.expect(result)
	}
	return result, err
}
