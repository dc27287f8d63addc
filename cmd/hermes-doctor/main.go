package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // zones are part of the answer, so they must not depend on the machine
)

func main() {
	// A scan holds the facts of all rows and little garbage beside them: collecting twice as often as Go does by
	// default keeps the peak near their size for a few percent of time.
	debug.SetGCPercent(20)
	// A reader of stdout that goes away must not kill us before the private copies are removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
