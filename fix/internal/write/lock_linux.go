package write

import "golang.org/x/sys/unix"

// setLock asks for a lock of the open file rather than of the process: closing another descriptor of the same file does
// not drop it, and it keeps a second repair in this process out too.
const setLock = unix.F_OFD_SETLK
