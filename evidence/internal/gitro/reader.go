package gitro

import (
	"fmt"
	"hash"
	"strconv"
)

// Reader gives objects. It is for one goroutine at a time; a Repo gives as many as are wanted.
type Reader struct {
	repo   *Repo
	w      window
	z      inflater
	hash   hash.Hash
	sum    [32]byte
	head   []byte
	bases  *bases
	chain  []packEntry
	delta  []byte
	file   []byte // a loose file
	out    []byte // a loose object
	fan    *Folder
	fanned int
	work   int64

	allowed int64 // bytes that may be inflated by this reader; 0 = what all of them may
	untold  int64 // of work, not yet in that of the repo
	largest int64 // bytes of one object
	history int64 // of the commits that were followed

	trees  map[ID][]TreeEntry // parsed last
	parsed int64              // bytes of trees
}

// Reader makes a new reader. It must be closed before the Repo.
func (r *Repo) Reader() *Reader {
	return &Reader{repo: r, w: window{indexes: r.indexes}, hash: r.format.newHash(), bases: newBases(r.limits.DeltaBases), fanned: -1, largest: r.limits.Object}
}

// WholeReader makes a reader that also finds what lies in packs whose index is missing or unusable, which no git sees.
// It must be closed before the Repo.
func (r *Repo) WholeReader() *Reader {
	out := r.Reader()
	out.w.whole = true
	return out
}

// Close lets go of a folder that the reader may hold.
func (r *Reader) Close() error {
	if r.fan == nil {
		return nil
	}
	err := r.fan.Close()
	r.fan, r.fanned = nil, -1
	return err
}

// Object gives an object whose hash is its name. The data is valid until the next call and must not be changed. An
// error is an *ObjectError: damage to one copy is an error only when no other pack or file has a sound one.
func (r *Reader) Object(id ID) (Kind, []byte, error) {
	n, ok := r.repo.lookup(&r.w, id)
	if !ok {
		return 0, nil, &ObjectError{ID: id, Fault: FaultMissing}
	}
	return r.numbered(n, id)
}

// Expect gives an object of one kind; another one is FaultKind.
func (r *Reader) Expect(id ID, want Kind) ([]byte, error) {
	if want == Tree || want == Commit {
		defer r.only(r.repo.limits.Steering)()
	}
	kind, data, err := r.Object(id)
	if err == nil && kind != want {
		err = &ObjectError{ID: id, Fault: FaultKind, Where: r.repo.whereID(&r.w, id), Err: fmt.Errorf("a %s, not a %s", kind, want)}
	}
	return data, err
}

// only bounds the size of objects until what it gives is called.
func (r *Reader) only(size int64) (end func()) {
	was := r.largest
	r.largest = min(size, was)
	return func() { r.largest = was }
}

// numbered reads the copy with this number, and others when it is damaged.
func (r *Reader) numbered(n Number, id ID) (Kind, []byte, error) {
	kind, data, err := r.copyAt(n, id)
	if err == nil {
		return kind, data, nil
	}
	first := err
	for _, other := range r.repo.copies(&r.w, id) {
		if other == n {
			continue
		}
		if kind, data, err := r.copyAt(other, id); err == nil {
			return kind, data, nil
		}
	}
	return 0, nil, named(id, r.repo.where(&r.w, n), first)
}

func (r *Reader) copyAt(n Number, id ID) (Kind, []byte, error) {
	p, at := r.repo.place(n)
	if p == nil {
		return r.looseObject(id)
	}
	off, err := p.index.offset(&r.w, at)
	if err != nil {
		return 0, nil, err
	}
	kind, data, err := r.packed(p, off)
	if err != nil {
		return 0, nil, err
	}
	return kind, data, r.verify(id, kind, data)
}

// verify hashes an object as git does.
func (r *Reader) verify(id ID, kind Kind, data []byte) error {
	if got := r.sumOf(kind, data); got != id {
		return &fault{FaultMismatch, "its content has the hash " + got.String()}
	}
	return nil
}

// sumOf is the id that git gives an object.
func (r *Reader) sumOf(kind Kind, data []byte) ID {
	r.startSum(kind, int64(len(data)))
	_, _ = r.hash.Write(data) // documented never to fail
	return IDFrom(r.hash.Sum(r.sum[:0]))
}

