//go:build unix

package fix_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// layer compiles the library that stands between SQLite and the system.
func layer(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("a C compiler and LD_PRELOAD are needed")
	}
	lib := filepath.Join(t.TempDir(), "faults.so")
	if out, err := exec.CommandContext(t.Context(), cc, "-shared", "-fPIC", "-O1", "-o", lib, filepath.Join("testdata", "faults.c")).CombinedOutput(); err != nil {
		t.Skipf("compile: %v\n%s", err, out)
	}
	return lib
}

// TestSQLiteKilled does to SQLite's own writes what TestKilled and TestFaults do to ours: a child is killed at each of
// them, in the middle of a write too, and each fails once.
func TestSQLiteKilled(t *testing.T) {
	lib := layer(t)
	var mu sync.Mutex
	killed := map[string]int{}
	t.Run("points", func(t *testing.T) {
		for _, a := range arenas(t) {
			for n, op := range a.calls(t, lib) {
				if testing.Short() && n%5 != 0 {
					continue
				}
				ways := []string{"kill", "EIO"}
				if op == "write" {
					ways = []string{"kill", "half", "ENOSPC", "EIO"}
				}
				for _, how := range ways {
					t.Run(fmt.Sprintf("%s %d %s %s", a.name, n+1, op, how), func(t *testing.T) {
						t.Parallel()
						e := a.errand(t)
						d, dead := e.send(t, "LD_PRELOAD="+lib, fmt.Sprint("SQLITE_FAULT_AT=", n+1), "SQLITE_FAULT_HOW="+how)
						if dead != (how == "kill" || how == "half") {
							t.Fatalf("killed: %v", dead)
						}
						if !dead {
							a.proveFault(t, e, d, true)
							return
						}
						mu.Lock()
						killed[a.name]++
						mu.Unlock()
						a.proveTold(t, e, a.state(t, e.Path))
						a.proveRerun(t, e, true)
					})
				}
			}
		}
	})
	t.Logf("killed inside SQLite at %d points without sidecars and at %d with a -wal", killed["no sidecar"], killed["wal"])
}

// calls lists the calls of SQLite that change files in the folder of the database, during a repair without a fault.
func (a *arena) calls(t *testing.T, lib string) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	if d, dead := a.errand(t).send(t, "LD_PRELOAD="+lib, "SQLITE_FAULT_LOG="+log); dead || d.Error != "" {
		t.Fatalf("killed %v, %s", dead, d.Error)
	}
	data, err := os.ReadFile(log)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the layer sees no call: SQLite is linked in another way")
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}
