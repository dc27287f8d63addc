package facts

import "slices"

// View shows the facts with some rows changed: by a plan's fills, or by what the product itself does to rows while
// it loads its routes. The facts below are never touched.
type View struct {
	*Facts
	under   *View    // the view that this one was forked from; nil = the facts
	touched []uint64 // a bit a row: it is changed here or below; nil = none is
	changed map[int32]*altered
	order   []int32 // the changed rows, in the order of their first change

	dirty    bool           // a row moved since the index was made
	moved    map[int32]bool // rows whose chat or peer differs from the facts below
	intoChat map[Chat][]int32
	intoPeer map[Peer][]int32
}

// View shows the facts as they are.
func (f *Facts) View() *View { return &View{Facts: f} }

// Fork gives a view with the same changes, to be changed further without effect on v. v must not change any more.
func (v *View) Fork() *View {
	v.index()
	return &View{Facts: v.Facts, under: v, touched: v.touched, moved: v.moved, intoChat: v.intoChat, intoPeer: v.intoPeer}
}

// Row gives row i as the view shows it. It must not be changed through the pointer.
func (v *View) Row(i int32) *Session {
	if v.touched == nil || v.touched[i>>6]&(1<<(i&63)) == 0 {
		return &v.Sessions[i]
	}
	for u := v; u != nil; u = u.under {
		if a, ok := u.changed[i]; ok {
			return &a.Session
		}
	}
	return &v.Sessions[i]
}

// altered is a view's own copy of a row.
type altered struct {
	Session
	owned bool // its Identity and its Ending are its own too
}

// copyOf gives the view's copy of row i, making it at the first change.
func (v *View) copyOf(i int32) *altered {
	if a, ok := v.changed[i]; ok {
		return a
	}
	a := &altered{Session: *v.Row(i)}
	if v.changed == nil { // the bits may still be those of the view below
		v.changed, v.touched = map[int32]*altered{}, append(make([]uint64, 0, len(v.Sessions)/64+1), v.touched...)
		v.touched = v.touched[:cap(v.touched)]
	}
	v.touched[i>>6] |= 1 << (i & 63)
	v.changed[i] = a
	v.order = append(v.order, i)
	return a
}

// Change lets edit alter a copy of row i. The copy has an Identity and an Ending of its own.
func (v *View) Change(i int32, edit func(s *Session)) {
	a := v.copyOf(i)
	if !a.owned {
		id, end := *a.Identity, *a.Ending
		a.Identity, a.Ending, a.owned = &id, &end, true
	}
	chat, peer := a.Chat(), a.Peer()
	edit(&a.Session)
	a.of = a.profile()
	v.dirty = v.dirty || chat != a.Chat() || peer != a.Peer()
}

// End sets when and why a copy of row i ended: what a start of the product does to a row of nearly every chat. Never and
// false reopen it.
func (v *View) End(i int32, at Time, reason string, hasReason bool) {
	a := v.copyOf(i)
	a.Ended = at
	a.Ending = &Ending{EndReason: reason, Handoff: a.Handoff, HasReason: hasReason}
}

// ChatRows gives the rows that are keyed for c, in row order. The list must not be changed.
func (v *View) ChatRows(c Chat) []int32 {
	if c.Key == "" {
		return nil
	}
	v.index()
	return v.with(v.chats[c], v.intoChat[c])
}

// PeerRows gives the rows that carry the tuple p, keyed or not, in row order. The list must not be changed.
func (v *View) PeerRows(p Peer) []int32 {
	v.index()
	return v.with(v.peers[p], v.intoPeer[p])
}

// Untouched says that the view shows each of the rows as the facts do.
func (v *View) Untouched(rows []int32) bool {
	if v.touched == nil {
		return true
	}
	for _, i := range rows {
		if v.touched[i>>6]&(1<<(i&63)) != 0 {
			return false
		}
	}
	return true
}

// Joined says that a row that is not keyed for c in the facts is in the view.
func (v *View) Joined(c Chat) bool {
	v.index()
	return len(v.intoChat) > 0 && len(v.intoChat[c]) > 0
}

// JoinedPeer says that a row that does not carry the tuple p in the facts does in the view.
func (v *View) JoinedPeer(p Peer) bool {
	v.index()
	return len(v.intoPeer) > 0 && len(v.intoPeer[p]) > 0
}

// index groups the rows whose identity differs from that in the facts, once after each round of moves.
func (v *View) index() {
	if !v.dirty {
		return
	}
	v.dirty = false
	v.moved, v.intoChat, v.intoPeer = map[int32]bool{}, map[Chat][]int32{}, map[Peer][]int32{}
	for u := v; u != nil; u = u.under {
		for _, i := range u.order {
			s, was := v.Row(i), &v.Sessions[i]
			if v.moved[i] || s.Chat() == was.Chat() && s.Peer() == was.Peer() {
				continue
			}
			v.moved[i] = true
			v.intoPeer[s.Peer()] = append(v.intoPeer[s.Peer()], i)
			if s.Keyed() {
				v.intoChat[s.Chat()] = append(v.intoChat[s.Chat()], i)
			}
		}
	}
}

// with takes the moved rows out of a list and puts in those that now belong to it.
func (v *View) with(rows, joined []int32) []int32 {
	if len(v.moved) == 0 || len(joined) == 0 && !slices.ContainsFunc(rows, func(i int32) bool { return v.moved[i] }) {
		return rows
	}
	out := make([]int32, 0, len(rows)+len(joined))
	for _, i := range rows {
		if !v.moved[i] {
			out = append(out, i)
		}
	}
	out = append(out, joined...)
	slices.Sort(out)
	return out
}
