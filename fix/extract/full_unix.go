//go:build unix

package extract

import (
	"errors"
	"syscall"
)

// full says that the error is about the whole target and not about one name: no other name will fare better.
func full(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
