package scan

import (
	"hash/maphash"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// shelf keeps the evidence and the words of thousands of findings close together: allocated one by one, with the gaps
// that this leaves, and with the same span of a row told by three checks, they would take a third more.
type shelf struct {
	seed  maphash.Seed
	items []evidence.Item
	words [1 << 13]string // of those seen, the last with each hash
}

// shelfBlock is how many items are allocated at a time.
const shelfBlock = 512

// put gives the finding with the same evidence and words, kept here.
func (s *shelf) put(f Finding) Finding {
	f.Advice = s.word(f.Advice)
	n := len(f.Evidence)
	if cap(s.items)-len(s.items) < n {
		s.items = make([]evidence.Item, 0, max(n, shelfBlock))
	}
	from := len(s.items)
	s.items = append(s.items, f.Evidence...)
	f.Evidence = s.items[from : from+n : from+n]
	for i := range f.Evidence {
		f.Evidence[i].Saw = s.word(f.Evidence[i].Saw)
	}
	return f
}

// word gives an equal text that was seen before, as far as that is remembered.
func (s *shelf) word(text string) string {
	if s.seed == (maphash.Seed{}) {
		s.seed = maphash.MakeSeed()
	}
	at := &s.words[maphash.String(s.seed, text)%uint64(len(s.words))]
	if *at != text {
		*at = text
	}
	return *at
}
