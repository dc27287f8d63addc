package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func (c *console) timelineCommand() *cli.Command {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "since", Usage: "nothing before `TIME`: 2026-08-06, \"2026-08-06 16:18\" (both UTC), RFC 3339 or epoch seconds"},
		&cli.StringFlag{Name: "until", Usage: "nothing at `TIME` or later"},
		&cli.DurationFlag{Name: "silence", Value: scan.DefaultSilence * time.Second, Usage: "tell of a row's silence from `DURATION` on"},
	}
	return c.command(&cli.Command{
		Name:      "timeline",
		Usage:     "everything that has a time, in order: rows, messages, routes, logs, checkpoints; csv and jsonl for Timesketch",
		ArgsUsage: "PATH…",
		Flags:     slices.Concat(flags, examineFlags()),
		Action:    c.timeline,
	}, 1, -1, report.CSV)
}

func (c *console) timeline(cc *cli.Context) error {
	to, err := destinationsOf(cc, cc.StringSlice("output"), report.CSV)
	if err != nil {
		return err
	}
	o, err := c.scanOptions(cc)
	if err != nil {
		return err
	}
	since, until := math.Inf(-1), math.Inf(1)
	for name, at := range map[string]*float64{"since": &since, "until": &until} {
		if !cc.IsSet(name) {
			continue
		}
		var ok bool
		if *at, ok = moment(cc.String(name)); !ok {
			return usageError{what: fmt.Sprintf("--%s %q is no time", name, cc.String(name)), try: "--" + name + " 2026-08-06, or \"2026-08-06 16:18\", or 1786033116"}
		}
	}
	if o.Silence = cc.Duration("silence").Seconds(); o.Silence <= 0 {
		return usageError{what: "--silence must be longer than nothing", try: "--silence 24h"}
	}
	o.Timeline, o.Rows = true, true
	x, err := c.examine(cc, cc.Args().Slice(), o)
	if err != nil {
		return err
	}
	x.result.Timeline.Narrow(func(e *scan.Event) bool { return e.At >= since && e.At < until })
	return c.deliver(cc, to, report.Options{}, func(w io.Writer, format report.Format, o report.Options) error {
		return report.RenderTimeline(w, report.NewTimeline(tool(), x.inputs, x.result), format, o)
	})
}

// moment reads a time as people and logs write it, in UTC where no zone is named, as epoch seconds.
func moment(s string) (at float64, ok bool) {
	s = strings.TrimSpace(s)
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05Z", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(form, s); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
		}
	}
	at, err := strconv.ParseFloat(s, 64)
	return at, err == nil && at >= 1 && at <= 4.2e9
}
