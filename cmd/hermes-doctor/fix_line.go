package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// line spells this command line again with more flags in front, for the next commands.
func (r *repair) line(words ...string) string {
	out := append([]string{"hermes-doctor"}, words...)
	for _, name := range []string{"accept", "finding", "only", "skip"} {
		for _, v := range r.cc.StringSlice(name) {
			if flag := "--" + name + "=" + scan.ShellQuote(v); !slices.Contains(out, flag) {
				out = append(out, flag)
			}
		}
	}
	for _, name := range []string{"plan", "record-lineage", "max-gap-seconds", "now", "home-path", "backup-dir"} {
		if r.cc.IsSet(name) {
			out = append(out, "--"+name+"="+scan.ShellQuote(fmt.Sprint(r.cc.Value(name))))
		}
	}
	if r.cc.Bool("deep") {
		out = append(out, "--deep")
	}
	if r.output != "" {
		out = append(out, "--output="+scan.ShellQuote(r.output))
	}
	return strings.Join(append(out, r.scan.Target), " ")
}

// undoCommandLine is what takes a change back.
func undoCommandLine(journal string) string {
	return "hermes-doctor undo --apply " + scan.ShellQuote(cmp.Or(journal, "JOURNAL"))
}
