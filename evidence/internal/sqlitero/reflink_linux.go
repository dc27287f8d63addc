package sqlitero

import (
	"os"

	"golang.org/x/sys/unix"
)

// reflink lets dst share the blocks of src; false where the file system cannot.
func reflink(dst, src *os.File) bool {
	return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil
}
