package write

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// block is how much is read at a time.
const block = 256 << 10

// Sum is what a file holds.
type Sum struct {
	SHA256 string // lower-case hex
	Bytes  int64
}

// Hash reads a file and gives its sum.
func Hash(ctx context.Context, files FS, path string) (Sum, error) {
	f, err := files.Open(path)
	if err != nil {
		return Sum{}, err
	}
	sum, err := pour(ctx, io.Discard, f)
	return sum, errors.Join(err, f.Close())
}

// Copy makes to, which must not exist, a copy of from, with the mode and, where the system lets it, the owner that as
// has (nil: mode 0600 and no owner), forces it to disk, and gives the sum of what was read. What was begun is removed
// on error. The name itself is durable only after FS.SyncDir.
func Copy(ctx context.Context, files FS, from, to string, as fs.FileInfo) (sum Sum, err error) {
	in, err := files.Open(from)
	if err != nil {
		return Sum{}, fmt.Errorf("open %q: %w", from, err)
	}
	defer func() { _ = in.Close() }() // opened for reading
	err = fill(files, to, as, func(out File) error {
		sum, err = pour(ctx, out, in)
		return err
	})
	return sum, err
}

// Put makes a new file of data, durably: under another name first, so that nobody ever sees a part of it, and never
// over a file that is there.
func Put(files FS, path string, data []byte) error {
	part := path + ".part"
	err := fill(files, part, nil, func(f File) error {
		return whole(f, data)
	})
	if err != nil {
		return err
	}
	if err := Publish(files, part, path); err != nil {
		return errors.Join(err, files.Remove(part))
	}
	return nil
}

// Replace puts data durably in the place of a file that may be there.
func Replace(files FS, path string, data []byte) error {
	part := path + ".part"
	err := fill(files, part, nil, func(f File) error {
		return whole(f, data)
	})
	if err != nil {
		return err
	}
	if err := files.Rename(part, path); err != nil {
		return errors.Join(fmt.Errorf("rename: %w", err), files.Remove(part))
	}
	return files.SyncDir(Dir(path))
}

// Publish gives a finished file its name, durably, and never over a file that is there. Where the file system has no
// links the name is looked at before it is taken.
func Publish(files FS, from, to string) error {
	err := files.Link(from, to)
	switch {
	case err == nil:
		if err := files.Remove(from); err != nil {
			return fmt.Errorf("remove second name: %w", err)
		}
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("name %q: %w", to, err)
	default:
		f, oerr := files.Open(to)
		if oerr == nil {
			return errors.Join(fmt.Errorf("name %q: %w", to, fs.ErrExist), f.Close())
		}
		if !errors.Is(oerr, fs.ErrNotExist) {
			return fmt.Errorf("name %q: %w", to, oerr)
		}
		if err := files.Rename(from, to); err != nil {
			return fmt.Errorf("rename: %w", err)
		}
	}
	if err := files.SyncDir(Dir(to)); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}

// fill makes a new file, lets write fill it, and forces it to disk; on error the file is removed.
func fill(files FS, path string, as fs.FileInfo, write func(f File) error) (err error) {
	out, err := files.Create(path, 0o600)
	if err != nil {
		return fmt.Errorf("create %q: %w", path, err)
	}
	err = write(out)
	if err == nil && as != nil {
		err = imitate(out, as)
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", path, err), files.Remove(path))
	}
	return nil
}

// imitate gives a file the owner and the mode of another. Only a privileged user can give a file away, and to the same
// owner it is not needed.
func imitate(f File, as fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	uid, gid, ok := owner(as)
	myUID, myGID, mine := owner(info)
	if ok && mine && (uid != myUID || gid != myGID) {
		if err := f.Chown(uid, gid); err != nil {
			return fmt.Errorf("give it the owner of the original: %w", err)
		}
	}
	return f.Chmod(as.Mode().Perm())
}

// whole writes all of data; a short write is an error even where the writer forgets to say so.
func whole(w io.Writer, data []byte) error {
	n, err := w.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	return err
}

// pour copies a file and sums it up on the way. A short write is an error.
func pour(ctx context.Context, out io.Writer, in io.Reader) (Sum, error) {
	h, buf := sha256.New(), make([]byte, block)
	var n int64
	for {
		if err := ctx.Err(); err != nil {
			return Sum{}, err
		}
		k, err := in.Read(buf)
		if k > 0 {
			_, _ = h.Write(buf[:k]) // documented never to fail
			if err := whole(out, buf[:k]); err != nil {
				return Sum{}, err
			}
			n += int64(k)
		}
		switch {
		case errors.Is(err, io.EOF):
			return Sum{hex.EncodeToString(h.Sum(nil)), n}, nil
		case err != nil:
			return Sum{}, err
		}
	}
}
