//go:build unix

package gitro

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Folder is an open directory. Everything below it is reached by one name at a time, and never through a link. It may
// be used by several goroutines at once, but not while it is closed.
type Folder struct {
	fd int
}

// OpenFolder opens a directory; its last element must not be a link.
func OpenFolder(path string) (*Folder, error) {
	return openAt(unix.AT_FDCWD, path)
}

func openAt(fd int, name string) (*Folder, error) {
	var sub int
	err := again(func() (err error) {
		sub, err = unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Folder{fd: sub}, nil
}

// again repeats a call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Close lets go of the directory.
func (f *Folder) Close() error { return unix.Close(f.fd) }

// Sub opens a folder in the folder.
func (f *Folder) Sub(name string) (*Folder, error) {
	if !single(name) {
		return nil, fs.ErrInvalid
	}
	return openAt(f.fd, name)
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
	var fd int
	err = again(func() (err error) {
		fd, err = unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, st, err
	}
	file := os.NewFile(uintptr(fd), name)
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		_ = file.Close() // opened for reading
		return nil, st, bare(err)
	}
	return file, statOf(info), nil
}

// ReadInto reads a file that a listing or Stat called regular into buf, as far as it fits, and says whether all did. It
// costs three system calls: a store may have a hundred thousand such files.
func (f *Folder) ReadInto(name string, buf []byte) (n int, whole bool, err error) {
	var fd int
	err = again(func() (err error) {
		fd, err = unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = unix.Close(fd) }() // opened for reading
	// A regular file gives less than asked for at its end only.
	err = again(func() (err error) { n, err = unix.Read(fd, buf); return err })
	return max(n, 0), n < len(buf), err
}

// Stat looks at an entry, at a link itself and not at its target.
func (f *Folder) Stat(name string) (Stat, error) {
	if !single(name) {
		return Stat{}, fs.ErrInvalid
	}
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Stat{}, err
	}
	return Stat{Size: st.Size, Modified: time.Unix(st.Mtim.Unix()), Mode: fileMode(uint32(st.Mode))}, nil
}

// fileMode translates st_mode.
func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	}
	for _, bit := range []struct {
		unix uint32
		mode fs.FileMode
	}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}} {
		if m&bit.unix != 0 {
			mode |= bit.mode
		}
	}
	return mode
}

// List gives the entries by name, at most limit; more are an error.
func (f *Folder) List(limit int) ([]DirEntry, error) {
	d, err := openAt(f.fd, ".")
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(d.fd), ".")
	defer func() { _ = file.Close() }() // opened for reading
	return list(file, limit)
}

// single says whether name is one element of a path.
func single(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

func sortEntries(entries []DirEntry) []DirEntry {
	slices.SortFunc(entries, func(a, b DirEntry) int { return strings.Compare(a.Name, b.Name) })
	return entries
}
