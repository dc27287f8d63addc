package bundle_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/fix/bundle"
)

// TestCheckReadsInPieces: the memory of the look through a bundle does not grow with its files, and a word that lies across
// two pieces is found.
func TestCheckReadsInPieces(t *testing.T) {
	m, dir := made(t)
	const size = 64 << 20
	db, err := os.OpenFile(filepath.Join(dir, "state.db"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := db.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = db.WriteString(strings.Repeat(strings.Repeat("\x00", 1000)+" \n", size/1002)) // behind the last page
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("main agent ", size/11)
	path := filepath.Join(dir, "sessions.json")
	write := func(s string) {
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	check := func() error {
		_, err := m.Check(t.Context(), filepath.Dir(dir), func(w string) bool { return w == "skeleton" })
		return err
	}
	most, stop, done := uint64(0), make(chan struct{}), make(chan struct{})
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	go func() {
		defer close(done)
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	err = check()
	close(stop)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 48<<20 {
		t.Errorf("the look through files of %d MiB took %d MiB", 2*size>>20, grown>>20)
	}
	if err := os.Truncate(filepath.Join(dir, "state.db"), whole); err != nil {
		t.Fatal(err)
	}
	for at := 1<<20 - 9; at <= 1<<20+2; at++ { // about the end of the first piece
		write(strings.Repeat(" ", at) + "Mallory")
		var leak *bundle.LeakError
		if err := check(); !errors.As(err, &leak) || leak.What != "a word of the source" {
			t.Errorf("a word of the source at byte %d: %v", at, err)
		}
	}
}
