package scan

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// unfinished is how many seconds of activity must lie behind the beginning of a turn that never ended before it shows
// that its gateway was killed: a copy of a running gateway has such a turn too.
const unfinished = 3600

// incident is an orphan with the row that it continues, and the keyed row that its chat falls back to.
type incident struct {
	orphan, before, keyed int32
	chat                  facts.Chat
	certain               bool // the adoption needs no consent
}

// addSteps names the steps in which a chat woke up in the past, each only where its own evidence is there.
func (r *runner) addSteps(ctx context.Context, t *Timeline, e *exam, only map[int32]bool) error {
	var found []incident
	var probes []facts.Probe
	for _, i := range e.adopted.Orphans {
		in, ok := e.incident(i)
		if !ok || only != nil && !only[i] {
			continue
		}
		found = append(found, in)
		s := &e.facts.Sessions[i]
		probes = append(probes, facts.Probe{Row: in.before, At: s.Start()}, facts.Probe{Row: in.keyed, At: s.First}, facts.Probe{Row: in.keyed, At: s.Last})
	}
	around, err := e.facts.Around(ctx, e.store.DB, probes)
	if err != nil {
		return err
	}
	told := map[facts.Chat]bool{}
	for k := len(found) - 1; k >= 0; k-- { // of a chat's orphans the last decides about the jump
		in := &found[k]
		s := &e.facts.Sessions[in.orphan]
		t.addFork(e, in, around[facts.Probe{Row: in.before, At: s.Start()}].Before)
		if a := around[facts.Probe{Row: in.keyed, At: s.First}]; s.Last > s.First && (a.After.Blank() || a.After > s.Last) {
			t.addGrowth(e, in)
		}
		r.addCrash(t, e, in)
		if !told[in.chat] {
			told[in.chat] = true
			r.addJump(t, e, in, around[facts.Probe{Row: in.keyed, At: s.Last}].After)
		}
	}
	return nil
}

// incident tells whether an orphan continues a keyed row, directly or through other orphans, and has times to tell by.
func (e *exam) incident(i int32) (in incident, ok bool) {
	a := e.adopted.Adoption(i)
	if a == nil || a.Decision == adopt.Refuse || a.SessionKey == "" {
		return in, false
	}
	in = incident{orphan: i, before: e.adopted.Predecessor(i), chat: facts.Chat{Source: e.facts.Sessions[i].Source, Key: a.SessionKey}, certain: a.Decision == adopt.Adopt}
	in.keyed = in.before
	for range len(e.adopted.Orphans) { // a chain of orphans
		if in.keyed < 0 || e.facts.Sessions[in.keyed].Keyed() {
			break
		}
		in.keyed = e.adopted.Predecessor(in.keyed)
	}
	if row := e.answer(in.chat).Row; row >= 0 && e.orphans[row] {
		return in, false // a restart finds the talk all the same, by a routing entry
	}
	s := &e.facts.Sessions[i]
	return in, in.keyed >= 0 && s.Start().Trusted() && s.First.Trusted() && s.Last.Trusted()
}

// step makes the event of a step about a row.
func (e *exam) step(in *incident, step Step, row int32, at facts.Time, what string, item evidence.Item) Event {
	if !in.certain {
		what += " (if these rows are one conversation: its owner must say)"
	}
	s := &e.facts.Sessions[row]
	return Event{At: float64(at), Kind: Reconstructed, Step: step, What: what, Store: e.facts.Store, SessionID: s.ID, SessionKey: s.SessionKey,
		Platform: s.Source, Source: item.At, How: item.Command(), chat: in.chat.Key}
}

// addFork: a new row took the chat's talk over and got none of its identity. quiet is the last message before it in the row
// that it continues.
func (t *Timeline) addFork(e *exam, in *incident, quiet facts.Time) {
	s, p := &e.facts.Sessions[in.orphan], &e.facts.Sessions[in.before]
	what := fmt.Sprintf("the chat %s forks: row %s takes over and has no routing identity", in.chat.Key, s.ID)
	if quiet.Trusted() {
		what += fmt.Sprintf(", %s after the last message in row %s", Age(float64(s.Start()-quiet)), p.ID)
	}
	if p.Keyed() && p.Live() {
		what += fmt.Sprintf("; row %s stays open with the chat's key", p.ID)
	}
	item := newTeller(e).pass.Cells(in.orphan, "", "session_key", "chat_id", "chat_type", "user_id", "started_at")
	t.add(e.step(in, Fork, in.orphan, s.Start(), what, item))
}

