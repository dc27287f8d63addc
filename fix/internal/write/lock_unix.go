//go:build unix

package write

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// The bytes that SQLite locks in a main file: PENDING, RESERVED and SHARED (SQLite's os.h). A connection in WAL mode
// holds a shared lock on them for as long as it is open.
const (
	lockStart = 0x40000000
	lockBytes = 512
)

// Lock keeps every SQLite connection of other processes out of a file.
type Lock struct{ f *os.File }

// Take locks a main file exclusively, without waiting. held is true where a connection of somebody is open or busy.
func Take(path string) (l *Lock, held bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|openFlags, 0)
	if err != nil {
		return nil, false, err
	}
	region := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: lockStart, Len: lockBytes}
	err = unix.FcntlFlock(f.Fd(), setLock, &region)
	if err == nil {
		return &Lock{f}, false, nil
	}
	_ = f.Close() // nothing was written
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, true, nil
	}
	return nil, false, err
}

// Release ends the lock. On a nil Lock it does nothing.
func (l *Lock) Release() {
	if l != nil {
		_ = l.f.Close() // nothing was written
	}
}
