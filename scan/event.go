package scan

import (
	"iter"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// EventKind says what kind of trace an event was read from.
type EventKind string

// The kinds of events; at the same moment they come in the order of eventRank.
const (
	RowBegan      EventKind = "row-began"     // started_at of a session row
	RouteMade     EventKind = "route-made"    // created_at of a routing entry
	TopicBound    EventKind = "topic-bound"   // updated_at of a Telegram topic's binding
	FirstMessage  EventKind = "first-message" // of a session row, or of messages without one
	EmptyRead     EventKind = "empty-read"    // a repeated session_meta message: the reader got no history (spec/state-db.md 3.2)
	Silence       EventKind = "silence"       // from one message of a row to the next
	LastMessage   EventKind = "last-message"
	RowEnded      EventKind = "row-ended"
	RouteUsed     EventKind = "route-used"    // updated_at of a routing entry
	ResumeMarked  EventKind = "route-marked"  // last_resume_marked_at of a routing entry
	TurnBegan     EventKind = "turn-began"    // active_turn_started_at of a routing entry: the turn never ended
	LogServed     EventKind = "log-served"    // the log's first pair of a message and the session that answered it
	LogLine       EventKind = "log-line"      // a line of spec/state-db.md 1.5
	Checkpointed  EventKind = "checkpoint"    // the time of a checkpoint
	Reconstructed EventKind = "reconstructed" // a step of the incident of August 2026, put together from the others
)

// Step is one of the four steps in which a chat wakes up in the past (#82616). It is named only where its evidence is
// there.
type Step string

// The steps, in the order in which they happen. JumpAhead stands for Jump where no message shows that it happened and
// the resolver says that it would.
const (
	Fork         Step = "fork"
	SilentGrowth Step = "silent-growth"
	Crash        Step = "crash"
	Jump         Step = "jump"
	JumpAhead    Step = "jump-ahead"
)

// Event is one thing that happened, with the place that says so.
type Event struct {
	At         float64 // epoch seconds
	Kind       EventKind
	Step       Step   // "" = none; several steps may rest on one chat's rows
	What       string // in plain words, without message text
	Store      string // of the row, or of the home that a log or a store of checkpoints lies in; "" = none
	SessionID  string
	SessionKey string // that a row or a line names; "" = none
	Platform   string // the row's source; "" = unknown
	Source     evidence.Ref
	How        string // the SQL or command that shows it again

	chat  string // the key that an adoption would give to the row
	other string // a second session that the line names: a key was moved away from it
}

// Concerns says that the event is about a chat, by the key that it names or that an adoption would give, and about a
// session row; "" means any.
func (e *Event) Concerns(chat, session string) bool {
	return (chat == "" || e.SessionKey == chat || e.chat == chat) && (session == "" || e.SessionID == session || e.other == session)
}

// Timeline is what happened in all inputs in the order of time. It refers to the facts of the scan, and makes each
// event when it is asked for.
type Timeline struct {
	Notes []string // what a reader must know about times, and what was left out

	marks  []mark
	ready  []Event
	stores []*exam
	keep   []func(*Event) bool
}

// TimelineOf makes a timeline of events that are at hand; those whose time is not within 1 … 4 200 000 000 are left out.
func TimelineOf(events ...Event) *Timeline {
	t := &Timeline{}
	for _, e := range events {
		t.add(e)
	}
	t.sort()
	return t
}

// mark is an event about a session row in few bytes: a large file has a hundred thousand.
type mark struct {
	at    float64
	n     int64   // of EmptyRead the message's id; of a line of a log, and of a ready event, its place
	span  float64 // of Silence, seconds
	row   int32   // of the store's facts; negative = a stray, counted from -1; of a line of a log which logs it is in
	count int32   // of EmptyRead, which one it is in its row
	store int16   // -1 = the event is ready
	rank  uint8
}

// eventRank orders the kinds at one moment, and is the number of a kind in a mark.
func eventRank() []EventKind {
	return []EventKind{RowBegan, RouteMade, TopicBound, LogServed, FirstMessage, EmptyRead, Silence, LastMessage, RowEnded, RouteUsed, ResumeMarked, TurnBegan, LogLine, Checkpointed, Reconstructed}
}

func rankOf(k EventKind) uint8 { return uint8(slices.Index(eventRank(), k)) }

// Narrow leaves out the events for which keep is false.
func (t *Timeline) Narrow(keep func(e *Event) bool) { t.keep = append(t.keep, keep) }

// Events gives the events in the order of time; those of one moment in the order of their kinds, stores and rows.
func (t *Timeline) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		tellers := make([]*teller, len(t.stores))
		for i, e := range t.stores {
			tellers[i] = newTeller(e)
		}
		for i := range t.marks {
			m, ev := &t.marks[i], Event{}
			if m.store < 0 {
				ev = t.ready[m.n]
			} else {
				ev = tellers[m.store].tell(m)
			}
			if slices.ContainsFunc(t.keep, func(keep func(*Event) bool) bool { return !keep(&ev) }) {
				continue
			}
			if !yield(ev) {
				return
			}
		}
	}
}

// add keeps an event that is whole already, unless its time cannot be true.
func (t *Timeline) add(e Event) {
	if !(e.At >= 1 && e.At <= 4_200_000_000) {
		return
	}
	t.marks = append(t.marks, mark{at: e.At, n: int64(len(t.ready)), store: -1, rank: rankOf(e.Kind)})
	t.ready = append(t.ready, e)
}

// sort puts the marks into their order. Ready events of one moment and kind keep the order in which they were added.
func (t *Timeline) sort() {
	slices.SortStableFunc(t.marks, func(a, b mark) int {
		switch {
		case a.at != b.at:
			return order(a.at < b.at)
		case a.rank != b.rank:
			return order(a.rank < b.rank)
		case a.store != b.store:
			return order(a.store < b.store)
		case a.row != b.row:
			return order(a.row < b.row)
		case a.n != b.n:
			return order(a.n < b.n)
		}
		return 0
	})
}

func order(before bool) int {
	if before {
		return -1
	}
	return 1
}

// settle makes every event now and lets go of the facts.
func (t *Timeline) settle() {
	var ready []Event
	for e := range t.Events() {
		ready = append(ready, e)
	}
	t.marks, t.ready, t.stores = nil, nil, nil
	for _, e := range ready {
		t.add(e)
	}
}
