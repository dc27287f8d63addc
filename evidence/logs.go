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

// Served is what a log's pairs of lines show: a session answered messages of a chat (spec/state-db.md 7.0, rank 2). The
// thread is not logged. A log may hold a hundred thousand of them, and few are asked about.
type Served struct {
	Session, Platform, Chat string
	At, Last                float64 // when the first and the newest message came in, as told by Wall
	Count                   int     // pairs
	Answered                bool    // a later line says that an answer went to the chat

	logs             *Logs
	in, turn, newest witness.Place
}

// Inbound is the line of the first message.
func (s *Served) Inbound() Ref { return s.logs.ref(s.in) }

// Turn is the line by which the session began to answer it.
func (s *Served) Turn() Ref { return s.logs.ref(s.turn) }

// How shows both lines again.
func (s *Served) How() string { return s.logs.show(s.in) + "; " + s.logs.show(s.turn) }

// Newest is the line of the newest message, and the command that shows it.
func (s *Served) Newest() (Ref, string) { return s.logs.ref(s.newest), s.logs.show(s.newest) }

// Wall spells a time of a log: it is the log's own wall clock, given as seconds since 1970 as if its zone were UTC.
func Wall(at float64) string { return time.Unix(int64(at), 0).UTC().Format("2006-01-02 15:04:05") }

// Spoken is a session that began turns, whichever chat or surface it served.
type Spoken struct {
	Session, Platform string
	Last              float64 // when the newest turn began, as told by Wall
	Count             int     // turns

	logs   *Logs
	newest witness.Place
}

// Newest is the line of the newest turn, and the command that shows it.
func (s *Spoken) Newest() (Ref, string) { return s.logs.ref(s.newest), s.logs.show(s.newest) }

// Behind is what a log says of a chat whose transcript, read from the file, was shorter than what the gateway held.
type Behind struct {
	Key         string
	First, Last float64 // of the lines, as told by Wall
	Count, None int     // lines, and those of them in which the file gave nothing: disk=0
	At          Ref     // the newest line
	How         string
}

// Moved is a line of a log that names the session of a routing key.
type Moved struct {
	What    string // the line in a few words
	NotMade bool   // it says that the row of Session could not be made
	Key     string // "" = the line names only the two sessions
	Session string
	To      string  // the session that the key was moved to; "" = none
	Wall    float64 // when, as told by Wall
	At      Ref
	How     string
}

// Told is a line of a log in which the product speaks of its store or of a key (spec/state-db.md 1.5).
type Told struct {
	What    string  // the line in a few words, without message text
	Crash   bool    // the line says that a gateway had crashed before
	Key     string  // "" = none is named
	Session string  // "" = none is named
	To      string  // the session that the key was moved to; "" = none
	At      float64 // as told by Wall

	logs *Logs
	line witness.Place
}

// Line is where the line stands, and the command that shows it again.
func (t *Told) Line() (Ref, string) { return t.logs.ref(t.line), t.logs.show(t.line) }

// Logs is what the logs of one home tell. The zero value is that of a home without logs.
type Logs struct {
	Served  []Served
	Moved   []Moved
	Told    []Told // for a timeline, in order of time
	Untold  int    // lines that a bound left out of Told
	Spoken  []Spoken
	Behind  []Behind
	Notes   []string // what could not be read, and bounds that were reached
	Limited bool     // a bound was reached or a log could not be read, so that a line may have been missed
	// Unread says which logs, or parts of them, were not looked at, so that a session may be missing in Spoken. A link out of
	// the folder is none of them: what it leads to was not given.
	Unread []string

	files []logged // by the number that a place gives
}

// logged is one file of the logs.
type logged struct {
	path     string // as evidence spells it
	packed   bool
	encoding string // as iconv names it; "" = bytes
}

func (l *Logs) ref(at witness.Place) Ref { return Ref{Path: l.files[at.File].path, Line: at.Line} }

// show is the command that prints one line again.
func (l *Logs) show(at witness.Place) string {
	f := l.files[at.File]
	show, file := fmt.Sprintf("sed -n %dp", at.Line), ShellQuote(f.path)
	if f.encoding != "" {
		show = "iconv -f " + f.encoding + " | " + show
	}
	switch {
	case f.packed:
		return "gzip -dc " + file + " | " + show
	case f.encoding != "":
		return strings.Replace(show, " | ", " "+file+" | ", 1)
	}
	return show + " " + file
}

