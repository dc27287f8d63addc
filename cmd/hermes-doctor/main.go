package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // zones are part of the answer, so they must not depend on the machine
)

func main() {
	// Nobody profiles this process, and the table for it would take more than a megabyte.
	runtime.MemProfileRate = 0
	// SQLite's memory comes from the thread that calls it; on one thread there is one heap of it and not four.
	runtime.LockOSThread()
	// The facts of all rows are made once and kept: collecting while they grow would only walk over them. What bounds
	// the process is the limit that a scan sets when it knows how many rows there are.
	debug.SetGCPercent(400)
	// A reader of stdout that goes away must not kill us before the private copies are removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
