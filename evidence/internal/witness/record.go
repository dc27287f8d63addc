package witness

import (
	"bytes"
	"strings"
	"time"
)

// Kind says what a line of a log tells.
type Kind uint8

// The kinds of lines that are read; at the same moment they come in this order.
const (
	Inbound   Kind = iota // a message of a chat came in
	Turn                  // a session began to answer a message
	Ready                 // the answer went to a chat
	Repointed             // startup moved a key from an ended session to another
	Pruned                // startup dropped a key
	Dropped               // a running gateway dropped a key whose session was ended
	Healed                // a key moved from a compressed session to its child
	NotMade               // the row of a key's session could not be made
	NotEnded              // the row of a key's former session could not be ended
	Lagged                // the reader got less from the file than the gateway held in memory
	Trouble               // what the product says about its own store; Phrase tells which
)

// Witnesses says that a line of this kind names the session of a key or a chat; the others only tell what happened.
func (k Kind) Witnesses() bool { return k <= NotEnded }

// Event is one line of a log that names a chat or a session. Fields that the line does not have are "".
type Event struct {
	Kind     Kind
	At       float64 // seconds since 1970 of the log's own wall clock, as if its zone were UTC
	Platform string
	Chat     string
	User     string // a name, or an id where there is no name
	Session  string
	To       string // the session that a key was moved to
	Key      string
	Reason   string
	Phrase   Phrase // of Trouble
	Disk     int    // of Lagged: messages that the file gave
	Memory   int    // of Lagged: messages that the gateway held
	File     int    // given by the caller of Parse
	Line     int

	text string // the beginning of a message; it never leaves the package
}

// Parse reads one line; false where it is none of those that matter, or is cut. The wording is that of spec/state-db.md
// 1.5; a message may begin with the name of the module a second time.
func Parse(line []byte) (e Event, ok bool) {
	message := body(line)
	if len(message) > 0 && message[0] == 'g' {
		message = bytes.TrimPrefix(message, []byte("gateway.session: "))
	}
	kind, begins := kindOf(message)
	if begins == 0 {
		return Event{}, false
	}
	e.Kind = kind
	if kind == Trouble {
		e.At, ok = stamp(line)
		e.Phrase = phraseOf(message)
		e.Session = sessionOf(e.Phrase, string(message))
		return e, ok
	}
	if e.At, ok = stamp(line); !ok {
		return Event{}, false
	}
	return e, read(&e, string(message[begins:]))
}

// kindOf tells what a message is by how it begins, and how long that is; 0 = it is none that matters.
func kindOf(message []byte) (kind Kind, begins int) {
	if len(message) == 0 {
		return 0, 0
	}
	try := func(k Kind, phrase string) {
		if begins == 0 && len(message) > len(phrase) && string(message[:len(phrase)]) == phrase {
			kind, begins = k, len(phrase)
		}
	}
	switch message[0] { // most lines of a log are none of these
	case 'i':
		try(Inbound, "inbound message: ")
	case 'c':
		try(Turn, "conversation turn: ")
	case 'r':
		try(Ready, "response ready: ")
		try(Repointed, "repointing stale sessions.json entry ")
		try(Dropped, "routing key ")
	case 'p':
		try(Pruned, "pruning stale sessions.json entry ")
	case 'P':
		try(Lagged, "Persisted transcript lagged live cached history for session ")
	case 'S':
		try(Healed, "SessionStore healed compressed session mapping: ")
	case 'F':
		try(NotMade, "Failed to create session row ")
		try(NotEnded, "Failed to end predecessor session row ")
	}
	if begins == 0 && phraseOf(message) != 0 {
		return Trouble, len(message)
	}
	return kind, begins
}

// read takes what follows a phrase; false where it is cut or can be read in two ways.
func read(e *Event, rest string) bool {
	switch e.Kind {
	case Inbound:
		return readInbound(e, rest)
	case Turn:
		return readTurn(e, rest)
	case Ready:
		return readReady(e, rest)
	case Repointed:
		return readRepointed(e, rest)
	case Pruned:
		return readPruned(e, rest)
	case Dropped:
		return readDropped(e, rest)
	case Healed:
		return readHealed(e, rest)
	case Lagged:
		return readLagged(e, rest)
	}
	return sessionAndKey(e, rest)
}

// form is the asctime that a record begins with; a fraction of a second may follow.
const form = "0000-00-00 00:00:00"

// stamp reads the time of a record as if its zone were UTC.
func stamp(line []byte) (at float64, ok bool) {
	var n [6]int
	field := 0
	for i := range len(form) {
		c := line[i]
		if form[i] == '0' {
			if c < '0' || c > '9' {
				return 0, false
			}
			n[field] = n[field]*10 + int(c-'0')
			continue
		}
		if c != form[i] && !(i == 10 && c == 'T') {
			return 0, false
		}
		field++
	}
	at = float64(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC).Unix())
	if line[len(form)] == ' ' {
		return at, true
	}
	milli, digits := 0, 0
	for _, c := range line[len(form)+1:] {
		if c < '0' || c > '9' || digits == 3 {
			break
		}
		milli, digits = milli*10+int(c-'0'), digits+1
	}
	for ; digits < 3; digits++ {
		milli *= 10
	}
	return at + float64(milli)/1000, true
}

// body gives the message of a record: what follows the time, the level, the session in brackets and the logger's name.
// It is asked about every line of every log.
func body(line []byte) []byte {
	if len(line) < len(form)+2 || line[4] != '-' || line[7] != '-' || line[13] != ':' || line[16] != ':' {
		return nil
	}
	rest := line[len(form):]
	if rest[0] != ' ' && rest[0] != ',' && rest[0] != '.' {
		return nil
	}
	rest = afterSpace(afterSpace(rest)) // the fraction of a second, and the level
	if len(rest) > 0 && rest[0] == '[' {
		i := bytes.IndexByte(rest, ' ')
		if i < 1 || rest[i-1] != ']' {
			return nil
		}
		rest = rest[i+1:]
	}
	i := bytes.IndexByte(rest, ' ')
	if i < 1 || rest[i-1] != ':' { // the logger
		return nil
	}
	return rest[i+1:]
}

// afterSpace gives what follows the first space; nil where there is none. It is for spaces that are near.
func afterSpace(s []byte) []byte {
	for i, c := range s {
		if c == ' ' {
			return s[i+1:]
		}
	}
	return nil
}

// between gives what lies between two marks, the first of which must begin s, and what follows the second.
func between(s, from, to string) (value, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, from)
	if !ok {
		return "", "", false
	}
	return strings.Cut(s, to)
}
