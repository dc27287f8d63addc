//go:build !linux

package fix

import (
	"os"
	"runtime"
	"syscall"
)

// usersOf cannot list the files of other processes here; SQLite's locks, which are tested first, show every connection
// that is open in WAL mode or at work.
func usersOf(string) ([]int, error) { return nil, nil }

// ancestors is asked only about processes that usersOf lists.
func ancestors() []int { return nil }

// usesFolder says whether a process may have a file below a folder open: any that runs.
func usesFolder(pid int, _ string) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" {
		return true
	}
	return p.Signal(syscall.Signal(0)) == nil
}
