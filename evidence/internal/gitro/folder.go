package gitro

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Stat is what a listing remembers of a file.
type Stat struct {
	Size     int64
	Modified time.Time
	Mode     fs.FileMode
}

// Entry of a folder; Mode holds the type only.
type DirEntry struct {
	Name string
	Mode fs.FileMode
}

// errNotRegular is the answer to reading a link, a pipe, a device or a folder as a file.
var errNotRegular = errors.New("not a regular file")

// ReadFile gives the whole of a regular file of at most limit bytes, and what its stat was. A missing file is
// fs.ErrNotExist.
func (f *Folder) ReadFile(name string, limit int64) ([]byte, Stat, error) {
	if data, st, ok := f.readSmall(name, limit); ok {
		return data, st, nil
	}
	file, st, err := f.Open(name)
	if err != nil {
		return nil, st, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	if st.Size > limit {
		return nil, st, fmt.Errorf("%d bytes, more than the limit of %d", st.Size, limit)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, st, bare(err)
	}
	if int64(len(data)) > limit {
		return nil, st, fmt.Errorf("more than the limit of %d bytes", limit)
	}
	return data, st, nil
}

// smallFile is what most files of a store are below: the json files and refs of its projects, one of each a project.
const smallFile = 8 << 10

// readSmall reads a small regular file in as few system calls as can be. It is false where anything is out of the
// ordinary, which Open then tells.
func (f *Folder) readSmall(name string, limit int64) ([]byte, Stat, bool) {
	st, err := f.Stat(name)
	if err != nil || !st.Mode.IsRegular() || st.Size > min(limit, smallFile) {
		return nil, st, false
	}
	buf := make([]byte, st.Size+1)
	n, whole, err := f.ReadInto(name, buf)
	return buf[:n:n], st, err == nil && whole
}

// bare strips the path from an error of package os.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// missing says that the file system has no such entry.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func statOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), Modified: info.ModTime(), Mode: info.Mode()}
}

// list reads the names of an open folder, sorted; at most limit.
func list(d *os.File, limit int) ([]DirEntry, error) {
	entries, err := d.ReadDir(limit + 1)
	if err != nil && err != io.EOF {
		return nil, bare(err)
	}
	if len(entries) > limit {
		return nil, fmt.Errorf("more than %d entries", limit)
	}
	out := make([]DirEntry, len(entries))
	for i, e := range entries {
		out[i] = DirEntry{Name: e.Name(), Mode: e.Type()}
	}
	return sortEntries(out), nil
}
