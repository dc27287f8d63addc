//go:build unix

package fix_test

import (
	"fmt"
	"sync"
	"testing"
)

// TestKilled kills a child at every operation of a repair, from the first byte read for the backup to the receipt; a
// write is cut in half.
//
// It is not parallel, as no test is that starts processes: see proveRerun.
func TestKilled(t *testing.T) {
	var mu sync.Mutex
	killed := map[string]int{}
	t.Run("points", func(t *testing.T) {
		for _, a := range arenas(t) {
			for n := 1; n <= len(a.ops); n++ {
				if testing.Short() && n%5 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s %d %s", a.name, n, a.ops[n-1]), func(t *testing.T) {
					t.Parallel()
					e := a.errand(t)
					e.At, e.How = n, "kill"
					if _, dead := e.send(t); !dead {
						t.Fatal("the child lived on")
					}
					a.proveTold(t, e, a.state(t, e.Path))
					a.proveRerun(t, e, true)
					mu.Lock()
					killed[a.name]++
					mu.Unlock()
				})
			}
		}
	})
	t.Logf("killed at %d points without sidecars and at %d with a -wal", killed["no sidecar"], killed["wal"])
	if !testing.Short() && (killed["no sidecar"] < 40 || killed["wal"] < 40) {
		t.Errorf("killed at too few points: %v", killed)
	}
}

// TestFaults lets every operation of a repair fail in every way that it can.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, a := range arenas(t) {
		for n := 1; n <= len(a.ops); n++ {
			if testing.Short() && n%5 != 0 {
				continue
			}
			for _, how := range faultsOf(a.ops[n-1]) {
				t.Run(fmt.Sprintf("%s %d %s %s", a.name, n, a.ops[n-1], how), func(t *testing.T) {
					t.Parallel()
					e := a.errand(t)
					e.At, e.How = n, how
					a.proveFault(t, e, e.run(t.Context()), false)
				})
			}
		}
	}
}
