package evidence_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// TestMendedHeader damages the header of real databases of several page sizes in the ways of the public reports, and
// compares what is read afterwards with what was written.
func TestMendedHeader(t *testing.T) {
	t.Parallel()
	noise := func(n int) []byte {
		b := make([]byte, n)
		r := rand.NewChaCha8([32]byte{7})
		_, _ = r.Read(b) // documented never to fail
		return b
	}
	tls := append([]byte{0x15, 3, 3, 0, 0x13}, noise(19)...)
	damages := []struct {
		name   string
		fault  evidence.Fault
		damage func(data []byte)
	}{
		{"magic", evidence.FaultHeader, func(data []byte) { copy(data, noise(16)) }},
		{"tls record", evidence.FaultHeader, func(data []byte) { copy(data[5:], tls) }},
		{"all of it", evidence.FaultHeader, func(data []byte) { copy(data, noise(100)) }},
		{"nul", evidence.FaultZeroed, func(data []byte) { clear(data[:100]) }},
		{"read version", evidence.FaultHeader, func(data []byte) { data[18], data[19] = 3, 3 }},
		{"page size", evidence.FaultHeader, func(data []byte) { copy(data[16:], []byte{0x32, 0x50}) }},
	}
	for _, size := range []int{512, 1024, 4096, 8192, 65536} {
		for _, mode := range []string{"DELETE", "WAL"} {
			whole := filepath.Join(t.TempDir(), "state.db")
			build(t, whole, join([]string{fmt.Sprintf("PRAGMA page_size=%d", size), "PRAGMA journal_mode=" + mode}, schema(), talk("s1", 1785000000, 5000))...)
			for _, d := range damages {
				t.Run(fmt.Sprintf("%d %s %s", size, mode, d.name), func(t *testing.T) {
					dir := t.TempDir()
					path := filepath.Join(dir, "state.db")
					data := read(t, whole)
					d.damage(data)
					write(t, path, data)
					before := listing(t, dir)
					b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir(), Damaged: true})
					if err != nil {
						t.Fatal(err)
					}
					s := b.Stores[0]
					if s.Header == nil || !s.Header.Mended || s.Header.PageSize != size || s.Header.Input.Fault != d.fault || len(s.Header.Fields) == 0 {
						t.Fatalf("header %+v, fault %v", s.Header, s.Fault)
					}
					if got := counts(t, s); got != [2]int64{1, 5000} || s.View != evidence.ViewMended || s.PageSize != size {
						t.Errorf("counts %v, view %q, page size %d", got, s.View, s.PageSize)
					}
					if err := b.Close(); err != nil {
						t.Error(err)
					}
					same(t, before, listing(t, dir))
				})
			}
			t.Run(fmt.Sprintf("%d %s page 1", size, mode), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "state.db")
				data := read(t, whole)
				copy(data, noise(size))
				write(t, path, data)
				b, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: t.TempDir(), Damaged: true})
				if err != nil {
					t.Fatal(err)
				}
				if s := b.Stores[0]; s.Fault == nil || s.Fault.Fault != evidence.FaultHeader || s.Header.Mended || s.Header.PageSize != size {
					t.Errorf("fault %v, header %+v", s.Fault, s.Header)
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("folder changed (-want +got):\n%s", diff)
	}
}
