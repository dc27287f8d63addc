package main

import (
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// The commands of this file find what a repair made: its names carry the time of the day.

// same FILE PATTERN wants exactly one file of that pattern, with the same bytes.
func same(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "same FILE PATTERN")
	found := matching(ts, args[1])
	if len(found) != 1 {
		ts.Fatalf("%q are %d files: %q", args[1], len(found), found)
	}
	if digest(ts.MkAbs(args[0])) != digest(ts.MkAbs(found[0])) {
		ts.Fatalf("%s and %s differ", args[0], found[0])
	}
}

// journal DIR and receipt DIR set JOURNAL and RECEIPT to the newest of the folder.
func journal(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("JOURNAL", newest(ts, usage(ts, neg, args, 1, "journal DIR")+"/*.undo.json"))
}

func receipt(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("RECEIPT", newest(ts, usage(ts, neg, args, 1, "receipt DIR")+"/*.receipt.json"))
}

func newest(ts *testscript.TestScript, pattern string) string {
	found := matching(ts, pattern)
	if len(found) == 0 {
		ts.Fatalf("no file is called %s", pattern)
	}
	return slices.Max(found) // the time is in the name
}

// matching gives paths as the script would write them.
func matching(ts *testscript.TestScript, pattern string) []string {
	found, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	for i, f := range found {
		found[i], err = filepath.Rel(ts.MkAbs("."), f)
		ts.Check(err)
	}
	return found
}
