package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

// destination is one place that a report goes to; the path "" is stdout.
type destination struct {
	path   string
	format report.Format
}

// destinations pairs --output with --format: none, or one for each in order; a file without one gets its format from
// its ending. What is refused here is refused before the work, and once more by openNew after it.
func destinations(cc *cli.Context) ([]destination, error) {
	return destinationsOf(cc, cc.StringSlice("output"))
}

// pages is destinations for a command that also writes pages for a browser.
func pages(cc *cli.Context) ([]destination, error) {
	return destinationsOf(cc, cc.StringSlice("output"), report.HTML)
}

// drawn says whether one of the destinations is a page, which has pictures.
func drawn(to []destination) bool {
	return slices.ContainsFunc(to, func(d destination) bool { return d.format == report.HTML })
}

// destinationsOf is destinations for these paths of --output, with more formats than every command has.
func destinationsOf(cc *cli.Context, paths []string, more ...report.Format) ([]destination, error) {
	var formats []report.Format
	for _, name := range cc.StringSlice("format") {
		f, err := report.ParseFormat(name, more...)
		if err != nil {
			return nil, usageError{what: err.Error(), try: "--format json"}
		}
		formats = append(formats, f)
	}
	if cc.Bool("json") {
		formats = append(formats, report.JSON)
	}
	if slices.Contains(paths, "-") {
		return nil, usageError{what: "--output - would be a file of that name", try: "no --output: stdout is the default"}
	}
	if len(paths) == 0 {
		switch formats = slices.Compact(formats); len(formats) { // --json beside --format json is no contradiction
		case 0:
			return []destination{{format: report.Table}}, nil
		case 1:
			return []destination{{format: formats[0]}}, nil
		}
		return nil, usageError{what: "several formats and one stdout", try: "--output FILE, once for each --format"}
	}
	if len(formats) > 0 && len(formats) != len(paths) {
		return nil, usageError{
			what: fmt.Sprintf("--output is given %d times and --format %d times", len(paths), len(formats)),
			try:  "one --format for each --output, or none: the file's ending tells it",
		}
	}
	var all []destination
	for i, path := range paths {
		d := destination{path: path}
		if len(formats) > 0 {
			d.format = formats[i]
		} else if f, err := report.FormatOf(path, more...); err != nil {
			return nil, usageError{what: err.Error(), try: "--format json --output " + path}
		} else {
			d.format = f
		}
		if err := free(path); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// free refuses a name that is taken, and one beside which SQLite keeps a sidecar: a new file there would be taken
// together with somebody else's journal when a database is next opened under that name.
func free(path string) error {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		_, err := os.Lstat(path + suffix)
		switch {
		case err == nil && suffix == "":
			return usageError{what: fmt.Sprintf("output %q: exists, and no file is ever overwritten", path), try: "another name, or move that file away"}
		case err == nil:
			return usageError{what: fmt.Sprintf("output %q: %q exists, so that name belongs to a database", path, path+suffix), try: "another name"}
		case !errors.Is(err, fs.ErrNotExist):
			return usageError{what: fmt.Sprintf("output %q: %v", path, reason(err)), try: "a name in a folder that exists"}
		}
	}
	return nil
}

// openNew creates a file that was not there; reports name people's chats, so only the owner may read it.
func openNew(path string) (*os.File, error) {
	if err := free(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, usageError{what: fmt.Sprintf("output %q: %v", path, reason(err)), try: "a name in a folder that exists and may be written to"}
	}
	return f, nil
}

// reason strips the operation and the path off an error of package os: the message names the path already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// renderer writes a document in one format.
type renderer func(w io.Writer, format report.Format, o report.Options) error

// deliver renders to every destination. A file is opened only when its document is due, and a run that fails leaves
// none of them behind. A reader that closed its end of stdout has seen what it wanted: that is no failure.
func (c *console) deliver(cc *cli.Context, to []destination, o report.Options, render renderer) (err error) {
	if o, err = c.redacted(cc, o, nil, nil); err != nil {
		return err
	}
	if o.Redact == nil { // what is redacted stays English: the words that are known to be nobody's are English
		if o.Lang, err = c.tongue(cc); err != nil {
			return fmt.Errorf("choose a language: %w", err)
		}
	}
	var made []string
	defer func() {
		if err != nil {
			for _, path := range made {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for _, d := range to {
		if d.path == "" {
			stdout := o
			stdout.Width, stdout.Color = c.width(), c.color(cc.String("color"))
			w := bufio.NewWriterSize(c.stdout, 1<<16)
			rw := report.Redacting(w, o.Redact)
			if err := errors.Join(render(rw, d.format, stdout), report.Finish(rw), w.Flush()); err != nil && !brokenPipe(err) {
				return fmt.Errorf("write %s to stdout: %w", d.format, err)
			}
			continue
		}
		f, err := openNew(d.path)
		if err != nil {
			return err
		}
		made = append(made, d.path)
		w := bufio.NewWriterSize(f, 1<<16)
		rw := report.Redacting(w, o.Redact)
		if err := errors.Join(render(rw, d.format, o), report.Finish(rw), w.Flush(), f.Close()); err != nil {
			return fmt.Errorf("write %q: %w", d.path, err)
		}
	}
	if len(made) > 0 {
		c.note(cc, "wrote %s", strings.Join(made, ", "))
	}
	return nil
}

// note says something by the way on stderr; --quiet silences it.
func (c *console) note(cc *cli.Context, format string, args ...any) {
	if !cc.Bool("quiet") {
		fmt.Fprintln(c.stderr, "hermes-doctor: "+oneLine(fmt.Sprintf(format, args...)))
	}
}
