package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// knownFlags name what is known of findings before a scan.
func knownFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "baseline", Usage: "findings in `FILE` do not count: a saved report (json, jsonl, sarif) or a list of ids"},
		&cli.StringSliceFlag{Name: "ignore-file", Usage: "findings named in `FILE` do not count: lines of ID [until YYYY-MM-DD]: REASON"},
	}
}

// knownBefore reads --baseline and --ignore-file; nil where neither is given.
func knownBefore(cc *cli.Context) (*report.Known, error) {
	baselines, ignores := cc.StringSlice("baseline"), cc.StringSlice("ignore-file")
	if len(baselines)+len(ignores) == 0 {
		return nil, nil
	}
	k := &report.Known{}
	for _, path := range baselines {
		if err := readKnown("baseline", path, "a file that scan --json wrote, or ids of findings, one a line", func(f *os.File) error { return k.ReadBaseline(f) }); err != nil {
			return nil, err
		}
	}
	for _, path := range ignores {
		err := readKnown("ignore-file", path, "lines like 0123456789ab until 2026-12-31: why it may stay",
			func(f *os.File) error { return k.ReadIgnores(f, checks.All()) })
		if err != nil {
			return nil, err
		}
	}
	return k, nil
}

func readKnown(flag, path, try string, read func(*os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return usageError{what: fmt.Sprintf("--%s %q: %v", flag, path, reason(err)), try: "--" + flag + " with a file that is there"}
	}
	defer func() { _ = f.Close() }() // opened for reading
	if err := read(f); err != nil {
		return usageError{what: fmt.Sprintf("--%s %q: %v", flag, path, reason(err)), try: try}
	}
	return nil
}

// judge says which findings of x are known; nil where nothing was said about any.
func (x examination) judge(k *report.Known) *report.Judged {
	if k == nil {
		return nil
	}
	return k.Judge(x.result.Findings, x.result.Now)
}
