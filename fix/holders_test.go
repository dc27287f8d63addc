//go:build unix

package fix_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
)

func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"no sidecar": build(t, schema(), incident()), "wal": buildWAL(t, incident(), schema())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan(t, look(t, path), fix.Options{})
			var backups []*fix.Backup
			for range 4 {
				k, err := backup(t, path, fix.BackupOptions{})
				if err != nil {
					t.Fatal(err)
				}
				backups = append(backups, k)
			}
			errs := make([]error, len(backups))
			var wait sync.WaitGroup
			for i, k := range backups {
				wait.Go(func() { _, errs[i] = k.Apply(t.Context(), p, applyOptions()) })
			}
			wait.Wait()
			won := 0
			for _, err := range errs {
				if err == nil {
					won++
				} else if code(err) == "" || errors.As(err, new(*fix.UnverifiedError)) {
					t.Error(err)
				}
			}
			if won > 1 {
				t.Errorf("%d repairs say that they did it: %v", won, errs)
			}
			if won == 0 { // they may have kept one another out; alone it must work
				if _, err := repair(t, path, plan(t, look(t, path), fix.Options{}), applyOptions()); err != nil {
					t.Error(err)
				}
			}
			proveWinner(t, path)
		})
	}
}

func TestHolders(t *testing.T) {
	hold := func(t *testing.T, path string) int {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "sleep", "100")
		cmd.ExtraFiles = []*os.File{f}
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return cmd.Process.Pid
	}
	beside := func(t *testing.T, path, name, text string) string {
		file := filepath.Join(filepath.Dir(path), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	tests := []struct {
		name string
		make func(t *testing.T, path string) fix.ApplyOptions
		want string
	}{
		{"a process has it open", func(t *testing.T, path string) fix.ApplyOptions { hold(t, path); return applyOptions() }, fix.CodeOpen},
		{"a process has it open, allowed", func(t *testing.T, path string) fix.ApplyOptions {
			hold(t, path)
			o := applyOptions()
			o.AllowLiveHolder = true
			return o
		}, ""},
		{"a process has it open, other output", func(t *testing.T, path string) fix.ApplyOptions {
			hold(t, path)
			o := applyOptions()
			o.Output = filepath.Join(t.TempDir(), "new.db")
			return o
		}, ""},
		{"a process writes", func(t *testing.T, path string) fix.ApplyOptions {
			errand{Path: path}.hold(t)
			return applyOptions()
		}, fix.CodeLocked},
		{"a process writes, allowed", func(t *testing.T, path string) fix.ApplyOptions {
			errand{Path: path}.hold(t)
			o := applyOptions()
			o.AllowLiveHolder = true
			return o
		}, fix.CodeLocked},
		{"gateway.pid of a process of this folder", func(t *testing.T, path string) fix.ApplyOptions {
			pid := hold(t, beside(t, path, "gateway.log", "x"))
			beside(t, path, "gateway.pid", `{"pid": `+strconv.Itoa(pid)+`}`)
			return applyOptions()
		}, fix.CodeRunning},
		{"gateway.pid of a process of another folder", func(t *testing.T, path string) fix.ApplyOptions {
			other := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(other, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			beside(t, path, "gateway.pid", strconv.Itoa(hold(t, other)))
			return applyOptions()
		}, ""},
		{"the live home", func(t *testing.T, path string) fix.ApplyOptions {
			o := applyOptions()
			o.LiveHomes = []string{"", "/nowhere", filepath.Dir(path)}
			return o
		}, fix.CodeLiveHome},
		{"hard links", func(t *testing.T, path string) fix.ApplyOptions {
			if err := os.Link(path, path+".other"); err != nil {
				t.Skip(err)
			}
			return applyOptions()
		}, fix.CodeLinks},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := build(t, schema(), incident())
			p := plan(t, look(t, path), fix.Options{})
			k, err := backup(t, path, fix.BackupOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "linux" && (test.want == fix.CodeOpen || test.want == fix.CodeRunning) {
				t.Skip("the files of other processes are not listed here")
			}
			o := test.make(t, path)
			if test.want != "" {
				if test.want == fix.CodeLinks { // the link itself changed the file's times, not its content
					k, err = backup(t, path, fix.BackupOptions{})
				}
				if err != nil {
					t.Fatal(err)
				}
				refusedBy(t, path, k, p, o, test.want)
				return
			}
			out, err := k.Apply(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			proveWinner(t, out.Target)
		})
	}
}
