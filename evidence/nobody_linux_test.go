package evidence_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// asNobody makes file modes count for the rest of the test although it may run as root: only the thread of this
// test opens files as another user.
func asNobody(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	const nobody = 65534
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Setfsuid(0) })
}