// addGrowth: messages went into the new row, and none into the one that holds the chat's key.
func (t *Timeline) addGrowth(e *exam, in *incident) {
	s := &e.facts.Sessions[in.orphan]
	what := fmt.Sprintf("until %s %s go into row %s, and none into row %s, which holds the chat's key",
		Moment(s.Last), Count(s.Messages, "message"), s.ID, e.facts.Sessions[in.keyed].ID)
	t.add(e.step(in, SilentGrowth, in.orphan, s.First, what, newTeller(e).pass.Span(in.orphan)))
}

// addCrash: a start of the gateway says that it found what a crashed one left, or a turn of the chat never ended.
func (r *runner) addCrash(t *Timeline, e *exam, in *incident) {
	s := &e.facts.Sessions[in.orphan]
	ours := func(key, session string) bool {
		return key == in.chat.Key || session == s.ID || session == e.facts.Sessions[in.keyed].ID
	}
	for _, l := range e.logs {
		for i := range l.Told {
			m := &l.Told[i]
			at := facts.Time(e.wall(m.At))
			if !m.Crash || !ours(m.Key, m.Session) || at < s.Last {
				continue
			}
			what := fmt.Sprintf("a gateway starts and drops the entry of %s that a crashed one left", in.chat.Key)
			place, how := m.Line()
			t.add(e.step(in, Crash, in.orphan, at, what, evidence.Item{At: place, How: how}))
			return
		}
	}
	for _, list := range [][]facts.Route{e.facts.Routes.Table, e.facts.Routes.File} {
		for k := range list {
			rt := &list[k]
			if at := rt.TurnStarted; at.Trusted() && at >= s.First && r.out.Now-float64(at) >= unfinished && ours(rt.Key, rt.SessionID) {
				what := fmt.Sprintf("the turn that now begins in row %s never ends, and the copy is %s younger", rt.SessionID, Age(r.out.Now-float64(at)))
				t.add(e.step(in, Crash, in.orphan, at, what, evidence.Item{At: rt.At, How: rt.How}))
				return
			}
		}
	}
}

// addJump: a message of the chat went into the old row again; or none did yet, and a restart would pick it.
func (r *runner) addJump(t *Timeline, e *exam, in *incident, after facts.Time) {
	s, k := &e.facts.Sessions[in.orphan], &e.facts.Sessions[in.keyed]
	if after.Trusted() {
		what := fmt.Sprintf("the chat's next message goes into row %s again, past the %s in row %s", k.ID, Count(s.Messages, "message"), s.ID)
		item := evidence.Item{At: evidence.Ref{Store: e.facts.Store, Table: "messages", Key: k.ID, Column: "timestamp"},
			How: fmt.Sprintf("SELECT id, timestamp FROM messages WHERE session_id = %s AND timestamp > %s ORDER BY timestamp LIMIT 1", evidence.Quote(k.ID), evidence.FormatFloat(float64(s.Last)))}
		t.add(e.step(in, Jump, in.keyed, after, what, item))
		return
	}
	a := e.answer(in.chat)
	if a.Row < 0 || a.Row == in.orphan || e.orphans[a.Row] {
		return
	}
	row := &e.facts.Sessions[a.Row]
	old := ""
	if row.Act().Trusted() && s.Last > row.Act() {
		old = fmt.Sprintf(", whose last activity is %s older than that of row %s", Age(float64(s.Last-row.Act())), s.ID)
	}
	what := fmt.Sprintf("a restart now gives the chat %s row %s%s", in.chat.Key, row.ID, old)
	item := evidence.Item{At: e.facts.Locate(a.Row, ""), How: "hermes-doctor resume --chat " + ShellQuote(in.chat.Key) + " " + r.target()}
	t.add(e.step(in, JumpAhead, a.Row, facts.Time(r.out.Now), what, item))
}

// target is the input as the caller typed it.
func (r *runner) target() string {
	if r.options.Target == "" {
		return "COPY"
	}
	return r.options.Target
}
