package resume

import (
	"errors"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// errUndecodable is the lookup's failure on a row whose text is not UTF-8.
var errUndecodable = errors.New("the row that the lookup would return holds text that is not UTF-8")

// found is the finder's answer: the winner, the row that would be next, and how.
type found struct {
	row, next int32 // -1 = none
	tuple     bool
	refused   int32 // the row that the profile rule refused; -1 = none
}

// find is the query over sessions: the exact key first, then the tuple of the chat, which inbound gives
// (spec/state-db.md 5.1–5.3).
func (r *Resolver) find(v *facts.View, c facts.Chat, inbound func() (peer facts.Peer, scoped bool)) (found, error) {
	out := found{row: -1, next: -1, refused: -1}
	if c.Key == "" {
		return out, nil
	}
	first, second := r.byKey(v, c)
	if first < 0 {
		peer, scoped := inbound()
		if peer.ChatID != "" && peer.ChatType != "" && !(scoped && r.gen == V021) {
			first, second = r.byPeer(v, peer)
			out.tuple = true
		}
	}
	switch {
	case first < 0:
		return out, nil
	case len(v.Garbled[first]) > 0:
		return out, errUndecodable
	case r.otherProfile(v.Row(first), c.Key):
		out.refused = first
		return out, nil
	}
	out.row, out.next = first, second
	return out, nil
}

// best filters the rows that the finder may give and gives the first two of its order; -1 = none.
func (r *Resolver) best(v *facts.View, rows []int32, needMessages, byID bool) (first, second int32) {
	fence, fenced := facts.Never(), false
	if r.gen.fences() {
		for _, i := range rows {
			if t, ok := r.gen.fenceTime(v.Row(i)); ok {
				fence, fenced = facts.Later(fence, t), true
			}
		}
	}
	first, second = -1, -1
	for _, i := range rows {
		s := v.Row(i)
		switch {
		case !r.gen.Recoverable(s), needMessages && !s.HasMessages(), fenced && fence > r.gen.heartbeat(s):
		case first < 0 || r.before(v, i, first, byID):
			first, second = i, first
		case second < 0 || r.before(v, i, second, byID):
			second = i
		}
	}
	return first, second
}

// before says whether the finder prefers row i to row j. Ties are not ordered by the product's query; what its
// indexes give is the later start, then the lower rowid, and for the tuple the smaller id (spec/state-db.md 5.2).
func (r *Resolver) before(v *facts.View, i, j int32, byID bool) bool {
	a, b := v.Row(i), v.Row(j)
	if r.gen != V018 {
		if x, y := a.HasMessages(), b.HasMessages(); x != y {
			return x
		}
		if x, y := r.gen.heartbeat(a).OrZero(), r.gen.heartbeat(b).OrZero(); x != y {
			return x > y
		}
	}
	if r.gen == V018 || !byID {
		if x, y := a.Started.OrZero(), b.Started.OrZero(); x != y {
			return x > y
		}
	}
	if byID {
		return a.ID < b.ID
	}
	return a.RowID < b.RowID
}

// ownProfile keeps the rows of the store's owner: v0.21 limits the tuple query, and its fence, to them.
func (r *Resolver) ownProfile(v *facts.View, rows []int32) []int32 {
	if r.gen != V021 {
		return rows
	}
	var out []int32
	for _, i := range rows {
		if p := v.Row(i).Profile; p == "" || p == v.Owner {
			out = append(out, i)
		}
	}
	return out
}

// otherProfile says that the product refuses the row it found: its key is not the chat's and names another profile
// than the active one, and one gateway does not serve them all.
func (r *Resolver) otherProfile(s *facts.Session, key string) bool {
	if r.gen == V018 || s.SessionKey == "" || s.SessionKey == key || r.facts.Config.Multiplex {
		return false
	}
	p := facts.KeyProfile(s.SessionKey)
	return p != "" && p != r.facts.Owner
}

// Fenced says that a boundary of the row's own chat keeps the finder from it.
func (r *Resolver) Fenced(v *facts.View, i int32) bool {
	_, ok := r.FencedBy(v, i)
	return ok
}

// FencedBy gives the boundary row with the latest end that keeps the finder from row i.
func (r *Resolver) FencedBy(v *facts.View, i int32) (int32, bool) {
	s, by := v.Row(i), int32(-1)
	if !s.Keyed() || !r.gen.fences() {
		return by, false
	}
	for _, j := range v.ChatRows(s.Chat()) {
		t, ok := r.gen.fenceTime(v.Row(j))
		if ok && t > r.gen.heartbeat(s) && (by < 0 || t > v.Row(by).Ended) {
			by = j
		}
	}
	return by, by >= 0
}
