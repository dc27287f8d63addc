package gitro_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

// TestChainMemory: a history of any length costs what the limit allows, and says where it was left.
func TestChainMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	gittest.Init(t, dir)
	const commits = 30_000
	var stream bytes.Buffer
	for i := range commits {
		fmt.Fprintf(&stream, "commit refs/hermes/0123456789abcdef\ncommitter Hermes Checkpoint <hermes@local> %d +0000\ndata 17\nbefore write_file\n", 1_760_000_000+i)
	}
	gittest.Run(t, dir, stream.Bytes(), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
	stream = bytes.Buffer{}
	_, r := open(t, dir, gitro.Limits{})
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	was := live()
	chain, err := r.Chain(tip(t, dir))
	var limit *gitro.ObjectError
	if !errors.As(err, &limit) || limit.Fault != gitro.FaultLimit || limit.ID != chain[len(chain)-1].Parents[0] {
		t.Errorf("%d of %d commits, %v: want where the limit was met", len(chain), commits, err)
	}
	if took := live() - was; took > 14<<20 {
		t.Errorf("%d commits took %d bytes", len(chain), took)
	}
	if len(chain) < 20_000 {
		t.Errorf("only %d commits were followed", len(chain))
	}
	runtime.KeepAlive(chain)
}
