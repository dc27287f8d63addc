package resume

import "github.com/seed-4d3eb737/hermes-doctor/scan/facts"

// keptChat is what the rows of one chat give over the facts. Views differ from the facts in few chats, and the same
// chats are asked for again and again.
type keptChat struct {
	rows           []int32
	first, second  int32 // of the exact query
	newest, placed int32 // of inbound
}

// keptPeer is what the tuple query gives over the facts; rows are all that carry the tuple.
type keptPeer struct {
	rows          []int32
	first, second int32
}

// chat gives what is kept of a chat, and whether it holds for v too.
func (r *Resolver) chat(v *facts.View, c facts.Chat) (k *keptChat, same bool) {
	k = r.chats[c]
	if k == nil {
		k = &keptChat{rows: r.plain.ChatRows(c)}
		k.first, k.second = r.best(r.plain, k.rows, r.gen == V018, false)
		k.newest, k.placed = places(r.plain, k.rows)
		r.chats[c] = k
	}
	return k, v.Untouched(k.rows) && !v.Joined(c)
}

// peer gives what is kept of a tuple, and whether it holds for v too.
func (r *Resolver) peer(v *facts.View, p facts.Peer) (k *keptPeer, same bool) {
	k = r.peers[p]
	if k == nil {
		k = &keptPeer{rows: r.plain.PeerRows(p)}
		k.first, k.second = r.best(r.plain, r.ownProfile(r.plain, k.rows), true, true)
		r.peers[p] = k
	}
	return k, v.Untouched(k.rows) && !v.JoinedPeer(p)
}

// byKey is the exact query.
func (r *Resolver) byKey(v *facts.View, c facts.Chat) (first, second int32) {
	if k, same := r.chat(v, c); same {
		return k.first, k.second
	}
	return r.best(v, v.ChatRows(c), r.gen == V018, false)
}

// byPeer is the tuple query.
func (r *Resolver) byPeer(v *facts.View, p facts.Peer) (first, second int32) {
	if k, same := r.peer(v, p); same {
		return k.first, k.second
	}
	return r.best(v, r.ownProfile(v, v.PeerRows(p)), true, true)
}

// places gives the newest of a chat's rows, and the newest that knows its place; -1 = none.
func places(v *facts.View, rows []int32) (newest, placed int32) {
	newest, placed = -1, -1
	for _, i := range rows {
		s := v.Row(i)
		if newest < 0 || s.Started.OrZero() >= v.Row(newest).Started.OrZero() {
			newest = i
		}
		if s.ChatID != "" && s.ChatType != "" && (placed < 0 || s.Started.OrZero() >= v.Row(placed).Started.OrZero()) {
			placed = i
		}
	}
	return newest, placed
}
