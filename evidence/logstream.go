package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

// logReader reads the logs of one home at the same time, each in its own order.
type logReader struct {
	home     *Home
	deadline time.Time
	read     atomic.Int64 // bytes looked at, over all logs
	streams  []*logStream
}

// logStream is one log with its rotated files.
type logStream struct {
	index  int
	files  []logFile
	events chan []witness.Event
	free   chan []witness.Event // batches to be used again
}

// logFile is one file of a log. It is read by others only after the events of its stream have ended.
type logFile struct {
	name    string
	lines   witness.Lines // how it was cut into lines
	stopped string        // the bound that ended the look at it
	err     error
}

// packed says that the file was packed by gzip, as rotated logs are by other programs.
func (f *logFile) packed() bool { return strings.HasSuffix(f.name, packedEnd) }

// eventBatch is how many events go through a channel at once.
const eventBatch = 256

// start reads the files of one log, oldest first, in a goroutine that ends with ctx.
func (r *logReader) start(ctx context.Context, names []string) *logStream {
	s := &logStream{index: len(r.streams), events: make(chan []witness.Event, 2), free: make(chan []witness.Event, 4)}
	for _, name := range names {
		s.files = append(s.files, logFile{name: name})
	}
	go func() {
		defer close(s.events)
		for n := range s.files {
			r.one(ctx, s, n)
		}
	}()
	return s
}

// one reads one file. It is hashed to its end even where a bound has ended the look at it: custody needs the whole.
func (r *logReader) one(ctx context.Context, s *logStream, n int) {
	f := &s.files[n]
	lines := &f.lines
	var batch []witness.Event
	send := func() {
		if len(batch) == 0 {
			return
		}
		select {
		case s.events <- batch:
		case <-ctx.Done():
		}
		select {
		case batch = <-s.free:
		default:
			batch = make([]witness.Event, 0, eventBatch)
		}
	}
	each := func(line []byte) {
		e, ok := witness.Parse(line)
		if !ok {
			return
		}
		e.File, e.Line = s.index*r.home.bundle.bounds.LogFiles+n, lines.Number
		if batch = append(batch, e); len(batch) == eventBatch {
			send()
		}
	}
	look := func(block []byte) bool {
		if f.stopped == "" {
			f.stopped = r.bound(len(block))
		}
		if f.stopped == "" {
			lines.Write(block, each)
		}
		return f.stopped == ""
	}
	if f.packed() {
		f.err = r.home.inflate(ctx, f.name, RoleLog, look)
	} else {
		f.err = r.home.stream(ctx, f.name, RoleLog, func(block []byte) { look(block) })
	}
	if f.stopped == "" {
		lines.Close(each)
	}
	send()
}

// bound says which bound the next n bytes would break; "" = none.
func (r *logReader) bound(n int) string {
	most := &r.home.bundle.bounds
	switch {
	case r.read.Add(int64(n)) > most.LogBytes:
		return fmt.Sprintf("%d bytes of logs", most.LogBytes)
	case time.Now().After(r.deadline):
		return fmt.Sprintf("%g seconds", most.LogTime.Seconds())
	}
	return ""
}

// merge takes the events of all logs in the order of their times, and pairs them.
func (r *logReader) merge() *witness.Pairs {
	pairs := witness.NewPairs()
	heads, whole := make([][]witness.Event, len(r.streams)), make([][]witness.Event, len(r.streams))
	next := func(k int) {
		s := r.streams[k]
		if whole[k] != nil {
			select {
			case s.free <- whole[k][:0]:
			default:
			}
		}
		whole[k] = <-s.events
		heads[k] = whole[k]
	}
	for k := range r.streams {
		next(k)
	}
	for {
		best := -1
		for k, h := range heads {
			if len(h) > 0 && (best < 0 || earlier(h[0], heads[best][0])) {
				best = k
			}
		}
		if best < 0 {
			return pairs
		}
		pairs.Add(heads[best][0])
		if heads[best] = heads[best][1:]; len(heads[best]) == 0 {
			next(best)
		}
	}
}

// earlier orders the lines of two logs; at the same moment a message comes in before it is answered.
func earlier(a, b witness.Event) bool { return a.At < b.At || a.At == b.At && a.Kind < b.Kind }

// tell notes what could not be read.
func (r *logReader) tell(out *Logs) {
	for _, s := range r.streams {
		for _, f := range s.files {
			name := r.home.Path(f.name)
			if f.err != nil { // also where it was there when the folder was listed
				out.unread(fmt.Sprintf("%s could not be read to its end: %v", name, f.err))
			}
			if f.stopped != "" {
				out.unread(fmt.Sprintf("%s was not looked at to its end: the bound of %s was reached", name, f.stopped))
			}
			if n := f.lines.Long; n > 0 {
				out.Notes = append(out.Notes, fmt.Sprintf("%s has %d lines longer than %d bytes, which were left out", name, n, witness.LineLimit))
			}
			if e := f.lines.Encoding; e != "" {
				out.Notes = append(out.Notes, name+" is "+e+"; it was read as such")
			}
			if n := f.lines.Foreign; n > 0 {
				out.Notes = append(out.Notes, fmt.Sprintf("%s is not UTF-8 (lines that are not: %d); it was read byte by byte", name, n))
			}
			if n := f.lines.Zeros; n > 0 { // no bound: a power cut leaves such lines, and what stood there is gone
				out.Notes = append(out.Notes, fmt.Sprintf("%s has NUL bytes (in %d lines): a part of it was overwritten, or it is in an encoding that is not read", name, n))
			}
		}
	}
	slices.Sort(out.Notes)
}

// LogReading is the reading of every home's logs in the background.
type LogReading struct {
	cancel context.CancelFunc
	homes  map[*Home]chan struct{}
	logs   map[*Home]*Logs
	end    chan struct{}
}

// StartLogs begins to read the logs of all homes, one home after the other. The caller must Stop it before it closes the
// bundle.
func (b *Bundle) StartLogs(ctx context.Context) *LogReading {
	ctx, cancel := context.WithCancel(ctx)
	l := &LogReading{cancel: cancel, homes: map[*Home]chan struct{}{}, logs: map[*Home]*Logs{}, end: make(chan struct{})}
	for _, h := range b.Homes {
		l.homes[h], l.logs[h] = make(chan struct{}), &Logs{}
	}
	go func() {
		defer close(l.end)
		for _, h := range b.Homes {
			if logs, err := h.ReadLogs(ctx); err == nil {
				*l.logs[h] = *logs
			}
			close(l.homes[h])
		}
	}()
	return l
}

// Of waits for the logs of a home; nil for a home of another bundle.
func (l *LogReading) Of(ctx context.Context, h *Home) (*Logs, error) {
	done, ok := l.homes[h]
	if !ok {
		return nil, nil
	}
	select {
	case <-done:
		return l.logs[h], ctx.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Stop ends the reading and waits until it has let go of the files. It is idempotent.
func (l *LogReading) Stop() {
	l.cancel()
	<-l.end
}
