//go:build unix

package write

import (
	"io/fs"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from waiting for a pipe's other end and from following a link.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC

// freeBytes is what an ordinary user may still write below dir; MaxInt64 where the system does not say.
func freeBytes(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return math.MaxInt64
	}
	blocks, size := uint64(st.Bavail), uint64(st.Bsize)
	if size != 0 && blocks > math.MaxInt64/size {
		return math.MaxInt64
	}
	return int64(blocks * size)
}

// ID tells files apart: by device and inode, and by how many names the file has.
type ID struct{ Device, Inode, Links uint64 }

// Identify gives a file's identity; ok is false where the system has none.
func Identify(info fs.FileInfo) (id ID, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, false
	}
	return ID{uint64(st.Dev), uint64(st.Ino), uint64(st.Nlink)}, true
}

// owner gives the user and group of a file.
func owner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}
