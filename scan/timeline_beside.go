package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// addRoutes adds what the routing entries of all scopes and of sessions.json say about time.
func (t *Timeline) addRoutes(e *exam, concerns func(string, ...string) bool) {
	rt, n := &e.facts.Routes, len(t.ready)
	for _, list := range [][]facts.Route{rt.Table, rt.Others, rt.File} {
		for k := range list {
			if r := &list[k]; concerns(r.Key, r.SessionID, r.Previous) {
				t.addRoute(e, r)
			}
		}
	}
	for k := range e.facts.Bindings {
		if b := &e.facts.Bindings[k]; concerns(b.Key, b.SessionID) {
			t.add(Event{At: float64(b.Updated), Kind: TopicBound, Store: e.facts.Store, SessionID: b.SessionID, SessionKey: b.Key, Platform: "telegram",
				What:   fmt.Sprintf("the topic %s of the chat %s is bound to row %s", b.ThreadID, b.ChatID, b.SessionID),
				Source: evidence.Ref{Store: e.facts.Store, Table: "telegram_dm_topic_bindings", Key: b.SessionID, Column: "updated_at"},
				How:    "SELECT * FROM telegram_dm_topic_bindings WHERE session_id = " + evidence.Quote(b.SessionID)})
		}
	}
	if len(t.ready) > n {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: local times of routing entries and logs: %s", e.facts.Store, rt.ZoneBy))
	}
}

func (t *Timeline) addRoute(e *exam, r *facts.Route) {
	add := func(at facts.Time, k EventKind, what string) {
		if r.Scope != "" && r.Scope != e.facts.Routes.Scope {
			what += " (of another place, " + r.Scope + ")"
		}
		t.add(Event{At: float64(at), Kind: k, Store: e.facts.Store, SessionID: r.SessionID, other: r.Previous, SessionKey: r.Key, Platform: r.Platform, What: what, Source: r.At, How: r.How})
	}
	after := ""
	if r.Previous != "" {
		after = ", after " + r.Previous
	}
	add(r.Created, RouteMade, fmt.Sprintf("the routing entry of %s is made; it names row %s%s", r.Key, r.SessionID, after))
	if r.Updated > r.Created || r.Created.Blank() {
		add(r.Updated, RouteUsed, fmt.Sprintf("the last use of the routing entry of %s, which names row %s", r.Key, r.SessionID))
	}
	add(r.Mark, ResumeMarked, fmt.Sprintf("row %s is marked to be resumed after a restart", r.SessionID))
	add(r.TurnStarted, TurnBegan, fmt.Sprintf("a turn of row %s begins, and its routing entry does not say that it ended", r.SessionID))
}

// logsOf are the logs of the store's home and of those around it.
func (r *runner) logsOf(ctx context.Context, e *exam) ([]*evidence.Logs, error) {
	var out []*evidence.Logs
	for h := e.store.Home; h != nil; h = h.Parent() {
		l, err := r.logs.Of(ctx, h)
		if err != nil {
			return nil, fmt.Errorf("read logs: %w", err)
		}
		if l != nil {
			out = append(out, l)
		}
	}
	return out, nil
}

// markLogs marks the lines of the logs of the store's own home; those of the home around it belong to that home's store,
// but for what concerns a row of this one.
func (t *Timeline) markLogs(at int16, concerns func(string, ...string) bool) {
	e, n := t.stores[at], len(t.marks)
	for k, l := range e.logs {
		ours := func(key string, sessions ...string) bool {
			if k > 0 && !slices.ContainsFunc(sessions, func(id string) bool { _, ok := e.facts.Index(id); return ok }) {
				return false
			}
			return concerns(key, sessions...)
		}
		for i := range l.Served {
			if s := &l.Served[i]; ours("", s.Session) {
				t.mark(mark{at: e.wall(s.At), row: int32(k), n: int64(i), store: at}, LogServed)
			}
		}
		for i := range l.Told {
			if m := &l.Told[i]; ours(m.Key, m.Session, m.To) {
				t.mark(mark{at: e.wall(m.At), row: int32(k), n: int64(i), store: at}, LogLine)
			}
		}
		if k == 0 && l.Untold > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d lines of logs beyond the first %d are left out", e.facts.Store, l.Untold, len(l.Told)))
		}
	}
	if len(t.marks) > n {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: local times of routing entries and logs: %s", e.facts.Store, e.facts.Routes.ZoneBy))
	}
}

// line tells a line of a log, or the first pair of lines by which a session answered a chat.
func (t *teller) line(m *mark) Event {
	ev := Event{At: m.at, Kind: t.kinds[m.rank], Store: t.facts.Store}
	if ev.Kind == LogServed {
		s := &t.logs[m.row].Served[m.n]
		ev.SessionID, ev.Platform, ev.Source, ev.How = s.Session, s.Platform, s.Inbound(), s.How()
		ev.What = fmt.Sprintf("a message of the %s chat %s comes in, and row %s begins to answer the same text", s.Platform, s.Chat, s.Session)
		if s.Count > 1 {
			ev.What += fmt.Sprintf(" (the first of %d such pairs)", s.Count)
		}
	} else {
		l := &t.logs[m.row].Told[m.n]
		ev.SessionID, ev.SessionKey, ev.What = l.Session, l.Key, l.What
		if l.To != "" {
			ev.SessionID, ev.other = l.To, l.Session
		}
		ev.Source, ev.How = l.Line()
	}
	t.identify(&ev)
	return ev
}

// identify gives an event the key and the platform of the row that it names.
func (e *exam) identify(ev *Event) {
	i, ok := e.facts.Index(ev.SessionID)
	if !ok || ev.SessionID == "" {
		return
	}
	s := &e.facts.Sessions[i]
	if ev.SessionKey == "" {
		ev.SessionKey = s.SessionKey
	}
	if ev.Platform == "" {
		ev.Platform = s.Source
	}
	ev.chat = e.chatOf(i)
}

// addCheckpoints adds every checkpoint of the bases.
func (t *Timeline) addCheckpoints(out *Result) {
	for i := range out.Checkpoints {
		p := &out.Checkpoints[i]
		dir := p.Base + "/" + p.Store
		name := "project " + p.ID
		if p.Workdir != "" {
			name += " (" + p.Workdir + ")"
		}
		for k := range p.Checkpoints {
			c := &p.Checkpoints[k]
			what := fmt.Sprintf("checkpoint %d of %s is taken", c.N, name)
			if len(c.Nested) > 0 {
				var paths []string
				for _, n := range c.Nested[:min(len(c.Nested), 3)] {
					paths = append(paths, n.Path)
				}
				what += "; it holds nothing of the repositories in " + strings.Join(paths, ", ")
				if more := len(c.Nested) - len(paths); more > 0 {
					what += fmt.Sprintf(" and %d more", more)
				}
			}
			t.add(Event{At: c.At, Kind: Checkpointed, Store: p.Base, What: what, Source: evidence.Ref{Path: dir, Key: "commit " + c.ID},
				How: "GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --git-dir=" + ShellQuote(dir) + " log -1 --format=fuller " + c.ID})
		}
	}
}
