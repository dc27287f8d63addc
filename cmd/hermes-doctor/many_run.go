package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// scanMany looks at every copy of a list and writes a line for each, in the order of the list. A copy that cannot be
// looked at is a line that says so. What was written stays when the run ends early: --resume takes it over.
func (c *console) scanMany(cc *cli.Context, q question) error {
	to, err := oneDestination(cc)
	if err != nil {
		return err
	}
	n, err := jobs(cc)
	if err != nil {
		return err
	}
	list, err := c.entries(cc)
	if err != nil {
		return err
	}
	record, err := c.newCustodian(cc)
	if err != nil {
		return err
	}
	r := &manyRun{console: c, question: q, format: to.format, list: list, redact: cc.Bool("redact"), custody: record != nil, looked: map[int]examination{}}
	if r.options, err = q.digest(cc); err != nil {
		return err
	}
	if r.earlier, err = readEarlier(cc.String("resume"), r.options); err != nil {
		return err
	}
	defer r.earlier.close()
	if r.meter, err = c.newMeter(cc.String("progress"), cc.Bool("quiet")); err != nil {
		return err
	}
	if err := c.stream(to, func(w *bufio.Writer) error { return r.all(cc.Context, n, w) }); err != nil {
		if cc.Context.Err() != nil && to.path != "" {
			return interruptedError{
				what: fmt.Sprintf("interrupted after %d of %d copies, whose lines are in %q; inputs are as they were", r.done, len(list), to.path),
				try:  "the same command with --resume " + scan.ShellQuote(to.path) + " and another --output",
			}
		}
		return err
	}
	r.meter.clear()
	if record != nil {
		if err := record.finishMany(c, cc, r.looked, to); err != nil {
			return err
		}
	}
	c.note(cc, "%s", r.summary())
	return r.exit(c.exitZero)
}

// stream gives do a writer to the destination. A file is new, and stays when do fails: its lines are whole.
func (c *console) stream(to destination, do func(*bufio.Writer) error) error {
	if to.path == "" {
		w := bufio.NewWriterSize(c.stdout, 1<<16)
		err := do(w)
		if err := errors.Join(err, w.Flush()); err != nil && !brokenPipe(err) {
			return fmt.Errorf("write to stdout: %w", err)
		}
		return nil
	}
	f, err := openNew(to.path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = do(w)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write %q: %w", to.path, err)
	}
	return err
}

type manyRun struct {
	*console
	question question
	options  string
	format   report.Format
	list     []entry
	earlier  *earlier
	meter    *meter
	redact   bool // each line with pseudonyms of its own copy
	custody  bool // looked is wanted
	mu       sync.Mutex
	looked   map[int]examination // by place in the list, without findings

	done  int
	codes map[int]int    // how many copies by exit code
	words map[string]int // and by verdict
}

// window is how many lines a job may be ahead of the one that is due to be written.
const window = 8

