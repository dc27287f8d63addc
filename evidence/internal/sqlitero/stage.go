package sqlitero

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// copyStep is how much is copied between two looks at the context.
const copyStep = 64 << 20

// Copy makes dst, which must not exist, a private copy of src: a reflink where the file system can, else the
// kernel's own copy. progress, which may be nil, is told the bytes done. What was begun is removed on error.
func Copy(ctx context.Context, dst string, src *os.File, size int64, progress func(done int64)) (err error) {
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make private copy: %w", err)
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			_ = os.Remove(dst) // the first error is the one to tell
			err = fmt.Errorf("make private copy: %w", err)
		}
	}()
	if reflink(out, src) {
		return nil
	}
	for done := int64(0); done < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.Copy(out, io.LimitReader(src, min(copyStep, size-done)))
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrUnexpectedEOF // it shrank since it was listed
		}
		done += n
		if progress != nil {
			progress(done)
		}
	}
	return nil
}

// NoSpaceError says that a folder has no room for what is to be put there.
type NoSpaceError struct {
	Dir        string
	Need, Free int64 // bytes
}

// Error names the folder and both amounts.
func (e *NoSpaceError) Error() string {
	return fmt.Sprintf("%q has %d MiB free and a private copy needs %d MiB", e.Dir, e.Free>>20, e.Need>>20+1)
}

// Room returns a *NoSpaceError when dir has less than need bytes free; where that cannot be told, nil.
func Room(dir string, need int64) error {
	if free := freeBytes(dir); free < need && free != math.MaxInt64 {
		return &NoSpaceError{Dir: dir, Need: need, Free: free}
	}
	return nil
}
