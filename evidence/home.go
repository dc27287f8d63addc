package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
)

// Home is a Hermes home folder, or a profile's folder, which is a second home. Read it only through its methods.
type Home struct {
	Dir     string // where the files lie; for an archive a private folder. Never shown to anyone
	Name    string // as the caller named it, with the profile below it
	Profile string // "default", or NAME of profiles/NAME

	root    *os.Root
	custody *custody
	bundle  *Bundle
	parent  *Home // the home in whose profiles folder this one lies; nil = none
	archive bool  // the files are private copies out of an archive, which custody watches instead
}

// Read gives the whole of one file of the home and puts it into custody. Only regular files are read; links are
// followed inside the home and never out of it; a pipe is refused, not waited for. A file that is not there is
// fs.ErrNotExist, one larger than limit bytes an error.
func (h *Home) Read(rel string, role Role, limit int64) ([]byte, error) {
	data, info, err := h.read(rel, limit)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path.Join(filepath.ToSlash(h.Name), rel), err)
	}
	sum := sha256.Sum256(data)
	if err := h.keep(rel, role, info, hex.EncodeToString(sum[:])); err != nil {
		return nil, fmt.Errorf("read %q: %w", path.Join(filepath.ToSlash(h.Name), rel), err)
	}
	return data, nil
}

func (h *Home) read(rel string, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := h.open(rel)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	if info.Size() > limit {
		return nil, nil, fmt.Errorf("%d bytes, more than the limit of %d", info.Size(), limit)
	}
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, min(limit, math.MaxInt64-1)+1)); err != nil {
		return nil, nil, bare(err)
	}
	if int64(buf.Len()) > limit {
		return nil, nil, fmt.Errorf("more than the limit of %d bytes", limit)
	}
	return buf.Bytes(), info, nil
}

// ReadDir lists a folder of the home by name; rel "." is the home itself. Links are not followed out of it.
func (h *Home) ReadDir(rel string) ([]fs.DirEntry, error) {
	info, err := h.root.Stat(filepath.FromSlash(rel))
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = fs.ReadDir(h.root.FS(), path.Clean(filepath.ToSlash(rel)))
	}
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", path.Join(filepath.ToSlash(h.Name), rel), bare(err))
	}
	return entries, nil
}

// bare strips the path from an error of package os: it names the private folder, or what lies behind a link.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Archived says that the home came out of an archive: its folder is a private one, and its path says nothing about
// where the home was.
func (h *Home) Archived() bool { return h.archive }