// all writes the lines in order, whichever copy is through first. What is ahead of its turn is kept as text, and no more
// of that than window lines for each job.
func (r *manyRun) all(ctx context.Context, jobs int, w *bufio.Writer) error {
	r.codes, r.words = map[int]int{}, map[string]int{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type due struct {
		entry  entry
		answer chan report.StoreLine
	}
	order, work := make(chan due, jobs*window), make(chan due)
	go func() {
		defer close(order)
		defer close(work)
		for _, e := range r.list {
			d := due{e, make(chan report.StoreLine, 1)}
			for _, to := range []chan due{order, work} {
				select {
				case to <- d:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	ended := make(chan struct{})
	for range jobs {
		go func() {
			defer func() { ended <- struct{}{} }()
			for d := range work {
				d.answer <- r.one(ctx, d.entry)
			}
		}()
	}
	err := func() error {
		for d := range order {
			select {
			case line := <-d.answer:
				if ctx.Err() != nil { // it may be cut short
					return ctx.Err()
				}
				if err := r.write(w, &line); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return ctx.Err()
	}()
	cancel()
	for range jobs { // each removes its private copies
		<-ended
	}
	return err
}

func (r *manyRun) write(w *bufio.Writer, line *report.StoreLine) error {
	if err := line.Render(w, r.format); err != nil {
		return err
	}
	r.done++
	r.codes[line.Exit]++
	word := "unreadable"
	if line.Verdict != nil {
		word = *line.Verdict
	}
	r.words[word]++
	r.meter.report("copies", int64(r.done), int64(len(r.list)))
	return w.Flush() // a line that is there is whole, whenever the run ends
}

// one looks at one copy. Whatever goes wrong is told in the line: the others are looked at all the same.
func (r *manyRun) one(ctx context.Context, e entry) (line report.StoreLine) {
	name := e.path
	var redactor func(inputs []evidence.Input, result *scan.Result) *report.Redactor
	if r.redact {
		var err error
		if name, redactor, err = redactorOf(ctx, e); err != nil {
			line = report.NewStoreLine(e.n, name, r.options)
			line.Exit, line.Error = exitUsage, &report.LineError{What: "it cannot be read", Try: "hermes-doctor scan of that line of the list, for the reason"}
			return line
		}
	}
	line = report.NewStoreLine(e.n, name, r.options)
	if before, ok := r.earlier.line(e, line); ok {
		return before
	}
	defer func() {
		if p := recover(); p != nil {
			line = report.NewStoreLine(e.n, name, r.options)
			line.Exit, line.Error = exitIncomplete, &report.LineError{What: oneLine(fmt.Sprintf("internal error: %v", p)), Try: "report this with the output of hermes-doctor version"}
		}
	}()
	fail := func(err error) report.StoreLine {
		code, what, try := judgement(ctx, err)
		if what != "" {
			if redactor != nil { // it may repeat the path
				x := redactor(nil, nil)
				what, try = x.Prose(what), x.Prose(try)
			}
			line.Error = &report.LineError{What: oneLine(what), Try: oneLine(try)}
		}
		line.Exit = code
		return line
	}
	x, err := r.look(ctx, []string{e.path}, r.question.scan, evidence.Options{}, nil)
	if err == nil && len(x.result.Findings) == 0 {
		err = x.faulty
	}
	if err != nil {
		return fail(err)
	}
	if r.custody {
		r.mu.Lock()
		r.looked[e.n] = examination{inputs: x.inputs, result: &scan.Result{Changed: x.result.Changed, Unchanged: x.result.Unchanged}}
		r.mu.Unlock()
	}
	o := r.question.report
	if redactor != nil {
		o.Redact = redactor(x.inputs, x.result)
	}
	o.Known = x.judge(r.question.known)
	if err := line.SetReport(report.New(tool(), x.inputs, x.result), o); err != nil {
		return fail(err)
	}
	return fail(x.exit(r.question.least, o.Known))
}

// redactorOf gives the name of a copy in a redacted line, and what makes its redactors. The key comes from the copy: the
// same copy has the same pseudonyms in every list and shard, and no two copies can be compared by them.
func redactorOf(ctx context.Context, e entry) (string, func([]evidence.Input, *scan.Result) *report.Redactor, error) {
	key, err := evidence.Secret(ctx, "pseudonyms", []string{e.path})
	if err != nil {
		return fmt.Sprintf("line %d", e.n), nil, err
	}
	by := func(inputs []evidence.Input, result *scan.Result) *report.Redactor {
		return report.NewRedactor(key, inputs, result)
	}
	return by(nil, nil).Name(e.path), by, nil
}

// exit is the worst of all exit codes, as the system orders them; --exit-zero keeps a 2 among them.
func (r *manyRun) exit(zero bool) error {
	worst := exitClean
	for code := range r.codes {
		if !zero || code == exitUsage {
			worst = max(worst, code)
		}
	}
	if worst == exitClean {
		return nil
	}
	return exitStatus(worst)
}

func (r *manyRun) summary() string {
	var words []string
	for _, word := range []string{string(scan.Damaged), string(scan.Inconclusive), string(scan.Absent), string(scan.SoundElsewhere), string(scan.Sound), "unreadable"} {
		if r.words[word] > 0 {
			words = append(words, fmt.Sprintf("%d %s", r.words[word], word))
		}
	}
	text := fmt.Sprintf("%d copies: %s", r.done, strings.Join(words, ", "))
	if taken := r.earlier.taken(); taken > 0 {
		text += fmt.Sprintf("; %d of these lines are those of the earlier run", taken)
	}
	return text
}
