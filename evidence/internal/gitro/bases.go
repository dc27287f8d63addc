package gitro

// bases keeps the objects of packs that were read last: deltas are stored against them. It belongs to one Reader. Its
// memory is one piece that is written round and round, so that what is kept costs no allocation and no collection: a
// store of a hundred thousand trees is a hundred thousand such objects.
type bases struct {
	budget int64
	ring   []byte
	end    int64 // of all that was ever given out; a place modulo the length of ring
	slots  []base
	spare  [2][]byte // for what is too large: by turns, as one is the base of the other
	turn   int
}

type baseKey struct {
	pack *pack
	off  int64
}

// base is an object that lies in the ring at some place, until the ring is written over there.
type base struct {
	key   baseKey
	kind  Kind
	n     uint32
	place int64
}

const (
	baseSlots = 1 << 12
	baseWays  = 4  // where an object may be found
	noPlace   = -1 // not in the ring
)

func newBases(budget int64) *bases { return &bases{budget: budget} }

// ways are the slots in which an object may be.
func (b *bases) ways(key baseKey) []base {
	h := (uint64(key.off) ^ uint64(key.pack.base)<<40) * 0x9e3779b97f4a7c15
	at := h >> 52 &^ (baseWays - 1)
	return b.slots[at : at+baseWays]
}

// get gives an object and its place.
func (b *bases) get(key baseKey) (kind Kind, data []byte, place int64, ok bool) {
	if b.slots == nil {
		return 0, nil, noPlace, false
	}
	for i := range b.ways(key) {
		e := &b.ways(key)[i]
		if e.key == key && b.holds(e.place) {
			at := e.place % int64(len(b.ring))
			return e.kind, b.ring[at : at+int64(e.n) : at+int64(e.n)], e.place, true
		}
	}
	return 0, nil, noPlace, false
}

// holds says whether what was put at a place is still there.
func (b *bases) holds(place int64) bool { return place >= b.end-int64(len(b.ring)) }

// room gives memory for n bytes: in the ring, unless that would write over what lies at keep or push out most of the
// others; keep may be noPlace.
func (b *bases) room(n, keep int64) (data []byte, place int64) {
	if n > b.budget/4 {
		return b.large(n), noPlace
	}
	if b.ring == nil {
		b.ring, b.slots = make([]byte, b.budget), make([]base, baseSlots)
	}
	size := int64(len(b.ring))
	place = b.end
	if place%size+n > size {
		place += size - place%size
	}
	if keep != noPlace && keep < place+n-size {
		return b.large(n), noPlace
	}
	b.end = place + n
	at := place % size
	return b.ring[at : at+n : at+n], place
}

// mostSpare is the largest memory that is used again.
const mostSpare = 32 << 20

// large gives memory beside the ring, never that of the time before.
func (b *bases) large(n int64) []byte {
	b.turn ^= 1
	if int64(cap(b.spare[b.turn])) < n {
		b.spare[b.turn] = nil // free for the collector before there is more
		made := make([]byte, n)
		if n > mostSpare {
			return made
		}
		b.spare[b.turn] = made
	}
	return b.spare[b.turn][:n:n]
}

// put says what lies at a place that room gave.
func (b *bases) put(key baseKey, kind Kind, n int, place int64) {
	if place == noPlace {
		return
	}
	ways := b.ways(key)
	oldest := &ways[0]
	for i := range ways[1:] {
		if e := &ways[i+1]; e.place < oldest.place {
			oldest = e
		}
	}
	*oldest = base{key, kind, uint32(n), place}
}
