package resume

import (
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Resolver answers for one generation over one database. It keeps answers, so it is not for use by two goroutines at
// once.
type Resolver struct {
	facts *facts.Facts
	gen   Generation
	now   facts.Time

	plain   *facts.View // the facts as they are
	chats   map[facts.Chat]*keptChat
	peers   map[facts.Peer]*keptPeer
	entries []entry        // of the routing index before the start has done anything to them, in the order of loading
	place   map[string]int // of each key in entries
}

// New makes a resolver. now is the moment of the restart, epoch seconds: reset policies are measured by it.
func New(f *facts.Facts, g Generation, now float64) *Resolver {
	r := &Resolver{facts: f, gen: g, now: facts.Time(now), plain: f.View(), chats: map[facts.Chat]*keptChat{}, peers: map[facts.Peer]*keptPeer{}}
	r.listEntries()
	return r
}

// All makes a resolver for each generation.
func All(f *facts.Facts, now float64) map[Generation]*Resolver {
	out := map[Generation]*Resolver{}
	for _, g := range Generations() {
		out[g] = New(f, g, now)
	}
	return out
}

// Generation names the resolver's generation.
func (r *Resolver) Generation() Generation { return r.gen }

// Answer is what one chat gets with its next message after a restart.
type Answer struct {
	Row      int32  // the row; -1 where the id has no row, or where a new session is minted
	ID       string // the session id; "" = a new session
	RunnerUp int32  // the row that would come next in the finder's order; -1 = none
	ByRoute  bool   // a routing entry decided, not the finder

	why func() string
}

// Why says in words how the answer came about.
func (a *Answer) Why() string { return a.why() }

// Chats lists every chat that a row or a routing entry names, rows first, each once.
func (r *Resolver) Chats() []facts.Chat {
	out := slices.Clone(r.facts.Chats())
	seen := make(map[facts.Chat]bool, len(out))
	for _, c := range out {
		seen[c] = true
	}
	rt := &r.facts.Routes
	for _, list := range [][]facts.Route{rt.Table, rt.File, rt.Others} {
		for i := range list {
			if c := RouteChat(&list[i]); c.Key != "" && !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// RouteChat is the chat that a routing entry stands for: its key, on the platform of its origin, else its own, else
// its key's.
func RouteChat(e *facts.Route) facts.Chat {
	source := e.Platform
	if e.Origin != nil && e.Origin.Platform != "" {
		source = e.Origin.Platform
	}
	if _, platform, _, ok := facts.KeyParts(e.Key); ok && source == "" {
		source = platform
	}
	return facts.Chat{Source: source, Key: e.Key}
}

// inbound is the tuple that the next message of a chat would carry, as far as the file tells: that of the chat's
// newest row that knows its place, else its routing entry's origin, else what the newest row says.
func (l *Loaded) inbound(c facts.Chat) (peer facts.Peer, scoped bool) {
	k, same := l.chat(l.view, c)
	newest, placed := k.newest, k.placed
	if !same {
		newest, placed = places(l.view, l.view.ChatRows(c))
	}
	e := l.entry(c.Key)
	scoped = e != nil && e.Origin != nil && e.Origin.ScopeID != "" && c.Source == "slack"
	switch {
	case placed >= 0:
		return l.view.Row(placed).Peer(), scoped
	case e != nil && e.Origin != nil:
		return e.Origin.Peer(), scoped
	case newest >= 0:
		return l.view.Row(newest).Peer(), scoped
	}
	return facts.Peer{}, scoped
}

// Resolve answers for the next message of one chat.
func (l *Loaded) Resolve(c facts.Chat) Answer {
	a := l.answer(c)
	if a.ByRoute && a.ID != "" {
		if f, err := l.finderFor(c); err == nil && f.row != a.Row {
			a.RunnerUp = f.row
		}
	}
	return a
}

// ID is the session that the next message of one chat gets, "" for a new one: Resolve without what only people read.
func (l *Loaded) ID(c facts.Chat) string { return l.answer(c).ID }

func (l *Loaded) answer(c facts.Chat) Answer {
	if e := l.entry(c.Key); e != nil {
		if a, decided := l.byEntry(c, e); decided {
			return a
		}
	}
	return l.byFinder(c)
}

// byEntry follows rules 4 to 7 of spec/state-db.md 5.2; decided is false where the entry is dropped and the finder asked.
func (l *Loaded) byEntry(c facts.Chat, e *entry) (a Answer, decided bool) {
	i, exists := e.row, e.row >= 0
	a = Answer{Row: -1, RunnerUp: -1, ByRoute: true}
	if exists && l.gen != V018 {
		if tip, err := l.Tip(l.view, i); err == nil && tip != i {
			a.Row, a.ID = tip, l.view.Row(tip).ID
			a.why = func() string {
				return fmt.Sprintf("the routing entry (%s) names %s, whose continuation after compression this is", e.source, e.id)
			}
			return a, true
		}
	}
	ended := exists && l.view.Row(i).HasReason
	reason, err := l.resetReason(c, e)
	switch {
	case err != nil:
		a.why = err.Error
		return a, true
	case reason != "":
		a.why = func() string {
			return fmt.Sprintf("a new session: the routing entry (%s) names %s, which is reset (%s)", e.source, e.id, reason)
		}
		return a, true
	case ended:
		return a, false
	}
	a.ID = e.id
	if exists {
		a.Row = i
	}
	a.why = func() string { return l.routeWhy(e, exists) }
	return a, true
}

func (l *Loaded) routeWhy(e *entry, exists bool) string {
	switch {
	case !exists:
		return fmt.Sprintf("the routing entry (%s) names it, although no row has this id", e.source)
	case e.moved:
		return fmt.Sprintf("the start repoints the routing entry (%s) to it, because the row that it named had ended", e.source)
	}
	return fmt.Sprintf("the routing entry (%s) names it", e.source)
}

// resetReason is the first reason for which the next message replaces an entry's session.
func (l *Loaded) resetReason(c facts.Chat, e *entry) (string, error) {
	if e.suspended {
		return "suspended", nil
	}
	if l.gen == V021 {
		return "", nil
	}
	p := l.policy(c, e.ChatType)
	if e.Aware && !e.moved && p.Mode != "none" {
		return "", fmt.Errorf("the message fails: the routing entry's times name a zone, which the reset policy cannot compare")
	}
	if reason := l.due(p, e.updated); reason != "" {
		return reason, nil
	}
	if w := l.facts.Config.Freshness; l.gen == V0201 && e.pending && p.Mode != "none" && w > 0 && float64(l.now-e.mark.Or(e.updated)) > w {
		return "resume_pending_expired", nil
	}
	return "", nil
}

// policy is the reset policy of a chat. It goes by the message's chat type, which is looked for only where it matters.
func (l *Loaded) policy(c facts.Chat, chatType string) facts.Policy {
	if len(l.facts.Config.ByType) > 0 {
		if peer, _ := l.inbound(c); peer.ChatType != "" {
			chatType = peer.ChatType
		}
	}
	return l.facts.Config.Policy(c.Source, chatType)
}

func (l *Loaded) finderFor(c facts.Chat) (found, error) {
	return l.find(l.view, c, func() (facts.Peer, bool) { return l.inbound(c) })
}

// byFinder is the answer where no routing entry holds.
func (l *Loaded) byFinder(c facts.Chat) Answer {
	a := Answer{Row: -1, RunnerUp: -1}
	f, err := l.finderFor(c)
	if err != nil {
		a.why = func() string { return "a new session: the lookup fails, because " + err.Error() }
		return a
	}
	if f.row < 0 {
		a.why = func() string { return l.nothingWhy(c, f) }
		return a
	}
	row := l.view.Row(f.row)
	if l.gen == V0201 {
		if reason := l.due(l.policy(c, ""), clock(row)); reason != "" {
			a.why = func() string { return fmt.Sprintf("a new session: %s was found but is overdue (%s)", row.ID, reason) }
			return a
		}
	}
	a.Row, a.ID, a.RunnerUp = f.row, row.ID, f.next
	a.why = func() string { return l.foundWhy(f) }
	return a
}

func (l *Loaded) foundWhy(f found) string {
	how := "the key"
	if f.tuple {
		how = "the chat's ids, without a key"
	}
	by := "newest heartbeat, else start"
	if l.gen == V018 {
		by = "newest start"
	}
	if f.next < 0 {
		return "found by " + how + ": the only row that may be resumed"
	}
	return fmt.Sprintf("found by %s: %s among the rows that may be resumed", how, by)
}

func (l *Loaded) nothingWhy(c facts.Chat, f found) string {
	if f.refused >= 0 {
		return fmt.Sprintf("a new session: %s was found by the chat's ids, but its key names another profile", l.view.Row(f.refused).ID)
	}
	why := "a new session: no row of this chat may be resumed"
	if k, ok := l.place[c.Key]; ok && l.loaded[k].dropped != "" {
		why += "; the routing entry was dropped at the start, because " + l.loaded[k].dropped
	}
	return why
}
