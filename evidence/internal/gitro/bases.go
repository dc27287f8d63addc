package gitro

// bases keeps the objects of packs that were read last: deltas are stored against them. It belongs to one Reader.
type bases struct {
	budget, held int64
	at           map[baseKey]int
	ring         []base
	hand         int
}

type baseKey struct {
	pack *pack
	off  int64
}

type base struct {
	key  baseKey
	kind Kind
	data []byte // never written again
	used bool
}

// baseCost is what an entry costs beside its data.
const baseCost = 128

func newBases(budget int64) *bases {
	return &bases{budget: budget, at: map[baseKey]int{}}
}

func (b *bases) get(key baseKey) (Kind, []byte, bool) {
	at, ok := b.at[key]
	if !ok {
		return 0, nil, false
	}
	b.ring[at].used = true
	return b.ring[at].kind, b.ring[at].data, true
}

// put keeps an object unless it would push out most of the others.
func (b *bases) put(key baseKey, kind Kind, data []byte) {
	cost := int64(len(data)) + baseCost
	if cost > b.budget/4 {
		return
	}
	if _, ok := b.at[key]; ok {
		return
	}
	for b.held+cost > b.budget {
		b.drop()
	}
	b.held += cost
	b.at[key] = len(b.ring)
	b.ring = append(b.ring, base{key: key, kind: kind, data: data})
}

// drop takes one out that was not used since the hand passed it; the last of the ring moves into its place.
func (b *bases) drop() {
	for {
		if b.hand >= len(b.ring) {
			b.hand = 0
		}
		e := &b.ring[b.hand]
		if e.used {
			e.used = false
			b.hand++
			continue
		}
		b.held -= int64(len(e.data)) + baseCost
		delete(b.at, e.key)
		last := len(b.ring) - 1
		if b.hand != last {
			b.ring[b.hand] = b.ring[last]
			b.at[b.ring[b.hand].key] = b.hand
		}
		b.ring[last] = base{}
		b.ring = b.ring[:last]
		b.hand++
		return
	}
}
