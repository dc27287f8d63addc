package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// interrupt INT|TERM COMMAND ARGS… starts a command, sends that signal once it has made something in the temporary
// folder, and wants exit code 130 and that folder empty again.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	signal := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}[usage(ts, neg, args, 2, "interrupt INT|TERM COMMAND [ARG…]")]
	tmp, err := os.MkdirTemp(ts.MkAbs("."), "private-")
	ts.Check(err)
	cmd, stderr := start(ts, tmp, nil, args[1:])
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(entries(ts, tmp)) == 0 {
		select {
		case err := <-done:
			ts.Fatalf("ended before it could be interrupted: %v\n%s", err, stderr)
		case <-tick.C:
		}
	}
	ts.Check(cmd.Process.Signal(signal))
	select {
	case err = <-done:
	case <-time.After(time.Minute):
		ts.Check(cmd.Process.Kill())
		ts.Fatalf("still running a minute after the signal")
	}
	if code := exitCode(ts, err); code != exitInterrupted {
		ts.Fatalf("exit code %d, want %d\n%s", code, exitInterrupted, stderr)
	}
	if !strings.HasPrefix(stderr.String(), "hermes-doctor: interrupted") {
		ts.Fatalf("stderr: %s", stderr)
	}
	if left := entries(ts, tmp); len(left) > 0 {
		ts.Fatalf("left in the temporary folder: %v", left)
	}
}

// hangup CODE COMMAND ARGS… runs a command whose stdout nobody reads; it must end by itself, and say nothing.
func hangup(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(usage(ts, neg, args, 2, "hangup CODE COMMAND [ARG…]"))
	ts.Check(err)
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	cmd, stderr := start(ts, ts.Getenv("TMPDIR"), w, args[1:])
	ts.Check(w.Close())
	if code := exitCode(ts, cmd.Wait()); code != want || stderr.Len() > 0 {
		ts.Fatalf("exit code %d, want %d; stderr: %q", code, want, stderr)
	}
}

// start runs one of the programs that TestMain names. It is not ts.Exec because a signal or a pipe is needed.
func start(ts *testscript.TestScript, tmp string, stdout *os.File, args []string) (*exec.Cmd, *bytes.Buffer) {
	program := filepath.Join(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0], args[0])
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if stdout != nil {
		cmd.Stdout = stdout
	}
	ts.Check(cmd.Start())
	return cmd, &stderr
}

func entries(ts *testscript.TestScript, dir string) []fs.DirEntry {
	list, err := os.ReadDir(dir)
	ts.Check(err)
	return list
}
