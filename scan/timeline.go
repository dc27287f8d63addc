package scan

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// DefaultSilence is how many seconds without a message a timeline tells as a silence, unless it is told otherwise: a day.
const DefaultSilence = 86400

// troubled bounds the rows of a store whose events every scan tells.
const troubled = 200

// tellTime makes the timeline: of everything with Options.Timeline, else of the chats in trouble and of the one that is asked
// about. An error means that ctx
// has ended.
func (r *runner) tellTime(ctx context.Context) error {
	t := &Timeline{}
	r.out.Timeline = t
	least := r.options.Silence
	if !(least > 0) {
		least = DefaultSilence
	}
	for _, e := range r.stores {
		if e.classes == nil { // it could not be examined
			continue
		}
		r.tell("put events in order", 0)
		var only map[int32]bool
		if !r.options.Timeline {
			var left int
			if only, left = e.inTrouble(); left > 0 {
				t.Notes = append(t.Notes, fmt.Sprintf("%s: the timeline of a scan leaves out %s in trouble; the command timeline has all", e.facts.Store, Count(left, "row")))
			}
			r.addAsked(e, only)
			if len(only) == 0 && !r.asked() {
				continue
			}
		}
		t.stores = append(t.stores, e)
		if err := r.tellStore(ctx, t, int16(len(t.stores)-1), only, least); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// What the checks found stands all the same; a timeline that was asked for is not whole.
			t.Notes = append(t.Notes, fmt.Sprintf("%s: events are missing: %v", e.facts.Store, err))
			r.out.Partial = r.out.Partial || r.options.Timeline
		}
	}
	if r.options.Timeline {
		t.addCheckpoints(r.out)
	}
	slices.Sort(t.Notes)
	t.Notes = slices.Compact(t.Notes)
	t.sort()
	if !r.options.Timeline {
		t.settle()
	}
	return nil
}

// inTrouble lists the rows of the chats that stories tell of, no more than a bound, and says how many were left out.
func (e *exam) inTrouble() (rows map[int32]bool, left int) {
	rows = map[int32]bool{}
	add := func(i int32) {
		switch {
		case i < 0 || rows[i]:
		case len(rows) >= troubled:
			left++
		default:
			rows[i] = true
		}
	}
	for _, i := range e.adopted.Orphans {
		add(i)
		if e.adopted.Adoption(i).Decision != adopt.Refuse {
			add(e.adopted.Predecessor(i))
		}
	}
	for _, z := range e.zombies {
		if z.Resumed {
			add(z.Row)
			add(z.Newer)
		}
	}
	return rows, left
}

// tellStore marks the events of one store; of the rows in only, unless it is nil.
func (r *runner) tellStore(ctx context.Context, t *Timeline, at int16, only map[int32]bool, least float64) error {
	e := t.stores[at]
	timeless := t.markRows(at, only)
	if timeless > 0 && only == nil {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %s no usable time and do not appear", e.facts.Store, have(timeless, "row")))
	}
	for k := range e.facts.Strays {
		st := &e.facts.Strays[k]
		if (only == nil || r.asked() && st.SessionID == r.options.Session) && st.First.Trusted() {
			t.mark(mark{at: float64(st.First), row: int32(-1 - k), store: at}, FirstMessage)
			if st.Last > st.First {
				t.mark(mark{at: float64(st.Last), row: int32(-1 - k), store: at}, LastMessage)
			}
		}
	}
	if err := t.markSilences(ctx, at, only, least); err != nil {
		return err
	}
	if err := t.markEmptyReads(ctx, at, only); err != nil {
		return err
	}
	concerns := e.concerns(only, r.options.Chat, r.options.Session)
	t.addRoutes(e, concerns)
	var err error
	if e.logs, err = r.logsOf(ctx, e); err != nil {
		return err
	}
	t.markLogs(at, concerns)
	return r.addSteps(ctx, t, e, only)
}

func have(n int, noun string) string {
	if n == 1 {
		return Count(n, noun) + " has"
	}
	return Count(n, noun) + " have"
}

func (t *Timeline) mark(m mark, k EventKind) {
	m.rank = rankOf(k)
	t.marks = append(t.marks, m)
}

// markRows marks how rows begin and end, and their first and last messages. It says how many rows have no usable time.
func (t *Timeline) markRows(at int16, only map[int32]bool) (timeless int) {
	f := t.stores[at].facts
	for i := range f.Sessions {
		if only != nil && !only[int32(i)] {
			continue
		}
		s, before := &f.Sessions[i], len(t.marks)
		add := func(when facts.Time, k EventKind) {
			if when.Trusted() {
				t.mark(mark{at: float64(when), row: int32(i), store: at}, k)
			}
		}
		add(s.Started, RowBegan)
		add(s.First, FirstMessage)
		if s.Last > s.First {
			add(s.Last, LastMessage)
		}
		add(s.Ended, RowEnded)
		if len(t.marks) == before {
			timeless++
		}
	}
	return timeless
}