// ReadLogs reads every log of the home once, rotated ones before those that follow them, and all of them side by side in
// the order of their lines' times. Only a cancelled ctx is an error: whatever else cannot be read is a note.
func (h *Home) ReadLogs(ctx context.Context) (*Logs, error) {
	out := &Logs{}
	families, err := h.logFamilies(out)
	if err != nil {
		out.unread("the folder logs is not read: " + bare(err).Error())
		return out, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &logReader{home: h, deadline: time.Now().Add(h.bundle.bounds.LogTime)}
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

// unread keeps what was not looked at.
func (l *Logs) unread(what string) {
	l.Limited = true
	l.Notes, l.Unread = append(l.Notes, what), append(l.Unread, what)
}

// logFamilies groups the files of the folder logs by log, each from its oldest file to its newest.
func (h *Home) logFamilies(out *Logs) ([][]string, error) {
	type file struct {
		name, log string
		turn      int
	}
	var files []file
	names, passed, err := h.names("logs", func(name string) bool {
		log, _ := logOf(name)
		return len(name) <= 200 && strings.HasSuffix(log, ".log")
	})
	if err != nil {
		return nil, err
	}
	out.Limited, out.Notes = out.Limited || len(passed) > 0, append(out.Notes, h.notes("logs", passed)...)
	for _, name := range names {
		log, turn := logOf(name)
		files = append(files, file{name, log, turn})
	}
	// Where there are too many, those of the lowest numbers are the newest.
	slices.SortStableFunc(files, func(a, b file) int { return cmp.Compare(a.turn, b.turn) })
	if most := h.bundle.bounds.LogFiles; len(files) > most {
		out.unread(fmt.Sprintf("logs: %d of %d files were read, the newest of each log", most, len(files)))
		files = files[:most]
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

// logOf parts the name of a log's file into the log and the number of its rotation; 0 = the one that is written to.
func logOf(name string) (log string, turn int) {
	log = strings.TrimSuffix(name, packedEnd)
	if i := strings.LastIndexByte(log, '.'); i >= 0 {
		if n, err := strconv.ParseUint(log[i+1:], 10, 31); err == nil {
			return log[:i], int(n)
		}
	}
	return log, 0
}

// LogBytes is how large the files of the folder logs are, in all; what cannot be listed counts nothing.
func (h *Home) LogBytes() (n int64) {
	entries, err := h.ReadDir("logs")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}

// fill takes what was found, with the files that its places are in.
func (l *Logs) fill(p *witness.Pairs, streams []*logStream, h *Home) {
	each := h.bundle.bounds.LogFiles
	l.files = make([]logged, len(streams)*each)
	for _, s := range streams {
		for k := range s.files {
			f := &s.files[k]
			l.files[s.index*each+k] = logged{h.Path(f.name), f.packed(), f.lines.Encoding}
		}
	}
	l.Served = make([]Served, len(p.Served))
	for k, s := range p.Served {
		l.Served[k] = Served{Session: s.Session, Platform: s.Platform, Chat: s.Chat, At: s.At, Last: s.Last, Count: s.Count, Answered: s.Answered,
			logs: l, in: s.Inbound, turn: s.Turn, newest: s.Newest}
	}
	l.Spoken = make([]Spoken, len(p.Spoken))
	for k, s := range p.Spoken {
		l.Spoken[k] = Spoken{Session: s.Session, Platform: s.Platform, Last: s.Last, Count: s.Count, logs: l, newest: s.Newest}
	}
	for _, b := range p.Behind {
		l.Behind = append(l.Behind, Behind{Key: b.Key, First: b.First, Last: b.Last, Count: b.Count, None: b.None, At: l.ref(b.Newest), How: l.show(b.Newest)})
	}
	for _, e := range p.Moved {
		at := witness.Place{File: e.File, Line: e.Line}
		l.Moved = append(l.Moved, Moved{What: said(e), NotMade: e.Kind == witness.NotMade, Key: e.Key, Session: e.Session, To: e.To, Wall: e.At, At: l.ref(at), How: l.show(at)})
	}
	l.Told = make([]Told, len(p.Told))
	for k, e := range p.Told {
		l.Told[k] = Told{What: said(e), Crash: e.Kind == witness.Pruned, Key: e.Key, Session: e.Session, To: e.To, At: e.At, logs: l, line: witness.Place{File: e.File, Line: e.Line}}
	}
	l.Untold = p.Untold
	if p.Unheard {
		l.Unread = append(l.Unread, "logs: more sessions than are kept")
	}
	if p.Limited {
		l.Limited = true
		l.Notes = append(l.Notes, "logs: more messages and sessions at a time than are kept: some pairs may be missing")
	}
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
	case witness.Lagged:
		return fmt.Sprintf("the file gave the chat's reader %d messages while the gateway held %d in memory", e.Disk, e.Memory)
	}
	return troubles()[e.Phrase]
}

// troubles says in a few words what each phrase tells. What a line guesses about the cause is left out: the product's own
// guesses are often wrong (spec/state-db.md 1.5).
func troubles() map[witness.Phrase]string {
	return map[witness.Phrase]string{
		witness.RowLater:        "a session's row could not be made; it was to be made at the next turn",
		witness.ChildRolledBack: "the row of a compression's continuation could not be made, and the session stayed where it was",
		witness.AppendFailed:    "messages of the session could not be written and wait in memory",
		witness.QueueSpooled:    "too many messages of the session wait in memory: some were put into files",
		witness.QueueDropped:    "too many messages of the session wait in memory: the oldest were dropped",
		witness.AppendRejected:  "a message was refused, because the session had ended by compression and nothing continues it",
		witness.IndexCorrupt:    "a write failed by an error of the search index; messages are not part of it",
		witness.IndexRebuilt:    "the search index was built anew",
		witness.IndexNotRebuilt: "the search index could not be built anew",
		witness.IndexOff:        "the search index was switched off and follows no more messages",
		witness.ReadFailed:      "the session's messages could not be read, and the reader got none",
		witness.Zeroed:          "the database was found to be zeros; an empty one takes its place",
		witness.SchemaBad:       "the database's schema was found damaged; a copy was made and a repair begun",
		witness.Replaced:        "the database or its sidecars were replaced or deleted under the running gateway",
		witness.NoStore:         "the database could not be used in this run: no rows were written at all",
		witness.NotADatabase:    "the open file was no database any more; the connection was made anew",
		witness.RoutesNotRead:   "the routing table could not be read",
		witness.RoutesNotSaved:  "the routing table could not be written",
		witness.RoutesImported:  "entries of sessions.json were taken into the routing table",
	}
}
