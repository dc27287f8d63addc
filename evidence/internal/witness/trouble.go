package witness

import (
	"bytes"
	"strconv"
	"strings"
)

// Phrase is one of the sentences in which the product speaks of its own store (spec/state-db.md 1.5); 0 = none.
type Phrase uint8

// The phrases, in the order of the table that phrases gives.
const (
	RowLater Phrase = iota + 1
	ChildRolledBack
	AppendFailed
	QueueSpooled
	QueueDropped
	AppendRejected
	IndexCorrupt
	IndexRebuilt
	IndexNotRebuilt
	IndexOff
	ReadFailed
	Zeroed
	SchemaBad
	Replaced
	NoStore
	NotADatabase
	RoutesNotRead
	RoutesNotSaved
	RoutesImported
)

// phrase is how a sentence is recognised: by its beginning, and by what it holds where the beginning alone says too
// little.
type phrase struct {
	of             Phrase
	begins, holds  string
	session, after string // where a session id stands: behind the first, before the second
}

func phrases() []phrase {
	return []phrase{
		{of: RowLater, begins: "Session DB creation failed (will retry next turn)"},
		{of: ChildRolledBack, begins: "Compression child session create failed (", session: "rolling back to parent session ", after: " to avoid"},
		{of: AppendFailed, begins: "Session DB transcript append failed for ", session: "append failed for ", after: " (failure_count="},
		{of: QueueSpooled, begins: "Session DB transcript pending queue full for ", holds: "spooled", session: "queue full for ", after: " (cap="},
		{of: QueueDropped, begins: "Session DB transcript pending queue full for ", session: "queue full for ", after: " (cap="},
		{of: AppendRejected, begins: "Session DB transcript append rejected for compression-ended ", session: "compression-ended ", after: " with no unique live child"},
		{of: IndexCorrupt, begins: "state.db write failed with an FTS-corruption error ("},
		{of: IndexRebuilt, begins: "state.db FTS indexes rebuilt in place ("},
		{of: IndexRebuilt, begins: "Rebuilt stale state.db FTS indexes"},
		{of: IndexRebuilt, begins: "Rebuilt ", holds: "Session DB FTS index(es) after append corruption"},
		{of: IndexNotRebuilt, begins: "In-place FTS rebuild failed ("},
		{of: IndexOff, begins: "state.db FTS indexes remain corrupt ("},
		{of: ReadFailed, begins: "Transcript read failed for session ", session: "failed for session ", after: " (returning empty"},
		{of: Zeroed, begins: "state.db looks ZEROED ("},
		{of: SchemaBad, begins: "state.db schema is malformed ("},
		{of: Replaced, begins: "FATAL: ", holds: "state.db was replaced underneath the gateway"},
		{of: Replaced, begins: "FATAL: ", holds: "deleted state.db-wal or state.db-shm"},
		{of: NoStore, begins: "[gateway] Warning: SQLite session store unavailable, falling back to JSONL"},
		{of: NotADatabase, begins: "state.db connection reported 'file is not a database'"},
		{of: RoutesNotRead, begins: "state.db routing load failed: "},
		{of: RoutesNotSaved, begins: "state.db routing save failed: "},
		{of: RoutesImported, begins: "imported ", holds: " legacy sessions.json "},
	}
}

// phraseOf tells which phrase a message is; 0 = none. Most lines of a log are none, and are told apart by four letters.
func phraseOf(message []byte) Phrase {
	if len(message) < 4 {
		return 0
	}
	switch string(message[:4]) {
	case "Sess", "Comp", "In-p", "Rebu", "Tran", "FATA", "[gat", "stat", "impo":
	default:
		return 0
	}
	for _, p := range phrases() {
		if bytes.HasPrefix(message, []byte(p.begins)) && bytes.Contains(message, []byte(p.holds)) {
			return p.of
		}
	}
	return 0
}

// sessionOf gives the session that a message names; "" where it names none, or something that is no id.
func sessionOf(of Phrase, message string) string {
	for _, p := range phrases() {
		if p.of != of || p.session == "" {
			continue
		}
		_, rest, _ := strings.Cut(message, p.session)
		if id, _, ok := strings.Cut(rest, p.after); ok && named(id) {
			return id
		}
	}
	return ""
}

// readLagged reads `%s (disk=%d, memory=%d); …`. What the line calls a session is the routing key.
func readLagged(e *Event, s string) bool {
	var ok bool
	if e.Key, s, ok = strings.Cut(s, " (disk="); !ok || !named(e.Key) {
		return false
	}
	disk, s, ok := strings.Cut(s, ", memory=")
	if !ok {
		return false
	}
	memory, _, ok := strings.Cut(s, ")")
	if !ok {
		return false
	}
	var errs [2]error
	e.Disk, errs[0] = strconv.Atoi(disk)
	e.Memory, errs[1] = strconv.Atoi(memory)
	return errs[0] == nil && errs[1] == nil
}
