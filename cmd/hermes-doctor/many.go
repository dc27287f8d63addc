package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// manyFlags are those of a scan of a list of copies.
func manyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from-file", Usage: "scan each copy that `LIST` names, one a line (- = stdin), and write a line for each"},
		&cli.IntFlag{Name: "jobs", Usage: "with --from-file: look at `N` copies at a time; the output is the same", DefaultText: "as many as processors"},
		&cli.StringFlag{Name: "shard", Usage: "with --from-file: only part `I/N` of the list"},
		&cli.StringFlag{Name: "resume", Usage: "with --from-file: take over the lines of `FILE` that an earlier run wrote of copies that are as they were"},
	}
}

// oneAtATime refuses what only a list can have, and a scan of nothing.
func oneAtATime(cc *cli.Context) error {
	for _, name := range []string{"jobs", "shard", "resume"} {
		if cc.IsSet(name) {
			return usageError{what: "--" + name + " is for a list of copies", try: "hermes-doctor scan --from-file LIST --" + name + " …"}
		}
	}
	if cc.NArg() == 0 {
		return usageError{what: "scan needs an argument: PATH…", try: "hermes-doctor scan PATH…"}
	}
	return nil
}

// entry is one copy of a list.
type entry struct {
	n    int // place in the list, from 1
	path string
}

// readList reads LIST: a path a line, or a path behind each NUL as `find -print0` writes them. In lines, blank ones and
// those that begin with '#' are free. A path that is named again is left out.
func readList(r io.Reader) ([]entry, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	lines, end := true, "\n"
	if bytes.IndexByte(data, 0) >= 0 {
		lines, end = false, "\x00"
	}
	var list []entry
	seen := map[string]bool{}
	for path := range strings.SplitSeq(string(data), end) {
		if lines {
			path = strings.TrimSuffix(path, "\r")
			if strings.HasPrefix(path, "#") || strings.TrimSpace(path) == "" {
				continue
			}
		}
		if path != "" && !seen[path] {
			seen[path] = true
			list = append(list, entry{len(list) + 1, path})
		}
	}
	return list, nil
}

// shard keeps every n-th entry of the list from the i-th on, for "i/n"; all of them for "".
func shard(list []entry, text string) ([]entry, error) {
	if text == "" {
		return list, nil
	}
	first, second, found := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !found || err != nil || err2 != nil || i < 1 || i > n {
		return nil, usageError{what: fmt.Sprintf("--shard %q is not I/N with I from 1 to N", text), try: "--shard 1/4, and 2/4, 3/4 and 4/4 elsewhere"}
	}
	var mine []entry
	for _, e := range list {
		if (e.n-1)%n == i-1 {
			mine = append(mine, e)
		}
	}
	return mine, nil
}

// notInLists refuses to take lines over that would not be what the flags promise: a redacted line does not name its copy,
// and a custody record is of what was looked at.
func notInLists(cc *cli.Context) error {
	for _, name := range []string{"redact", "custody"} {
		if cc.IsSet(name) && cc.IsSet("resume") {
			return usageError{what: "--resume with --" + name, try: "one of them"}
		}
	}
	return nil
}

// entries is the part of the list that this run is to look at.
func (c *console) entries(cc *cli.Context) ([]entry, error) {
	name, r := cc.String("from-file"), c.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usageError{what: fmt.Sprintf("--from-file %q: %v", name, reason(err)), try: "a file with one path a line, or - for stdin"}
		}
		defer func() { _ = f.Close() }() // opened for reading
		r = f
	}
	list, err := readList(r)
	if err != nil {
		return nil, usageError{what: fmt.Sprintf("--from-file %q: %v", name, reason(err)), try: "a file with one path a line, or - for stdin"}
	}
	if len(list) == 0 {
		return nil, usageError{what: fmt.Sprintf("--from-file %q names no copy", name), try: "a file with one path a line, such as find DIR -name state.db prints"}
	}
	return shard(list, cc.String("shard"))
}

// jobs is how many copies are looked at together.
func jobs(cc *cli.Context) (int, error) {
	if !cc.IsSet("jobs") {
		return runtime.GOMAXPROCS(0), nil
	}
	if n := cc.Int("jobs"); n >= 1 {
		return n, nil
	}
	return 0, usageError{what: "--jobs is less than 1", try: "--jobs 4"}
}

// digest tells questions apart whose answers do not compare. What was known of findings before is part of them.
func (q question) digest(cc *cli.Context) (string, error) {
	h := sha256.New()
	o := q.scan
	_, _ = fmt.Fprintf(h, "%q %q %q %v %v %v %q %q %v %d %v %v %v", version, o.Only, o.Skip, o.Deep, o.MaxGap, o.Now, o.HomePath, o.Zone,
		o.Budget, q.least, q.report.All, q.report.Timings, cc.Bool("redact")) // documented never to fail
	for _, name := range slices.Concat(cc.StringSlice("baseline"), cc.StringSlice("ignore-file")) {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", usageError{what: fmt.Sprintf("%q: %v", name, reason(err)), try: "a file that is there"}
		}
		_, _ = fmt.Fprintf(h, " %x", sha256.Sum256(data))
	}
	return hex.EncodeToString(h.Sum(nil)[:6]), nil
}

// oneDestination is where the lines go, and how.
func oneDestination(cc *cli.Context) (destination, error) {
	for _, name := range []string{"chat", "session"} {
		if cc.IsSet(name) {
			return destination{}, usageError{what: "--" + name + " is of one copy, and --from-file names many", try: "hermes-doctor scan --" + name + " … PATH"}
		}
	}
	if cc.NArg() > 0 {
		return destination{}, usageError{what: fmt.Sprintf("--from-file and the path %q", cc.Args().First()), try: "that path in the list"}
	}
	to, err := destinations(cc)
	if err != nil {
		return destination{}, err
	}
	if len(to) > 1 {
		return destination{}, usageError{what: "--from-file writes one output", try: "--output FILE once"}
	}
	if to[0].format == report.Table && to[0].path == "" && !cc.IsSet("format") {
		to[0].format = report.JSONLines
	}
	if f := to[0].format; f != report.JSONLines && f != report.Table {
		return destination{}, usageError{what: fmt.Sprintf("--from-file has no format %s", f), try: "--format jsonl, or table for a line of text"}
	}
	return to[0], nil
}
