//go:build unix

package evidence

import "syscall"

// openFlags keep an open from waiting for a pipe's other end and from following a link.
const (
	openFlags = noFollow | syscall.O_NONBLOCK | syscall.O_CLOEXEC
	noFollow  = syscall.O_NOFOLLOW
)
