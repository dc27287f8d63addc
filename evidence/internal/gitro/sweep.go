package gitro

// sweep holds the trees that are to be read in the order in which they lie in the packs, roughly: in one heap for each
// block of a pack, so that a block is read from the disk once or twice and what is stored against each other is read
// together. Loose objects come last, neighbours of one folder together.
type sweep struct {
	heaps [][]step
	first []int // the first heap of each pack, and of loose objects at the end
	shift uint  // bytes of a pack to a heap, as a power of two
	hand  int   // where the next worker begins to look
	n     int   // steps in all heaps
}

// step is a tree to be read and where it lies.
type step struct {
	place  uint64 // see Repo.order
	number Number
	tree   uint32
}

const (
	mostHeaps  = 1 << 16 // of all packs
	looseShift = 6       // loose objects to a heap, as a power of two
	mostTaken  = 256     // steps at a time: another worker may be waiting
)

func newSweep(r *Repo) *sweep {
	s := &sweep{shift: 15}
	var size int64
	for _, p := range r.packs {
		size += p.data.size
	}
	for size>>s.shift > mostHeaps {
		s.shift++
	}
	n := 0
	for _, p := range r.packs {
		s.first = append(s.first, n)
		n += int(p.data.size>>s.shift) + 1
	}
	s.first = append(s.first, n)
	s.heaps = make([][]step, n+r.loose.count()>>looseShift+1)
	return s
}

// add puts a step on its heap.
func (s *sweep) add(r *Repo, t step) {
	at := s.first[len(s.first)-1] // of the loose ones
	if i, p := r.packOf(t.number); p != nil {
		at = s.first[i] + min(int(t.place&placeMask>>s.shift), int(p.data.size>>s.shift))
	} else {
		at = min(at+int(t.number-r.loose.base)>>looseShift, len(s.heaps)-1)
	}
	s.heaps[at] = append(s.heaps[at], t)
	s.n++
}

// take moves steps of one heap to list: of the heap at was, where the worker has just been, or else of the next one. It
// must not be called when there are none.
func (s *sweep) take(list []step, was int) ([]step, int) {
	at := was
	if at < 0 || len(s.heaps[at]) == 0 {
		for len(s.heaps[s.hand]) == 0 {
			if s.hand++; s.hand == len(s.heaps) {
				s.hand = 0
			}
		}
		at = s.hand
	}
	heap := s.heaps[at]
	from := max(len(heap)-mostTaken, 0)
	list = append(list, heap[from:]...)
	s.heaps[at] = heap[:from]
	s.n -= len(list)
	return list, at
}

// drop forgets all steps, and tells each.
func (s *sweep) drop(tell func(step)) {
	for i, heap := range s.heaps {
		for _, t := range heap {
			tell(t)
		}
		s.heaps[i] = nil
	}
	s.n = 0
}
