//go:build unix && !linux

package write

import "golang.org/x/sys/unix"

// setLock asks for a lock of the process, which is all that POSIX has.
const setLock = unix.F_SETLK
