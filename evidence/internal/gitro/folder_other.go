//go:build !unix

package gitro

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Folder is a directory. Everything below it is reached by one name at a time, and never through a link. It may be
// used by several goroutines at once.
type Folder struct {
	path string
}

// OpenFolder opens a directory; its last element must not be a link.
func OpenFolder(path string) (*Folder, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, bare(err)
	}
	if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	return &Folder{path: path}, nil
}

// Close lets go of the directory.
func (f *Folder) Close() error { return nil }

// Sub opens a folder in the folder.
func (f *Folder) Sub(name string) (*Folder, error) {
	if !single(name) {
		return nil, fs.ErrInvalid
	}
	return OpenFolder(filepath.Join(f.path, name))
}

// Open opens a regular file for reading. What is something else is not opened.
func (f *Folder) Open(name string) (*os.File, Stat, error) {
	st, err := f.Stat(name)
	if err != nil {
		return nil, st, err
	}
	if !st.Mode.IsRegular() {
		return nil, st, errNotRegular
	}
	file, err := os.Open(filepath.Join(f.path, name))
	if err != nil {
		return nil, st, bare(err)
	}
	return file, st, nil
}

// ReadInto reads a regular file into buf, as far as it fits, and says whether all did.
func (f *Folder) ReadInto(name string, buf []byte) (n int, whole bool, err error) {
	file, _, err := f.Open(name)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	n, err = io.ReadFull(file, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return n, true, nil
	}
	return n, false, err
}

// Stat looks at an entry, at a link itself and not at its target.
func (f *Folder) Stat(name string) (Stat, error) {
	if !single(name) {
		return Stat{}, fs.ErrInvalid
	}
	info, err := os.Lstat(filepath.Join(f.path, name))
	if err != nil {
		return Stat{}, bare(err)
	}
	return statOf(info), nil
}

// List gives the entries by name, at most limit; more are an error.
func (f *Folder) List(limit int) ([]DirEntry, error) {
	d, err := os.Open(f.path)
	if err != nil {
		return nil, bare(err)
	}
	defer func() { _ = d.Close() }() // opened for reading
	return list(d, limit)
}

// single says whether name is one element of a path.
func single(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\:\x00")
}

func sortEntries(entries []DirEntry) []DirEntry {
	slices.SortFunc(entries, func(a, b DirEntry) int { return strings.Compare(a.Name, b.Name) })
	return entries
}
