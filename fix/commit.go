package fix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// free refuses an output whose name, or that of a sidecar of it, is taken.
func (j *job) free() error {
	for _, end := range sidecarNames() {
		if _, err := os.Lstat(j.o.Output + end); !errors.Is(err, fs.ErrNotExist) {
			return &RefusedError{Code: CodeExists, Path: j.o.Output + end, Reason: "it is there already, and no output overwrites a file", Next: "name another file", Err: err}
		}
	}
	return nil
}

// commit gives the database its new rows, verifies them and writes the receipt.
func (j *job) commit(ctx context.Context, lock *write.Lock) error {
	var watcher *write.Conn
	var err error
	switch {
	case j.inPlace():
		if err := j.clear(); err != nil {
			return refuse(CodeWrite, "remove the private copy", err)
		}
		watcher, err = j.transact(ctx)
	case j.o.Output != "":
		if err = write.Publish(j.files, j.work, j.out.Target); err == nil {
			j.work = ""
		} else if _, serr := os.Lstat(j.work); serr != nil { // the name was given, and only then something failed
			j.work = ""
			err = j.late("the new file may not be durable", err)
		} else {
			err = refuse(CodeExists, "give the result its name", err)
		}
	default:
		err = j.rename(lock)
	}
	if err != nil {
		return err
	}
	return j.settle(ctx, watcher)
}

// rename puts the private copy in the place of the database.
func (j *job) rename(lock *write.Lock) error {
	if err := j.unchanged(); err != nil {
		return err
	}
	if err := j.files.Rename(j.work, j.source); err != nil {
		return refuse(CodeWrite, "put the repaired copy in the place of the database", err)
	}
	j.work = ""
	lock.Release()
	if err := j.files.SyncDir(filepath.Dir(j.source)); err != nil {
		return j.late("its folder could not be forced to disk, so that a power cut may bring the old file back", err)
	}
	return nil
}

// transact does the steps in place. The connection that it gives keeps the -wal beside the file until the receipt is
// written.
func (j *job) transact(ctx context.Context) (*write.Conn, error) {
	if err := j.unchanged(); err != nil {
		return nil, err
	}
	c, err := write.Open(ctx, j.files, j.source, j.changes)
	if err != nil {
		return nil, refuse(CodeWrite, "open the database for writing", err)
	}
	watcher, err := c.Watch(ctx, j.source)
	if err == nil {
		err = j.fill(ctx, c, false)
	}
	if err == nil {
		if info, serr := os.Lstat(j.source); serr != nil || !os.SameFile(info, j.set[0].info) {
			err = errors.Join(&RefusedError{Code: CodeChanged, Path: j.source, Reason: "another file took its place"}, c.Rollback())
		}
	}
	if err != nil {
		return nil, refuse(CodeWrite, "change the database", errors.Join(err, c.Close(), watcher.Close(), j.tidy()))
	}
	if err := c.Commit(ctx); err != nil {
		return nil, j.doubt(errors.Join(err, c.Rollback(), c.Close(), watcher.Close(), j.tidy()))
	}
	if err := c.Close(); err != nil {
		return watcher, errors.Join(j.late("the connection could not be closed", err), watcher.Close())
	}
	return watcher, nil
}

// tidy removes the index of a -wal that our own connections made and nobody else uses. It holds no row.
func (j *job) tidy() error {
	had := slices.ContainsFunc(j.set, func(m member) bool { return m.end == "-shm" })
	if had || j.o.AllowLiveHolder {
		return nil
	}
	if err := j.files.Remove(j.source + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// doubt finds out what a failed commit came to: SQLite may say no although the rows are in the file.
func (j *job) doubt(cause error) error {
	// The caller's context may have ended, and this must be known all the same.
	ctx := context.Background()
	bundle, err := evidence.Open(ctx, []string{j.source}, evidence.Options{TempDir: j.tempDir, NoCheckpoints: true})
	if err != nil {
		return j.late("it cannot be read any more", errors.Join(cause, err))
	}
	rows, err := write.DigestOf(ctx, bundle.Stores[0].DB)
	if err = errors.Join(err, bundle.Close()); err != nil {
		return j.late("it cannot be read any more", errors.Join(cause, err))
	}
	if len(rows.Differs(j.rows)) == 0 {
		return refuse(CodeWrite, "commit", cause)
	}
	return j.late("SQLite could not say that it is durable", cause)
}

// settle verifies the result, writes the receipt, and makes one file of a database with a -wal.
func (j *job) settle(ctx context.Context, watcher *write.Conn) error {
	ctx = context.WithoutCancel(ctx) // what is in the file has to be verified and written down
	instead := ""
	if j.o.Output != "" {
		instead = j.out.Target
	}
	after, err := j.look(ctx, instead)
	if err != nil {
		return errors.Join(j.late("the result does not verify", err), watcher.Close())
	}
	j.out.After, j.out.Applied = after, len(j.changes)
	if err := j.writeReceipt(ctx, watcher == nil, write.Put); err != nil {
		return errors.Join(j.late("the receipt could not be written", err), watcher.Close())
	}
	if j.violations > 0 {
		j.out.Notes = append(j.out.Notes, fmt.Sprintf("%d rows name a row that is not there; they did so before", j.violations))
	}
	if watcher == nil {
		return nil
	}
	if err := j.oneFile(ctx, watcher); err != nil {
		return j.late("the -wal could not be made part of the file: keep both together", err)
	}
	if err := j.writeReceipt(ctx, j.out.Receipt.OneFile, write.Replace); err != nil {
		return j.late("the receipt could not be completed", err)
	}
	return nil
}

// oneFile moves the -wal into the main file and removes the sidecars. Where somebody else has the database open, both
// stay, and that is told.
func (j *job) oneFile(ctx context.Context, watcher *write.Conn) error {
	c, err := write.Open(ctx, j.files, j.source, nil)
	if err = errors.Join(err, watcher.Close()); err != nil {
		return errors.Join(err, c.Close())
	}
	if err := c.Checkpoint(ctx); err != nil && !j.o.AllowLiveHolder {
		return errors.Join(err, c.Close())
	}
	if err := c.Close(); err != nil {
		return err
	}
	j.out.Receipt.OneFile = true
	for _, end := range []string{"-wal", "-journal", "-shm"} {
		info, err := os.Lstat(j.source + end)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case j.o.AllowLiveHolder || info.Size() > 0 && end != "-shm":
			j.out.Receipt.OneFile = false
			j.out.Notes = append(j.out.Notes, "the file keeps its "+end+": put both back together")
		default:
			if err := j.files.Remove(j.source + end); err != nil {
				return err
			}
		}
	}
	if err := j.files.Sync(j.source); err != nil {
		return err
	}
	return j.files.SyncDir(filepath.Dir(j.source))
}

// late makes the error for what goes wrong after the commit.
func (j *job) late(reason string, err error) error {
	late := &UnverifiedError{Reason: fmt.Sprintf("%s: %s", reason, oneLine(err)), Journal: j.journal, Backup: j.path, Err: err}
	if errors.As(err, new(*RefusedError)) {
		late.Err = nil // or it would look like a change that was not made
	}
	return late
}
