package write

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is what a repair asks of the file system. All paths are absolute or relative to the working folder, as os has it.
type FS interface {
	// Open opens a regular file for reading, without following a link in its last element.
	Open(path string) (File, error)
	// Create makes a new file for writing; one that is there is fs.ErrExist.
	Create(path string, mode fs.FileMode) (File, error)
	// Rename puts a file in the place of another.
	Rename(from, to string) error
	// Link gives a file a second name; one that is there is fs.ErrExist.
	Link(from, to string) error
	Remove(path string) error
	// Sync makes the content of a file durable.
	Sync(path string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(dir string) error
	// Room gives the bytes that may still be written below a folder, math.MaxInt64 where that is not known.
	Room(dir string) int64
	// Step is told of each act that SQLite does to files itself, before it. An error stops the repair there.
	Step(name string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
	Close() error
}

// OS is the operating system's files.
type OS struct{}

// Open implements FS.
func (OS) Open(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close() // opened for reading
		if err == nil {
			err = errors.New("not a regular file")
		}
		return nil, err
	}
	return f, nil
}

// Create implements FS.
func (OS) Create(path string, mode fs.FileMode) (File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Link implements FS.
func (OS) Link(from, to string) error { return os.Link(from, to) }

// Remove implements FS.
func (OS) Remove(path string) error { return os.Remove(path) }

// Sync implements FS.
func (OS) Sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|openFlags, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncDir implements FS.
func (OS) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Room implements FS.
func (OS) Room(dir string) int64 { return freeBytes(dir) }

// Step implements FS.
func (OS) Step(string) error { return nil }

// Dir is the folder that a path's name lies in.
func Dir(path string) string { return filepath.Dir(path) }
