package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/witness"
)

// The bounds of the logs of one home.
const (
	logFiles = 64
	logBytes = 8 << 30
	logTime  = 2 * time.Minute
)

// Served is what a log's pairs of lines show: a session answered messages of a chat (spec/state-db.md 7.0, rank 2). The
// thread is not logged.
type Served struct {
	Session, Platform, Chat string
	Inbound, Turn           Ref    // the lines of the first pair
	How                     string // shows both lines again
	When                    string // of the first pair, the log's own wall clock
	Count                   int    // pairs
	Answered                bool   // a later line says that an answer went to the chat
}

// Moved is a line of a log that names the session of a routing key.
type Moved struct {
	What    string // the line in a few words
	Key     string // "" = the line names only the two sessions
	Session string
	To      string // the session that the key was moved to; "" = none
	At      Ref
	How     string
}

// Logs is what the logs of one home tell. The zero value is that of a home without logs.
type Logs struct {
	Served  []Served
	Moved   []Moved
	Notes   []string // what could not be read, and bounds that were reached
	Limited bool     // a bound was reached or a log could not be read, so that a line may have been missed
}

// ReadLogs reads every log of the home once, rotated ones before those that follow them, and all of them side by side in
// the order of their lines' times. Only a cancelled ctx is an error: whatever else cannot be read is a note.
func (h *Home) ReadLogs(ctx context.Context) (*Logs, error) {
	out := &Logs{}
	families, err := h.logFamilies(out)
	if err != nil {
		out.Notes = append(out.Notes, err.Error())
		return out, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &logReader{home: h, deadline: time.Now().Add(logTime)}
	for _, names := range families {
		r.streams = append(r.streams, r.start(ctx, names))
	}
	pairs := r.merge()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.tell(out)
	out.fill(pairs, r.streams, h)
	return out, nil
}

// logFamilies groups the files of the folder logs by log, each from its oldest file to its newest.
func (h *Home) logFamilies(out *Logs) ([][]string, error) {
	type file struct {
		name, log string
		turn      int
	}
	var files []file
	names, err := h.names("logs", func(name string) bool { return len(name) <= 200 })
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		log, turn := name, 0
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			if n, err := strconv.ParseUint(name[i+1:], 10, 31); err == nil {
				log, turn = name[:i], int(n)
			}
		}
		if strings.HasSuffix(log, ".log") {
			files = append(files, file{name, log, turn})
		}
	}
	// Where there are too many, those of the lowest numbers are the newest.
	slices.SortStableFunc(files, func(a, b file) int { return cmp.Compare(a.turn, b.turn) })
	if len(files) > logFiles {
		out.Limited = true
		out.Notes = append(out.Notes, fmt.Sprintf("logs: %d of %d files were read, the newest of each log", logFiles, len(files)))
		files = files[:logFiles]
	}
	slices.SortStableFunc(files, func(a, b file) int {
		return cmp.Or(strings.Compare(a.log, b.log), cmp.Compare(b.turn, a.turn))
	})
	var families [][]string
	for k, f := range files {
		if k == 0 || files[k-1].log != f.log {
			families = append(families, nil)
		}
		last := &families[len(families)-1]
		*last = append(*last, "logs/"+f.name)
	}
	return families, nil
}

// fill turns what was found into places of the home.
func (l *Logs) fill(p *witness.Pairs, streams []*logStream, h *Home) {
	at := func(place witness.Place) (Ref, string) {
		f := streams[place.File/logFiles].files[place.File%logFiles]
		return Ref{Path: h.Path(f.name), Line: place.Line}, showLine(h.Path(f.name), place.Line, f.wide)
	}
	for _, s := range p.Served {
		in, how := at(s.Inbound)
		turn, how2 := at(s.Turn)
		l.Served = append(l.Served, Served{Session: s.Session, Platform: s.Platform, Chat: s.Chat, Inbound: in, Turn: turn,
			How: how + "; " + how2, When: time.Unix(int64(s.At), 0).UTC().Format("2006-01-02 15:04:05"), Count: s.Count, Answered: s.Answered})
	}
	for _, e := range p.Moved {
		ref, how := at(witness.Place{File: e.File, Line: e.Line})
		l.Moved = append(l.Moved, Moved{What: said(e), Key: e.Key, Session: e.Session, To: e.To, At: ref, How: how})
	}
	if p.Limited {
		l.Limited = true
		l.Notes = append(l.Notes, "logs: more messages and sessions at a time than are kept: some pairs may be missing")
	}
}

// showLine is the command that prints one line of a file.
func showLine(name string, line int, wide bool) string {
	if wide {
		return fmt.Sprintf("iconv -f UTF-16 %s | sed -n %dp", ShellQuote(name), line)
	}
	return fmt.Sprintf("sed -n %dp %s", line, ShellQuote(name))
}

// said tells a line in a few words.
func said(e witness.Event) string {
	switch e.Kind {
	case witness.Repointed:
		return fmt.Sprintf("the gateway moved the key from the ended %s to %s", e.Session, e.To)
	case witness.Pruned:
		return fmt.Sprintf("the gateway dropped the key's entry, which named %s", e.Session)
	case witness.Dropped:
		return fmt.Sprintf("the gateway found the key's %s ended", e.Session)
	case witness.Healed:
		return fmt.Sprintf("the gateway moved the key of %s to its continuation %s", e.Session, e.To)
	case witness.NotMade:
		return fmt.Sprintf("the gateway could not make the key's row %s", e.Session)
	case witness.NotEnded:
		return fmt.Sprintf("the gateway could not end the key's former row %s", e.Session)
	}
	return ""
}
