package resume

import (
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// entry is a routing entry as the gateway holds it in memory.
type entry struct {
	*facts.Route
	source string // where it was loaded from
	moved  bool   // repointed at load
	row    int32  // of its session; -1 = there is none

	// What the start may change; the Route is shared.
	suspended, pending bool
	mark               facts.Time
}

// Loaded is the gateway's state after it has read its routing index and before any message.
type Loaded struct {
	*Resolver
	view    *facts.View // the rows as the load left them
	entries map[string]*entry
	dropped map[string]string // why a key's entry did not survive the load
	stuck   bool              // an entry's own row could not be read: nothing was dropped
}

// Load reads the routing index over the rows of v and does to both what the gateway does at its start.
func (r *Resolver) Load(v *facts.View) *Loaded {
	l := &Loaded{Resolver: r, view: v.Fork(), entries: make(map[string]*entry, len(r.facts.Routes.Table)+len(r.facts.Routes.File)), dropped: map[string]string{}}
	var order []string
	add := func(list []facts.Route, source string) {
		for k := range list {
			e := &list[k]
			if _, taken := l.entries[e.Key]; taken || e.Refused != "" {
				continue
			}
			row, ok := r.facts.Index(e.SessionID)
			if !ok {
				row = -1
			}
			l.entries[e.Key] = &entry{Route: e, source: source, row: row, suspended: e.Suspended, pending: e.Pending, mark: e.Mark}
			order = append(order, e.Key)
		}
	}
	rt := &r.facts.Routes
	if r.gen != V018 {
		add(rt.Table, "gateway_routing")
	}
	if rt.FileLost == "" || r.gen == V021 {
		add(rt.File, "sessions.json")
	}
	var drops []string
	for _, key := range order {
		if l.prune(key) {
			drops = append(drops, key)
		}
	}
	for _, key := range drops {
		if l.stuck {
			delete(l.dropped, key)
			continue
		}
		delete(l.entries, key)
	}
	l.start()
	return l
}

// prune does to one loaded entry what the start does; true means that it is dropped after the whole pass.
func (l *Loaded) prune(key string) bool {
	e := l.entries[key]
	i := e.row
	if i < 0 {
		return false // a missing row keeps the entry
	}
	if len(l.view.Garbled[i]) > 0 && l.gen != V018 {
		l.stuck = true
		return false
	}
	row := l.view.Row(i)
	if !row.HasReason {
		return false
	}
	if l.gen == V018 {
		l.dropped[key] = "its row had ended (" + row.EndReason + ")"
		return true
	}
	if e.Origin == nil {
		l.dropped[key] = "its row had ended and it has no origin"
		return true
	}
	return l.repoint(key, e, i)
}

// repoint looks for another row for an entry whose own row i has ended.
func (l *Loaded) repoint(key string, e *entry, i int32) bool {
	o := e.Origin
	f, err := l.find(l.view, facts.Chat{Source: o.Platform, Key: key}, func() (facts.Peer, bool) { return o.Peer(), o.ScopeID != "" })
	switch {
	case err != nil:
		return false
	case f.row < 0:
		l.dropped[key] = "its row had ended and no other was found"
		return true
	}
	row := l.view.Row(f.row)
	if reason := l.due(l.facts.Config.Policy(o.Platform, o.ChatType), clock(row)); reason != "" {
		l.view.Change(f.row, func(s *facts.Session) { promote(s, reason, l.now) })
		l.dropped[key] = "the row that replaces it was overdue and was ended (" + reason + ")"
		return true
	}
	l.view.Change(f.row, func(s *facts.Session) { s.Ended, s.EndReason, s.HasReason = facts.Never(), "", false })
	if f.row == i {
		if l.gen == V021 {
			return false
		}
		l.dropped[key] = "its row was reopened"
		return true
	}
	fresh := &facts.Route{Key: key, SessionID: row.ID, Origin: o, Platform: e.Platform, ChatType: e.ChatType,
		Created: row.Started, Updated: clock(row), Mark: facts.Never(), TurnStarted: facts.Never(), At: e.At, How: e.How}
	l.entries[key] = &entry{Route: fresh, source: e.source, moved: true, row: f.row, mark: facts.Never()}
	return false
}

// promote ends a row for a reset, which overwrites only an open end or an accidental one.
func promote(s *facts.Session, reason string, now facts.Time) {
	if !s.HasReason || s.EndReason == "agent_close" || s.EndReason == "ws_orphan_reap" {
		s.Ended, s.EndReason, s.HasReason = now, reason, true
	}
}

// start does what happens between the load and the first message: marks of interrupted turns, and suspensions.
func (l *Loaded) start() {
	c := &l.facts.Config
	for key, e := range l.entries {
		if c.Failures[key] >= 3 {
			e.suspended = true
		}
		if c.Clean || e.suspended {
			continue
		}
		recent := max(3600, 2*c.Timeout)
		if !e.TurnStarted.Blank() && float64(l.now-e.TurnStarted) <= recent && (!e.pending || e.mark.Blank()) {
			e.pending, e.mark = true, l.now
		}
		if !e.pending && float64(l.now-e.Updated) <= 120 {
			e.pending, e.mark = true, l.now
		}
	}
}
