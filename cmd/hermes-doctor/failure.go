package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// Exit codes, equal in every format.
const (
	exitClean       = 0
	exitFindings    = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitRefused     = 4
	exitInterrupted = 130
)

// exitStatus is the error of a command that did its work and has something other than "clean" to say by its exit code.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is a command line that cannot be carried out; try is what to type instead.
type usageError struct{ what, try string }

func (e usageError) Error() string { return e.what }

// interruptedError is an interruption that leaves something to go on from.
type interruptedError struct{ what, try string }

func (e interruptedError) Error() string { return e.what }

// conclude turns what a command returned into an exit code, and into at most two lines on stderr: what is wrong, and
// the next thing to try.
func (c *console) conclude(ctx context.Context, err error) int {
	code, what, try := judgement(ctx, err)
	if what != "" {
		c.complain(what, try)
	}
	return code
}

// judgement is the exit code for what a command returned, what is wrong, and the next thing to try; what is "" for a
// command that did its work.
func judgement(ctx context.Context, err error) (code int, what, try string) {
	var (
		status exitStatus
		usage  usageError
		input  *evidence.InputError
		no     *fix.RefusedError
		late   *fix.UnverifiedError
		cut    interruptedError
	)
	switch {
	case err == nil:
		return exitClean, "", ""
	case errors.As(err, &status):
		return int(status), "", ""
	case errors.As(err, &late): // before an interruption: the change is in the file
		return exitIncomplete, late.Error(), undoCommandLine(late.Journal)
	case errors.As(err, &cut):
		return exitInterrupted, cut.what, cut.try
	case ctx.Err() != nil:
		return exitInterrupted, "interrupted; private copies are removed, inputs are as they were", "the same command again; -v or --progress bar shows how far it is"
	case errors.As(err, &usage):
		return exitUsage, usage.what, usage.try
	case errors.As(err, &no):
		return exitRefused, no.Error(), cmp.Or(no.Next, "hermes-doctor help fix")
	case errors.As(err, &input):
		return exitUsage, input.Error(), cmp.Or(input.Next, "hermes-doctor help scan")
	case errors.Is(err, evidence.ErrChanged):
		return exitIncomplete, err.Error(), "stop whatever uses it, copy it with its -wal and -journal, and scan the copy"
	default:
		return exitIncomplete, err.Error(), "the same command again, with free space where it writes and in the temporary folder (TMPDIR)"
	}
}

func (c *console) complain(what, try string) {
	fmt.Fprintf(c.stderr, "hermes-doctor: %s\ntry: %s\n", oneLine(what), oneLine(try))
}

// oneLine escapes what would break a line or drive a terminal: names of files and rows come from strangers.
func oneLine(s string) string { return report.Clean(s, 1000) }

// brokenPipe says whether a write failed because the reader of our output is gone, as with `| head`.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
