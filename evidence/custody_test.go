package evidence_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func TestInputs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := walStore(t, home)
	write(t, path+"-shm", []byte("shared memory of another machine"))
	write(t, filepath.Join(home, "config.yaml"), []byte("a: 1\n"))
	at := time.Unix(1785000000, 250e6)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	var told, total atomic.Int64
	b, err := evidence.Open(t.Context(), []string{home}, evidence.Options{TempDir: t.TempDir(), Progress: func(stage string, done, of int64) {
		if stage == "hash" {
			told.Store(done)
			total.Store(of)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	for range 2 { // once in custody however often it is read
		if data, err := b.Homes[0].Read("config.yaml", evidence.RoleConfig, 100); err != nil || string(data) != "a: 1\n" {
			t.Errorf("read %q, %v", data, err)
		}
	}
	got, err := b.Inputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want []evidence.Input
	for _, f := range []struct {
		name string
		role evidence.Role
	}{{"config.yaml", evidence.RoleConfig}, {"state.db", evidence.RoleDatabase}, {"state.db-shm", evidence.RoleShm}, {"state.db-wal", evidence.RoleWAL}} {
		data := read(t, filepath.Join(home, f.name))
		info, err := os.Stat(filepath.Join(home, f.name))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, evidence.Input{Role: f.role, Path: filepath.Join(home, f.name), Bytes: int64(len(data)), SHA256: fmt.Sprintf("%x", sha256.Sum256(data)),
			Modified: float64(info.ModTime().UnixMicro()) / 1e6, Mode: info.Mode().String()})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if want[1].Modified != 1785000000.25 || want[1].Mode != "-rw-r-----" {
		t.Errorf("fixture: %+v", want[1])
	}
	if sum := want[1].Bytes + want[2].Bytes + want[3].Bytes; told.Load() != sum || total.Load() != sum {
		t.Errorf("progress ended at %d of %d, want %d", told.Load(), total.Load(), sum)
	}
	if changed, err := b.Recheck(t.Context()); err != nil || changed != nil {
		t.Errorf("recheck: %v, %v", changed, err)
	}
}

// Hashing in blocks with one being read ahead must give the hash of the whole.
func TestInputsOfSeveralBlocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, append(schema(), "INSERT INTO messages(session_id, content, timestamp) VALUES ('a', randomblob(3500000), 1)")...)
	data := read(t, path)
	inputs, err := open(t, path).Inputs(t.Context())
	if err != nil || len(inputs) != 1 || inputs[0].SHA256 != fmt.Sprintf("%x", sha256.Sum256(data)) || inputs[0].Bytes != int64(len(data)) {
		t.Errorf("inputs %+v, %v", inputs, err)
	}
}

func TestRecheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(t *testing.T, path string) error
		want   []string // below the home
	}{
		{"nothing", func(*testing.T, string) error { return nil }, nil},
		{"one byte, the time put back", func(t *testing.T, path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			flip(t, path, 5000)
			return os.Chtimes(path, time.Time{}, info.ModTime())
		}, []string{"state.db"}},
		{"time", func(_ *testing.T, path string) error {
			return os.Chtimes(path, time.Time{}, time.Unix(1, 0))
		}, []string{"state.db"}},
		{"mode", func(_ *testing.T, path string) error { return os.Chmod(path, 0o600) }, []string{"state.db"}},
		{"longer", func(t *testing.T, path string) error { write(t, path, append(read(t, path), 0)); return nil }, []string{"state.db"}},
		{"vanished", func(_ *testing.T, path string) error { return os.Remove(path) }, []string{"state.db"}},
		{"wal vanished", func(_ *testing.T, path string) error { return os.Remove(path + "-wal") }, []string{"state.db-wal"}},
		{"journal and shm appeared", func(t *testing.T, path string) error {
			write(t, path+"-journal", nil)
			write(t, path+"-shm", nil)
			return nil
		}, []string{"state.db-journal", "state.db-shm"}},
		{"a file that was read", func(t *testing.T, path string) error {
			write(t, filepath.Join(filepath.Dir(path), "config.yaml"), []byte("b"))
			return nil
		}, []string{"config.yaml"}},
		{"a pipe in its place", func(_ *testing.T, path string) error {
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o644))
		}, []string{"state.db"}},
		{"a file that nobody read", func(t *testing.T, path string) error {
			write(t, filepath.Join(filepath.Dir(path), "new"), nil)
			return nil
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			path := walStore(t, home)
			write(t, filepath.Join(home, "config.yaml"), []byte("a"))
			b := open(t, home)
			if _, err := b.Homes[0].Read("config.yaml", evidence.RoleConfig, 100); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Inputs(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(t, path); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, name := range tt.want {
				want = append(want, filepath.Join(home, name))
			}
			got, err := b.Recheck(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecheckCancelled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	healthy(t, path)
	b := open(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if changed, err := b.Recheck(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", changed, err)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	b, err := evidence.Open(t.Context(), []string{walStore(t, t.TempDir())}, evidence.Options{TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	copies, err := os.ReadDir(temp)
	if err != nil || len(copies) != 1 {
		t.Fatalf("private copies: %v, %v", copies, err)
	}
	if info, err := copies[0].Info(); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the private folder: %v, %v", info.Mode(), err)
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A store that another process holds EXCLUSIVE is read all the same.
func TestLockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	healthy(t, path)
	before := listing(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	locker := exec.CommandContext(t.Context(), self, "-test.run=^TestLocker$", "-test.v")
	locker.Env = append(os.Environ(), "LOCK_FILE="+path)
	in, err := locker.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := locker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := locker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = locker.Wait() }()
	defer func() { _ = in.Close() }()
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "locked") {
	}
	if lines.Err() != nil || !strings.Contains(lines.Text(), "locked") {
		t.Fatalf("the locker ended: %v", lines.Err())
	}
	began := time.Now()
	b := open(t, path)
	if n := counts(t, b.Stores[0]); n != [2]int64{1, 5} {
		t.Errorf("counts %v", n)
	}
	if _, err := b.Inputs(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("waited %v for the lock", took)
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("folder changed (-want +got):\n%s", diff)
	}
}

// TestLocker is the other process of TestLockedByAnotherProcess.
func TestLocker(t *testing.T) {
	path := os.Getenv("LOCK_FILE")
	if path == "" {
		t.Skip("only a helper")
	}
	connect(t, path, "BEGIN EXCLUSIVE")
	fmt.Println("locked")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the pipe is closed
}