// startSum hashes what git puts before the content of an object.
func (r *Reader) startSum(kind Kind, size int64) {
	r.head = append(r.head[:0], kind.String()...)
	r.head = append(strconv.AppendInt(append(r.head, ' '), size, 10), 0)
	r.hash.Reset()
	_, _ = r.hash.Write(r.head) // documented never to fail
}

// charge counts bytes that are about to be inflated.
func (r *Reader) charge(n int64) error {
	if n > r.largest {
		return tooMuch("%d bytes, the limit is %d", n, r.largest)
	}
	r.work += n
	if r.allowed > 0 {
		if r.work > r.allowed {
			return tooMuch("more than %d bytes were inflated in all", r.allowed)
		}
		return nil
	}
	step := min(1<<20, r.repo.mostWork/16) // the number that all share is written now and then only
	r.untold += n
	if r.repo.work.Load()+r.untold > r.repo.mostWork {
		return tooMuch("more than %d bytes were inflated in all", r.repo.mostWork)
	}
	if r.untold > step {
		r.repo.work.Add(r.untold)
		r.untold = 0
	}
	return nil
}

// packed reads the object at an offset, with all deltas applied.
func (r *Reader) packed(p *pack, off int64) (Kind, []byte, error) {
	r.chain = r.chain[:0]
	kind, data, place, held := r.bases.get(baseKey{p, off})
	at := off
	for !held {
		e, err := p.entry(&r.w, at)
		if err != nil {
			return 0, nil, err
		}
		if e.kind != offsetDelta && e.kind != nameDelta {
			if err := r.charge(e.size); err != nil {
				return 0, nil, err
			}
			if err := p.fits(e); err != nil {
				return 0, nil, err
			}
			data, place = r.bases.room(e.size, noPlace)
			if data, err = r.inflate(p, e, data); err != nil {
				return 0, nil, err
			}
			kind = e.kind
			r.bases.put(baseKey{p, at}, kind, len(data), place)
			break
		}
		if len(r.chain) == r.repo.limits.Chain {
			return 0, nil, tooMuch("more than %d deltas on top of each other", len(r.chain))
		}
		if r.chain = append(r.chain, e); e.size > r.largest {
			return 0, nil, tooMuch("a delta of %d bytes, the limit is %d", e.size, r.largest)
		}
		at = e.base
		kind, data, place, held = r.bases.get(baseKey{p, at})
	}
	data, err := r.patchAll(p, off, kind, data, place)
	return kind, data, err
}

// patchAll applies the collected deltas to their base, the last collected first.
func (r *Reader) patchAll(p *pack, off int64, kind Kind, data []byte, place int64) ([]byte, error) {
	for i := len(r.chain) - 1; i >= 0; i-- {
		e := r.chain[i]
		if err := r.charge(e.size); err != nil {
			return nil, err
		}
		if err := p.fits(e); err != nil {
			return nil, err
		}
		if int64(cap(r.delta)) < e.size {
			r.delta = make([]byte, e.size)
		}
		delta, err := r.inflate(p, e, r.delta[:e.size])
		if cap(r.delta) > 1<<20 {
			r.delta = nil
		}
		if err != nil {
			return nil, err
		}
		to, steps, err := deltaFor(data, delta, r.largest)
		if err == nil {
			err = r.charge(to)
		}
		if err != nil {
			return nil, err
		}
		var out []byte
		out, place = r.bases.room(to, place)
		if err := patch(out, data, steps); err != nil {
			return nil, err
		}
		data = out
		at := off
		if i > 0 {
			at = r.chain[i-1].base
		}
		r.bases.put(baseKey{p, at}, kind, len(data), place)
	}
	return data, nil
}

// fits refuses an entry whose size is a lie: deflate makes at most 1032 bytes of one.
func (p *pack) fits(e packEntry) error {
	if rest := p.limit - e.data; rest <= 0 || e.size > 1032*rest+64 {
		return corrupt("an entry of %d bytes cannot lie in the last %d of the pack", e.size, max(rest, 0))
	}
	return nil
}

// inflate reads the data of an entry into out, which has its size.
func (r *Reader) inflate(p *pack, e packEntry, out []byte) ([]byte, error) {
	data, _, err := r.inflateAt(p, e, out)
	return data, err
}