// ofRows is the end of a statement over messages that keeps those of some rows, with its argument.
func (e *exam) ofRows(only map[int32]bool) (where string, args []any, err error) {
	if only == nil {
		return "", nil, nil
	}
	ids := make([]string, 0, len(only))
	for i := range only {
		ids = append(ids, e.facts.Sessions[i].ID)
	}
	slices.Sort(ids)
	text, err := json.Marshal(ids)
	if err != nil {
		return "", nil, fmt.Errorf("spell the ids: %w", err)
	}
	return " AND session_id IN (SELECT value FROM json_each(?))", []any{string(text)}, nil
}

// markSilences marks where a row has no message for at least that many seconds, between two messages.
func (t *Timeline) markSilences(ctx context.Context, at int16, only map[int32]bool, least float64) error {
	e := t.stores[at]
	table := e.store.DB.Table("messages")
	if table == nil || !table.Has("timestamp") || !table.Has("session_id") {
		return nil
	}
	where, args, err := e.ofRows(only)
	if err != nil {
		return err
	}
	q := `SELECT session_id, former, timestamp - former FROM (
		SELECT session_id, timestamp, lag(timestamp) OVER (PARTITION BY session_id ORDER BY timestamp) AS former
		FROM messages WHERE +timestamp BETWEEN 1 AND 4200000000` + where + `) WHERE timestamp - former >= ?`
	return e.store.DB.Query(ctx, q, append(args, least), func(v []evidence.Value) error {
		if i, ok := e.facts.Index(v[0].String()); ok && (only == nil || only[i]) {
			t.mark(mark{at: v[1].Number(), span: v[2].Number(), row: i, store: at}, Silence)
		}
		return nil
	})
}

// markEmptyReads marks every session_meta message of a row but its first: the gateway writes one at the end of a turn
// whose loaded history was empty (spec/state-db.md 3.2).
func (t *Timeline) markEmptyReads(ctx context.Context, at int16, only map[int32]bool) error {
	e := t.stores[at]
	table := e.store.DB.Table("messages")
	if table == nil || !table.Has("role") || !table.Has("timestamp") || !table.Has("session_id") || !table.Has("id") {
		return nil
	}
	where, args, err := e.ofRows(only)
	if err != nil {
		return err
	}
	seen := map[int32]int32{}
	q := "SELECT session_id, id, timestamp FROM messages WHERE role = 'session_meta'" + where + " ORDER BY id"
	return e.store.DB.Query(ctx, q, args, func(v []evidence.Value) error {
		i, ok := e.facts.Index(v[0].String())
		if !ok || only != nil && !only[i] {
			return nil
		}
		if seen[i]++; seen[i] > 1 && facts.Time(v[2].Number()).Trusted() {
			t.mark(mark{at: v[2].Number(), n: v[1].Int, count: seen[i], row: i, store: at}, EmptyRead)
		}
		return nil
	})
}

// asked says that one chat or one session is asked about.
func (r *runner) asked() bool { return r.options.Chat+r.options.Session != "" }

// addAsked adds the rows of the chat or the session that is asked about, those that an adoption would give to the chat too.
func (r *runner) addAsked(e *exam, rows map[int32]bool) {
	if !r.asked() {
		return
	}
	for i := range e.facts.Sessions {
		s := &e.facts.Sessions[i]
		if s.ID != "" && s.ID == r.options.Session || r.options.Chat != "" && (s.SessionKey == r.options.Chat || e.chatOf(int32(i)) == r.options.Chat) {
			rows[int32(i)] = true
		}
	}
}

// concerns makes the test whether a line or a routing entry is about one of some rows, by its id or its chat, or names a chat or
// a session that need not have a row.
func (e *exam) concerns(only map[int32]bool, chat, session string) func(key string, sessions ...string) bool {
	if only == nil {
		return func(string, ...string) bool { return true }
	}
	keys, ids := map[string]bool{chat: chat != ""}, map[string]bool{session: session != ""}
	for i := range only {
		s := &e.facts.Sessions[i]
		if s.ID != "" {
			ids[s.ID] = true
		}
		for _, k := range []string{s.SessionKey, e.chatOf(i)} {
			if k != "" {
				keys[k] = true
			}
		}
	}
	return func(key string, sessions ...string) bool {
		return keys[key] || slices.ContainsFunc(sessions, func(id string) bool { return ids[id] })
	}
}

// wall turns a log's own wall clock, read as if it were UTC, into epoch seconds by the zone of the store's home.
func (e *exam) wall(at float64) float64 {
	whole := math.Floor(at)
	u := time.Unix(int64(whole), 0).UTC()
	local := time.Date(u.Year(), u.Month(), u.Day(), u.Hour(), u.Minute(), u.Second(), 0, e.facts.Routes.Zone)
	return float64(local.Unix()) + at - whole
}
