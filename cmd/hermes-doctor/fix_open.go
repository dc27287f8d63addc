package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// open opens the one database that the paths name.
func (r *repair) open() error {
	paths := r.cc.Args().Slice()
	bundle, err := evidence.Open(r.cc.Context, paths, evidence.Options{TempDir: r.env["TMPDIR"], Progress: r.meter.report, Damaged: true, NoCheckpoints: true})
	if err != nil {
		return notToBeChanged(r.cc, fmt.Errorf("open %q: %w", paths, err))
	}
	if err := oneDatabase(bundle, paths); err != nil {
		return notToBeChanged(r.cc, errors.Join(err, closeBundle(bundle)))
	}
	r.bundle = bundle
	return nil
}

// notToBeChanged makes a refusal, with --apply, of a file that is there and cannot be repaired: whoever wants it changed
// has to know that it was not. Otherwise such a file is an unreadable input, as it is to a scan.
func notToBeChanged(cc *cli.Context, err error) error {
	var in *evidence.InputError
	if !cc.Bool("apply") || !errors.As(err, &in) || !exists(in.Path) {
		return err
	}
	code := codeInput
	if in.Fault != "" {
		code = fix.CodeCorrupt
	}
	return &fix.RefusedError{Code: code, Path: in.Path, Reason: in.Reason, Next: in.Next}
}

// codeInput is the code of a refusal of a file that is no database of Hermes.
const codeInput = "unreadable-input"

// oneDatabase refuses paths that name several databases, and lists them.
func oneDatabase(b *evidence.Bundle, paths []string) error {
	switch {
	case len(b.Stores) == 0:
		return usageError{what: fmt.Sprintf("%q holds no state.db", paths), try: "hermes-doctor fix state.db"}
	case len(b.Stores) == 1 && b.Stores[0].Fault != nil:
		return b.Stores[0].Fault
	case len(b.Stores) == 1 && b.Stores[0].Header != nil: // a repair writes into the file, not into the mended copy of it
		return b.Stores[0].Header.Input
	case len(b.Stores) == 1 && b.Stores[0].WAL.Foreign(): // a repair opens the file with SQLite, which applies the -wal
		return &evidence.InputError{Path: paths[0], Reason: "has a -wal beside it that does not belong to it: " + b.Stores[0].WAL.Against[0],
			Next: "move the -wal and the -shm to another folder, keep them, and give the same command again"}
	case len(b.Stores) == 1:
		return nil
	}
	var names []string
	for _, s := range b.Stores {
		names = append(names, s.Name)
	}
	first := names[0]
	if b.Stores[0].Home != nil && len(paths) == 1 {
		first = filepath.Join(paths[0], filepath.FromSlash(first))
	}
	return usageError{what: fmt.Sprintf("fix is for one database, and here are %d: %s", len(names), strings.Join(names, ", ")),
		try: "hermes-doctor fix " + scan.ShellQuote(first)}
}
