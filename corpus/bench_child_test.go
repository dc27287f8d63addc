package corpus_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// beChild does one task as a process of its own and gives the exit code.
func beChild(ctx context.Context, task string, args []string, stdout, stderr io.Writer) int {
	tasks := map[string]func(context.Context, []string, io.Writer) error{
		"build": buildStore, "facts": factPass, "whole": wholeScan, "sha256": hashTwice, "f1": floorByDriver, "logs": readLogs,
		"store": buildLargeStore, "trees": everyTree,
	}
	debug.SetGCPercent(400) // as the command does
	do := tasks[task]
	if do == nil {
		fmt.Fprintf(stderr, "no task is called %q\n", task)
		return 2
	}
	if err := do(ctx, args, stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", task, err)
		return 1
	}
	return 0
}

func buildStore(ctx context.Context, args []string, _ io.Writer) error {
	var o build.LargeOptions
	for i, to := range []any{&o.Sessions, &o.Messages, &o.OrphanShare, &o.Unit, &o.Seed} {
		if _, err := fmt.Sscan(args[i+1], to); err != nil {
			return fmt.Errorf("read argument %d: %w", i+1, err)
		}
	}
	return build.Large(ctx, args[0], o)
}

// unhashed opens a store without its hashes: they end with the context that Open is given, and nothing else does.
func unhashed(ctx context.Context, path string, o evidence.Options) (*evidence.Bundle, error) {
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	return evidence.Open(opening, []string{path}, o)
}

// factPass reads the facts of a store and decides about its orphans.
func factPass(ctx context.Context, args []string, stdout io.Writer) (err error) {
	began := time.Now()
	b, err := unhashed(ctx, args[0], evidence.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	f, err := facts.Read(ctx, b.Stores[0], facts.Options{})
	if err != nil {
		return err
	}
	db := b.Stores[0].DB
	orphans, witnesses, err := adopt.Orphans(ctx, f, db)
	if err != nil {
		return err
	}
	in := adopt.Input{Facts: f, DB: db, Resolvers: resume.All(f, float64(f.NewestTime))}
	decided, err := adopt.Decide(ctx, in, orphans, witnesses)
	if err != nil {
		return err
	}
	if len(f.Sessions) == 0 || f.MessageRows == 0 || len(decided.Orphans) == 0 {
		return fmt.Errorf("%d sessions, %d messages, %d orphans: nothing was measured", len(f.Sessions), f.MessageRows, len(decided.Orphans))
	}
	_, err = fmt.Fprintln(stdout, time.Since(began).Seconds(), 0)
	return err
}

// wholeScan runs a scan up to where it would hash its inputs again, which is the last that it does.
func wholeScan(ctx context.Context, args []string, stdout io.Writer) (err error) {
	began := time.Now()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var ended, textsBegan, textsEnded time.Time
	b, err := unhashed(ctx, args[0], evidence.Options{Progress: func(stage string, _, _ int64) {
		if stage == "recheck" && ended.IsZero() {
			ended = time.Now()
			cancel()
		}
	}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	progress := func(stage string, _, _ int64) {
		switch {
		case stage == "read texts":
			textsBegan = time.Now()
		case textsEnded.IsZero() && !textsBegan.IsZero():
			textsEnded = time.Now()
		}
	}
	_, err = scan.Run(running, b, checks.All(), scan.Options{Progress: progress})
	if !errors.Is(err, context.Canceled) || ended.IsZero() || textsEnded.IsZero() {
		return fmt.Errorf("the scan was to end where it hashes again: %w", err)
	}
	texts := textsEnded.Sub(textsBegan)
	_, err = fmt.Fprintln(stdout, (ended.Sub(began) - texts).Seconds(), texts.Seconds())
	return err
}

// hashTwice is the least that custody costs: what a file was before, and after.
func hashTwice(_ context.Context, args []string, stdout io.Writer) error {
	for range 2 {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		h := sha256.New()
		// Without this wrapper the file would choose its own buffer.
		_, err = io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 1<<20))
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(stdout, "%x\n", h.Sum(nil)); err != nil {
			return err
		}
	}
	return nil
}

const floorQuery = `select count(started_at), sum((select max(timestamp) from messages indexed by idx_messages_session where session_id=s.id))
from sessions s not indexed`

func floorByDriver(ctx context.Context, args []string, stdout io.Writer) (err error) {
	db, err := sql.Open("sqlite3", "file:"+args[0]+"?mode=ro")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var count, sum float64
	if err := db.QueryRowContext(ctx, floorQuery).Scan(&count, &sum); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, count, sum)
	return err
}
