package build

import "slices"

// kind adds the rows of one event to the population.
type kind = func(start float64, c *peer)

// healthy lists what an install does, by how often. A quarter of the rows name no chat by design.
func (p *population) healthy() []weighted[kind] {
	reason := func() string {
		return draw(p.rnd, []weighted[string]{{2, "session_reset"}, {3, "agent_close"}, {2, "idle"}, {2, "daily"}, {1, "ws_orphan_reap"}, {2, ""}})
	}
	local := func(source string) kind {
		return func(start float64, _ *peer) { p.add(talk{source: source, start: start, reason: reason()}) }
	}
	child := func(marker string) kind {
		return func(_ float64, _ *peer) { p.addChild(marker, reason()) }
	}
	return []weighted[kind]{
		{52, func(start float64, c *peer) {
			p.add(talk{source: c.platform, peer: c, start: start, reason: reason()})
		}},
		{15, local("cli")},
		{6, local("tui")},
		{9, func(start float64, _ *peer) { p.add(talk{source: "cron", start: start, reason: "cron_complete"}) }},
		{8, child("_delegate_from")},
		{2, child("_branched_from")},
		{2, func(_ float64, _ *peer) {
			t := p.addChild("", reason())
			t.source = "tool"
		}},
		{4, p.compressed},
		{1, func(start float64, c *peer) {
			before := p.add(talk{source: c.platform, peer: c, start: start, length: 600, reason: "session_reset"})
			p.add(talk{source: c.platform, peer: c, start: start + 700, parent: before, marker: "_reset_from", reason: reason()})
		}},
		{1, func(start float64, c *peer) {
			p.add(talk{source: c.platform, peer: c, start: start, hollow: true, reason: reason()})
		}},
	}
}

// addChild adds a row that was begun in the course of another.
func (p *population) addChild(marker, reason string) *talk {
	if len(p.talks) == 0 {
		return p.add(talk{source: "cli", start: p.when(), reason: reason})
	}
	parent := p.talks[p.rnd.IntN(len(p.talks))]
	return p.add(talk{source: parent.source, start: parent.start + p.rnd.Float64()*parent.length, parent: parent, marker: marker, reason: reason})
}

// compressed adds a conversation that was continued in a new row each time it grew too long.
func (p *population) compressed(start float64, c *peer) {
	var last *talk
	for range 2 + p.rnd.IntN(4) {
		last = p.add(talk{source: c.platform, peer: c, start: start, length: 3000, parent: last, reason: "compression"})
		start += 3001
	}
	last.reason = ""
}

// plantOrphans adds at least count rows that lost their identity, and what each of them continues.
func (p *population) plantOrphans(count int) {
	made := p.incident()
	kinds := []weighted[func(float64, *peer) int]{
		{45, p.contiguous}, {10, p.late}, {12, p.ambiguous}, {9, p.contested}, {9, p.chained}, {9, p.ofKeyedParent}, {6, p.ofUnkeyedParent},
	}
	for made < count {
		made += draw(p.rnd, kinds)(p.when(), p.anyone())
	}
}

// orphan adds a row of a peer's platform that names no chat and was never ended.
func (p *population) orphan(start float64, c *peer, user string, parent *talk) *talk {
	return p.add(talk{source: c.platform, start: start, user: user, parent: parent})
}

// incident is the reported one: 798 messages in a row that lost its identity a minute after the row before fell quiet.
func (p *population) incident() int {
	i := slices.IndexFunc(p.peers, func(c *peer) bool { return c.platform == "telegram" && c.kind == "dm" })
	c, start := p.peers[max(i, 0)], p.begin+0.9*p.span
	p.add(talk{source: c.platform, peer: c, start: start, length: 5400, messages: 41, reason: "agent_close"})
	p.add(talk{source: c.platform, start: start + 5460, length: 9 * 86_400, messages: 798, user: c.user})
	return 1
}

func (p *population) before(start float64, c *peer) *talk {
	return p.add(talk{source: c.platform, peer: c, start: start, length: 300 + 3700*p.rnd.Float64(), reason: "agent_close"})
}

func (p *population) contiguous(start float64, c *peer) int {
	p.orphan(p.before(start, c).end()+5+875*p.rnd.Float64(), c, c.user, nil)
	return 1
}

// late is silent for longer than contiguity bridges.
func (p *population) late(start float64, c *peer) int {
	p.orphan(p.before(start, c).end()+905+90_000*p.rnd.Float64(), c, c.user, nil)
	return 1
}

// ambiguous has two chats of its platform that fell quiet just before, and nothing that tells which it continues.
func (p *population) ambiguous(start float64, c *peer) int {
	t := p.before(start, c)
	for _, other := range p.peers {
		if other != c && other.platform == c.platform {
			p.add(talk{source: c.platform, peer: other, start: start - 30, length: t.length})
			break
		}
	}
	p.orphan(t.end()+5+875*p.rnd.Float64(), c, "", nil)
	return 1
}

// contested are two that both continue the same row.
func (p *population) contested(start float64, c *peer) int {
	t := p.before(start, c)
	p.orphan(t.end()+60, c, c.user, nil)
	p.orphan(t.end()+200, c, c.user, nil)
	return 2
}

// chained is an orphan that continues an orphan.
func (p *population) chained(start float64, c *peer) int {
	first := p.orphan(p.before(start, c).end()+60, c, c.user, nil)
	p.orphan(first.end()+60, c, c.user, nil)
	return 2
}

// ofKeyedParent has a compression parent that names the chat.
func (p *population) ofKeyedParent(start float64, c *peer) int {
	t := p.before(start, c)
	t.reason = "compression"
	p.orphan(t.end()+60, c, c.user, t)
	return 1
}

// ofUnkeyedParent has one that does not, and no messages either.
func (p *population) ofUnkeyedParent(start float64, c *peer) int {
	t := p.add(talk{source: c.platform, start: start, length: 900, hollow: true, user: c.user, reason: "compression"})
	p.orphan(t.end()+60, c, c.user, t)
	return 1
}
