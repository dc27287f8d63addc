package gitro_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// BenchmarkFloor has git read the trees and commits of the store that GITRO_STORE names into a pipe, from a list that
// is made before: `git cat-file --batch --buffer <list | cat`. It looks at nothing and verifies nothing.
func BenchmarkFloor(b *testing.B) {
	store := os.Getenv("GITRO_STORE")
	if store == "" {
		b.Skip("GITRO_STORE names no store")
	}
	list := git(b, store, nil, "rev-list", "--objects", "--no-object-names", "--filter=blob:none", "--all")
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "git", "--git-dir", store, "cat-file", "--batch", "--buffer")
		cmd.Stdin = bytes.NewReader(list)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, out); err != nil || n < int64(len(list)) {
			b.Fatalf("git gave %d bytes, %v", n, err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCensus reads every tree of the store that GITRO_STORE names once and verifies each. To be compared with
// BenchmarkFloor in the same run.
func BenchmarkCensus(b *testing.B) {
	store := os.Getenv("GITRO_STORE")
	if store == "" {
		b.Skip("GITRO_STORE names no store")
	}
	for _, blobs := range []bool{false, true} {
		name := "trees"
		if blobs {
			name = "blobs"
		}
		b.Run(name, func(b *testing.B) {
			var trees, peak uint64
			for b.Loop() {
				trees = census(b, store, blobs)
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapSys-m.HeapReleased)
			}
			b.ReportMetric(float64(trees), "trees")
			b.ReportMetric(float64(peak)/(1<<20), "MiB")
		})
	}
}

// census opens the store, follows every ref and reads every tree: what a scan begins with.
func census(b *testing.B, store string, blobs bool) uint64 {
	dir, err := gitro.OpenFolder(filepath.Clean(store))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	repo, err := gitro.Open(dir, "", gitro.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = repo.Close() }()
	r := repo.Reader()
	defer func() { _ = r.Close() }()
	var roots []gitro.ID
	for _, ref := range gitro.ReadRefs(dir, gitro.Limits{}, repo.Format()).All {
		chain, err := r.Chain(ref.ID)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range chain {
			roots = append(roots, c.Tree)
		}
	}
	c, err := repo.Census(b.Context(), roots, gitro.CensusOptions{Blobs: blobs})
	if err != nil {
		b.Fatal(err)
	}
	if len(c.Damage()) > 0 || c.Stopped() != nil || len(c.LostBlobs()) > 0 {
		b.Fatalf("damage in a sound store: %v %v", c.Damage(), c.LostBlobs())
	}
	return uint64(c.Trees())
}
