package resume

import (
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// entry is a routing entry as the gateway holds it in memory. What the start may change is here; the Route is shared.
type entry struct {
	*facts.Route
	source  string // where it was loaded from
	id      string // of its session
	row     int32  // of its session; -1 = there is none
	moved   bool   // repointed at load: of the Route only the key, the origin and the chat's type still hold
	dropped string // why it did not survive the load; "" = it did

	suspended, pending  bool
	updated, mark, turn facts.Time // turn is when a turn began that still ran
}

// listEntries lists what the generation reads, one entry a key: the table first, then the file.
func (r *Resolver) listEntries() {
	rt := &r.facts.Routes
	r.entries, r.place = make([]entry, 0, len(rt.Table)+len(rt.File)), make(map[string]int, len(rt.Table)+len(rt.File))
	add := func(list []facts.Route, source string) {
		for k := range list {
			e := &list[k]
			if _, taken := r.place[e.Key]; taken || e.Refused != "" {
				continue
			}
			row, ok := r.facts.Index(e.SessionID)
			if !ok {
				row = -1
			}
			r.place[e.Key] = len(r.entries)
			r.entries = append(r.entries, entry{
				Route: e, source: source, id: e.SessionID, row: row, suspended: e.Suspended, pending: e.Pending,
				updated: e.Updated, mark: e.Mark, turn: e.TurnStarted,
			})
		}
	}
	if r.gen != V018 {
		add(rt.Table, "gateway_routing")
	}
	if rt.FileLost == "" || r.gen == V021 {
		add(rt.File, "sessions.json")
	}
}

// Loaded is the gateway's state after it has read its routing index and before any message.
type Loaded struct {
	*Resolver
	view   *facts.View // the rows as the load left them
	loaded []entry     // at the places of the resolver's
}

// entry gives the routing entry of a key; nil where there is none, or the start dropped it.
func (l *Loaded) entry(key string) *entry {
	k, ok := l.place[key]
	if !ok || l.loaded[k].dropped != "" {
		return nil
	}
	return &l.loaded[k]
}

// Load reads the routing index over the rows of v and does to both what the gateway does at its start.
func (r *Resolver) Load(v *facts.View) *Loaded {
	l := &Loaded{Resolver: r, view: v.Fork(), loaded: slices.Clone(r.entries)}
	stuck := false // an entry's own row cannot be read: nothing is dropped
	for k := range l.loaded {
		e := &l.loaded[k]
		if e.row >= 0 && len(l.view.Garbled[e.row]) > 0 && l.gen != V018 {
			stuck = true
			continue
		}
		e.dropped = l.prune(e)
	}
	for k := range l.loaded {
		if e := &l.loaded[k]; stuck {
			e.dropped = ""
		}
	}
	l.start()
	return l
}

// prune does to one loaded entry what the start does, and says why it is dropped after the whole pass; "" = it is not.
func (l *Loaded) prune(e *entry) string {
	if e.row < 0 {
		return "" // a missing row keeps the entry
	}
	row := l.view.Row(e.row)
	switch {
	case !row.HasReason:
		return ""
	case l.gen == V018:
		return "its row had ended (" + row.EndReason + ")"
	case e.Origin == nil:
		return "its row had ended and it has no origin"
	}
	return l.repoint(e)
}

// repoint looks for another row for an entry whose own row has ended.
func (l *Loaded) repoint(e *entry) (dropped string) {
	o := e.Origin
	f, err := l.find(l.view, facts.Chat{Source: o.Platform, Key: e.Key}, func() (facts.Peer, bool) { return o.Peer(), o.ScopeID != "" })
	switch {
	case err != nil:
		return ""
	case f.row < 0:
		return "its row had ended and no other was found"
	}
	row := l.view.Row(f.row)
	if reason := l.due(l.facts.Config.Policy(o.Platform, o.ChatType), clock(row)); reason != "" {
		if !row.HasReason || row.EndReason == "agent_close" || row.EndReason == "ws_orphan_reap" { // an open end or an accidental one
			l.view.End(f.row, l.now, reason, true)
		}
		return "the row that replaces it was overdue and was ended (" + reason + ")"
	}
	l.view.End(f.row, facts.Never(), "", false)
	if f.row == e.row {
		if l.gen == V021 {
			return ""
		}
		return "its row was reopened"
	}
	*e = entry{Route: e.Route, source: e.source, id: row.ID, row: f.row, moved: true, updated: clock(row), mark: facts.Never(), turn: facts.Never()}
	return ""
}

// start does what happens between the load and the first message: marks of interrupted turns, and suspensions.
func (l *Loaded) start() {
	c := &l.facts.Config
	for k := range l.loaded {
		e := &l.loaded[k]
		if c.Failures[e.Key] >= 3 {
			e.suspended = true
		}
		if c.Clean || e.suspended {
			continue
		}
		recent := max(3600, 2*c.Timeout)
		if !e.turn.Blank() && float64(l.now-e.turn) <= recent && (!e.pending || e.mark.Blank()) {
			e.pending, e.mark = true, l.now
		}
		if !e.pending && float64(l.now-e.updated) <= 120 {
			e.pending, e.mark = true, l.now
		}
	}
}
