package gitro

import "math/bits"

// Set is a set of object numbers.
type Set struct{ words []uint64 }

func newSet(n Number) Set { return Set{make([]uint64, (int(n)+63)/64)} }

// Has says whether n is in the set.
func (s Set) Has(n Number) bool {
	return int(n/64) < len(s.words) && s.words[n/64]>>(n%64)&1 != 0
}

// add puts n in and says whether it was not there.
func (s Set) add(n Number) bool {
	w, bit := &s.words[n/64], uint64(1)<<(n%64)
	added := *w&bit == 0
	*w |= bit
	return added
}

// Len counts the members.
func (s Set) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}
