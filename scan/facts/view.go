package facts

import "slices"

// View shows the facts with some rows changed: by a plan's fills, or by what the product itself does to rows while
// it loads its routes. The facts below are never touched.
type View struct {
	*Facts
	changed map[int32]*Session
	order   []int32 // the changed rows, in the order of their first change

	dirty    bool // a row changed since the index was made
	indexed  int
	moved    map[int32]bool // rows whose chat or peer differs from the facts below
	intoChat map[Chat][]int32
	intoPeer map[Peer][]int32
}

// View shows the facts as they are.
func (f *Facts) View() *View { return &View{Facts: f} }

// Fork gives a view with the same changes, to be changed further without effect on v.
func (v *View) Fork() *View {
	w := &View{Facts: v.Facts, changed: make(map[int32]*Session, len(v.changed)), order: slices.Clone(v.order), dirty: true}
	for i, s := range v.changed {
		c, id := *s, *s.Identity
		c.Identity = &id
		w.changed[i] = &c
	}
	return w
}

// Row gives row i as the view shows it. It must not be changed through the pointer.
func (v *View) Row(i int32) *Session {
	if s, ok := v.changed[i]; ok {
		return s
	}
	return &v.Sessions[i]
}

// Change lets edit alter a copy of row i. The copy has an Identity of its own.
func (v *View) Change(i int32, edit func(s *Session)) {
	s, ok := v.changed[i]
	if !ok {
		row := v.Sessions[i]
		id := *row.Identity
		id.rows = nil
		row.Identity = &id
		s = &row
		if v.changed == nil {
			v.changed = map[int32]*Session{}
		}
		v.changed[i] = s
		v.order = append(v.order, i)
	}
	edit(s)
	v.dirty = true
}

// Changed lists the changed rows in the order of their first change.
func (v *View) Changed() []int32 { return v.order }

// ChatRows gives the rows that are keyed for c, in row order.
func (v *View) ChatRows(c Chat) []int32 {
	if c.Key == "" {
		return nil
	}
	v.index()
	return v.with(rowsOf(v.chats[c]), v.intoChat[c])
}

// PeerRows gives the rows that carry the tuple p, keyed or not, in row order.
func (v *View) PeerRows(p Peer) []int32 {
	v.index()
	return v.with(rowsOf(v.peers[p]), v.intoPeer[p])
}

// index groups the rows whose identity differs from that below, once after each round of changes.
func (v *View) index() {
	if v.indexed == len(v.order) && !v.dirty {
		return
	}
	v.indexed, v.dirty = len(v.order), false
	v.moved, v.intoChat, v.intoPeer = map[int32]bool{}, map[Chat][]int32{}, map[Peer][]int32{}
	for _, i := range v.order {
		s, was := v.changed[i], &v.Sessions[i]
		if s.Chat() == was.Chat() && s.Peer() == was.Peer() {
			continue
		}
		v.moved[i] = true
		v.intoPeer[s.Peer()] = append(v.intoPeer[s.Peer()], i)
		if s.Keyed() {
			v.intoChat[s.Chat()] = append(v.intoChat[s.Chat()], i)
		}
	}
}

// with takes the moved rows out of a list and puts in those that now belong to it.
func (v *View) with(rows, joined []int32) []int32 {
	if len(v.moved) == 0 {
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
