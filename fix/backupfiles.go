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

// make copies the files and proves the copy.
func (b *Backup) make(ctx context.Context, dir string) (err error) {
	if dir == "" {
		dir = filepath.Dir(b.source)
	}
	if err := b.room(dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.discard())
		}
	}()
	if err := b.copy(ctx, dir); err != nil {
		return err
	}
	for i, m := range b.set {
		sum, err := write.Hash(ctx, b.files, b.made[i])
		if err != nil {
			return fmt.Errorf("read back %q: %w", b.made[i], err)
		}
		if sum != m.sum {
			return fmt.Errorf("%q reads back otherwise than it was written: do not trust this disk", b.made[i])
		}
	}
	return b.prove(ctx)
}

// room looks at the free space for the backup, and for the copy that the repair works on.
func (b *Backup) room(dir string) error {
	var all, work int64
	for _, m := range b.set {
		all += m.sum.Bytes
		if m.end != "-shm" {
			work += m.sum.Bytes
		}
	}
	const slack = 4 << 20 // journal, receipt, and what a changed page or two need
	for _, need := range []struct {
		dir   string
		bytes int64
	}{{dir, all + work + slack}, {filepath.Dir(b.source), work + slack}} {
		if free := b.files.Room(need.dir); free < need.bytes {
			return &RefusedError{Code: CodeSpace, Path: need.dir, Reason: fmt.Sprintf("%d MiB are free and %d MiB are needed", free>>20, need.bytes>>20+1),
				Next: "free some space, or name a folder on a larger disk with --backup-dir"}
		}
	}
	return nil
}

// copy makes the files of the backup, whose names nothing has yet.
func (b *Backup) copy(ctx context.Context, dir string) error {
	b.progress("back up", 0, 0)
	stem := filepath.Join(dir, filepath.Base(b.source)+".doctor-"+b.startAt.Format("20060102T150405Z"))
	for n := 1; ; n++ {
		b.stem = stem
		if n > 1 {
			b.stem = fmt.Sprintf("%s-%d", stem, n)
		}
		b.path = b.stem + ".bak"
		err := b.untaken()
		if err == nil {
			err = b.copyAll(ctx)
		}
		if !errors.Is(err, fs.ErrExist) || n == 99 || len(b.made) > 0 {
			if err == nil {
				err = b.files.SyncDir(dir)
			}
			return err
		}
	}
}

// untaken gives fs.ErrExist where a journal or a receipt has the name already.
func (b *Backup) untaken() error {
	for _, end := range []string{journalEnd, receiptEnd} {
		if _, err := os.Lstat(b.stem + end); err == nil {
			return fmt.Errorf("%q: %w", b.stem+end, fs.ErrExist)
		}
	}
	return nil
}

// copyAll copies each file and compares it with what was scanned.
func (b *Backup) copyAll(ctx context.Context) error {
	for _, m := range b.set {
		to := b.path + m.end
		sum, err := write.Copy(ctx, b.files, m.path, to, nil)
		if err != nil {
			return err
		}
		b.made = append(b.made, to)
		if sum != m.sum {
			return &RefusedError{Code: CodeChanged, Path: m.path, Reason: "it changed since it was scanned", Next: "stop whatever uses it, and scan again"}
		}
	}
	return nil
}

// prove opens the copy and compares its rows with those of the source.
func (b *Backup) prove(ctx context.Context) (err error) {
	b.progress("check the backup", 0, 0)
	copied, err := evidence.Open(ctx, []string{b.path}, evidence.Options{TempDir: b.tempDir, NoCheckpoints: true})
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	if err := sound(ctx, copied.Stores[0].DB, b.path); err != nil {
		return err
	}
	rows, err := write.DigestOf(ctx, copied.Stores[0].DB)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	if diff := rows.Differs(b.rows); len(diff) > 0 {
		return fmt.Errorf("the rows of the backup are not those of the source, in %q", diff)
	}
	return nil
}

// Discard removes the backup's files, for a caller whose repair was refused. It refuses once the journal names them.
func (b *Backup) Discard() error {
	if b == nil || b.self != b || b.named {
		return errors.New("discard backup: a journal names it, or there is none")
	}
	return b.discard()
}

// discard removes what was made, and keeps in mind what could not be removed.
func (b *Backup) discard() error {
	var errs []error
	b.made = slices.DeleteFunc(b.made, func(path string) bool {
		err := b.files.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		errs = append(errs, err)
		return err == nil
	})
	return errors.Join(errs...)
}
