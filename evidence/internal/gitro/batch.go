package gitro

// batch is one worker's share of a level before it is merged.
type batch struct {
	work     *censusWork
	reader   *Reader
	worker   int
	known    *recall
	children []child
	blobs    []Number
	results  []treeResult
}

// child is a folder that a tree names.
type child struct {
	id     ID
	number Number
	found  bool
	place  uint64
}

// treeResult is what reading one tree gave.
type treeResult struct {
	from, to int // in batch.children
	own      [3]uint32
	err      *ObjectError
	lost     []LostBlob
}

func (b *batch) reset() {
	b.children, b.blobs, b.results = b.children[:0], b.blobs[:0], b.results[:0]
}

// read reads the tree with a number.
func (b *batch) read(n Number) {
	result := treeResult{from: len(b.children)}
	repo := b.work.repo
	id, err := repo.nameOf(&b.reader.w, n)
	var kind Kind
	var data []byte
	if err == nil {
		kind, data, err = b.reader.numbered(n, id)
	}
	if err == nil && kind != Tree {
		err = &fault{FaultKind, "a " + kind.String() + ", not a tree"}
	}
	if err == nil {
		err = b.entries(id, data, &result)
	}
	if err == nil && b.work.options.Visit != nil {
		b.work.options.Visit(b.worker, id, func(yield func(Mode, []byte, []byte) bool) {
			t := treeEntries{rest: data, hash: repo.format.Size()}
			for ok, _ := t.next(); ok; ok, _ = t.next() {
				if !yield(t.mode, t.name, t.id) {
					return
				}
			}
		})
	}
	if err != nil {
		result.err = named(id, repo.where(&b.reader.w, n), err)
	}
	result.to = len(b.children)
	b.results = append(b.results, result)
}

// entries counts and collects what a tree names. What stands before damage counts.
func (b *batch) entries(id ID, data []byte, result *treeResult) error {
	repo, blobs := b.work.repo, b.work.options.Blobs
	t := treeEntries{rest: data, hash: repo.format.Size()}
	for n := 0; ; n++ {
		ok, err := t.next()
		if !ok {
			return err
		}
		if n == repo.limits.Entries {
			return tooMuch("more than %d entries in a tree", n)
		}
		switch t.mode.Canonical() {
		case ModeTree:
			k := b.known.find(repo, &b.reader.w, t.id, true)
			k.id = IDFrom(t.id)
			b.children = append(b.children, k)
			continue
		case ModeGitlink:
			result.own[2]++
			continue
		case ModeLink:
			result.own[1]++
		default:
			result.own[0]++
		}
		if !blobs {
			continue
		}
		if k := b.known.find(repo, &b.reader.w, t.id, false); k.found {
			b.blobs = append(b.blobs, k.number)
		} else {
			result.lost = append(result.lost, LostBlob{ID: IDFrom(t.id), Tree: id, Name: append([]byte(nil), t.name...)})
		}
	}
}

// recall remembers the last look-ups of one worker: most entries of a tree are those of its neighbour in the pack.
type recall struct{ slots []recalled }

type recalled struct {
	raw   [32]byte
	used  bool
	found bool
	n     Number
	place uint64
}

const recallSlots = 1 << 13

func newRecall() *recall { return &recall{slots: make([]recalled, recallSlots)} }

// find looks an id up; placed asks for its place as well.
func (c *recall) find(repo *Repo, w *window, raw []byte, placed bool) child {
	at := (int(raw[1]) | int(raw[2])<<8) & (recallSlots - 1)
	s := &c.slots[at]
	if s.used && string(s.raw[:len(raw)]) == string(raw) && (s.place != 0 || !placed || !s.found) {
		return child{number: s.n, found: s.found, place: s.place}
	}
	*s = recalled{used: true}
	copy(s.raw[:], raw)
	if s.n, s.found = repo.lookup(w, IDFrom(raw)); s.found && placed {
		s.place = repo.order(w, s.n)
	}
	return child{number: s.n, found: s.found, place: s.place}
}

// placeMask masks the offset in a pack in what order gives.
const placeMask = 1<<40 - 1

// order gives a key by which copies sort as they lie on the disk; never 0.
func (r *Repo) order(w *window, n Number) uint64 {
	p, at := r.place(n)
	if p == nil {
		return 1<<63 | uint64(at)
	}
	off, err := p.index.offset(w, at)
	if err != nil {
		off = 0 // reading it says why
	}
	return uint64(p.base)<<40&^(1<<63) | uint64(off)&placeMask | 1
}
