package fix_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

func TestReadOnlyFolder(t *testing.T) {
	path := build(t, schema(), incident())
	p := plan(t, look(t, path), fix.Options{})
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	k, err := backup(t, path, fix.BackupOptions{Dir: open0777(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) })
	if err := os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	asNobody(t)
	if err := refusedBy(t, path, k, p, applyOptions(), fix.CodeWrite); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
}

// asNobody makes file modes count for the rest of the test although it may run as root: only the thread of this test
// writes as another user.
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

// open0777 is a folder in which everybody may write.
func open0777(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}
