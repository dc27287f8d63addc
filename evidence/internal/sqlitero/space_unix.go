//go:build unix

package sqlitero

import (
	"math"

	"golang.org/x/sys/unix"
)

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
