//go:build unix

package fix_test

import (
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// faulty is the operating system's files with one fault: at the operation number at (counted from 1) it fails in the
// way of how, or ends the process. It also lists the operations.
type faulty struct {
	write.OS
	mu  sync.Mutex
	ops []string
	at  int
	how string // "kill", "short" or an errno's name
}

// hit counts an operation and is where the fault happens. short says that half of a write is to be done first.
func (f *faulty) hit(op string) (short bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ops = append(f.ops, op)
	if len(f.ops) != f.at {
		return false, nil
	}
	switch f.how {
	case "kill":
		if op == "write" {
			return true, nil
		}
		die()
	case "short":
		return true, nil
	case "ENOSPC":
		return false, syscall.ENOSPC
	case "EIO":
		return false, syscall.EIO
	}
	return false, nil
}

// die ends the process as a power cut would: nothing is flushed or cleaned up.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func (f *faulty) file(op, path string, open func() (write.File, error)) (write.File, error) {
	if _, err := f.hit(op); err != nil {
		return nil, &fs.PathError{Op: op, Path: path, Err: err}
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faulty) do(op, path string, act func() error) error {
	if _, err := f.hit(op); err != nil {
		return &fs.PathError{Op: op, Path: path, Err: err}
	}
	return act()
}

func (f *faulty) Open(path string) (write.File, error) {
	return f.file("open", path, func() (write.File, error) { return f.OS.Open(path) })
}

func (f *faulty) Create(path string, mode fs.FileMode) (write.File, error) {
	return f.file("create", path, func() (write.File, error) { return f.OS.Create(path, mode) })
}

func (f *faulty) Rename(from, to string) error {
	return f.do("rename", to, func() error { return f.OS.Rename(from, to) })
}

func (f *faulty) Link(from, to string) error {
	return f.do("link", to, func() error { return f.OS.Link(from, to) })
}

func (f *faulty) Remove(path string) error {
	return f.do("remove", path, func() error { return f.OS.Remove(path) })
}

func (f *faulty) Sync(path string) error {
	return f.do("fsync", path, func() error { return f.OS.Sync(path) })
}

func (f *faulty) SyncDir(dir string) error {
	return f.do("fsync folder", dir, func() error { return f.OS.SyncDir(dir) })
}

func (f *faulty) Step(name string) error {
	return f.do("sqlite "+name, "", func() error { return nil })
}

type faultyFile struct {
	write.File
	fs *faulty
}

func (f *faultyFile) Read(b []byte) (int, error) {
	if _, err := f.fs.hit("read"); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f *faultyFile) Write(b []byte) (int, error) {
	short, err := f.fs.hit("write")
	switch {
	case err != nil:
		return 0, err
	case short:
		n, err := f.File.Write(b[:len(b)/2])
		if f.fs.how == "kill" {
			die()
		}
		return n, err
	}
	return f.File.Write(b)
}

func (f *faultyFile) Sync() error {
	return f.fs.do("fsync", "", f.File.Sync)
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	return f.fs.do("chmod", "", func() error { return f.File.Chmod(mode) })
}

func (f *faultyFile) Close() error {
	err := f.fs.do("close", "", func() error { return nil })
	if cerr := f.File.Close(); err == nil {
		err = cerr
	}
	return err
}

// faultsOf are the ways in which an operation can fail.
func faultsOf(op string) []string {
	switch op {
	case "write":
		return []string{"ENOSPC", "EIO", "short"}
	case "create", "link", "rename":
		return []string{"ENOSPC", "EIO"}
	}
	return []string{"EIO"}
}
