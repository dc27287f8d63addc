package gitro_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

// TestReindexHuge: a pack without an index is read from end to end, and what lies in it costs no memory by its size.
func TestReindexHuge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	gittest.Init(t, dir)
	const size = 24 << 20
	huge := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(huge) // documented never to fail
	var stream bytes.Buffer
	stream.WriteString("blob\nmark :1\ndata 6\nbefore\nblob\nmark :2\ndata 25165824\n")
	stream.Write(huge)
	stream.WriteString("\nblob\nmark :3\ndata 5\nafter\n")
	gittest.Run(t, dir, stream.Bytes(), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
	id := strings.TrimSpace(string(gittest.Run(t, dir, huge, "hash-object", "--stdin")))
	after := strings.TrimSpace(string(gittest.Run(t, dir, []byte("after"), "hash-object", "--stdin")))
	indexes, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.idx"))
	if err != nil || len(indexes) != 1 {
		t.Fatalf("%d indexes, %v: want the one of the pack", len(indexes), err)
	}
	if err := os.Remove(indexes[0]); err != nil {
		t.Fatal(err)
	}
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	repo, _ := open(t, dir, gitro.Limits{})
	runtime.ReadMemStats(&is)
	if took := is.TotalAlloc - was.TotalAlloc; took > size/2 {
		t.Errorf("opening it took %d bytes of memory", took)
	}
	if n := repo.Packs().Reindexed; n != 3 {
		t.Errorf("%d objects were found, want 3", n)
	}
	r := repo.WholeReader()
	defer func() { _ = r.Close() }()
	for name, want := range map[string][]byte{id: huge, after: []byte("after")} {
		if _, data, err := r.Object(parse(t, name)); err != nil || !bytes.Equal(data, want) {
			t.Errorf("object %s: %d bytes, %v", name, len(data), err)
		}
	}
}
