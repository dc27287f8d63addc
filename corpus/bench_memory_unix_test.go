//go:build unix

package corpus_test

import (
	"math"
	"os"
	"runtime"
	"syscall"
)

// residentMiB is the most memory that an ended process had at once. Linux also counts what this process had when it
// started the other, so no figure is below that: a few MiB.
func residentMiB(s *os.ProcessState) float64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return math.NaN()
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" { // in bytes there, in KiB elsewhere
		return float64(u.Maxrss) / (1 << 20)
	}
	return float64(u.Maxrss) / (1 << 10)
}
