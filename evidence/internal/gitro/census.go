package gitro

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// Count is what lies below one tree, with everything in its folders. Numbers that a hostile store makes absurd stay at
// the largest int64.
type Count struct {
	Files    int64 // blobs with the modes of files
	Links    int64 // symlinks
	Gitlinks int64
	Folders  int64
	Damaged  bool // a tree is missing or damaged, so there may be more of everything
}

// CensusOptions steer a census; the zero value is good.
type CensusOptions struct {
	Workers int  // default 2
	Blobs   bool // also look whether every blob is there, and mark it as reached
	// Visit is told the entries of every unique tree once, in no order, from as many goroutines as there are workers.
	// worker is below Workers. The iterator and what it gives are valid during the call only.
	Visit func(worker int, tree ID, entries func(yield func(mode Mode, name, id []byte) bool))
}

// Census knows every tree below some roots. A hundred thousand trees cost a few MiB: it holds numbers and edges, no
// names.
type Census struct {
	repo     *Repo
	byNumber []uint32 // tree plus one, by object number
	byID     map[ID]uint32
	trees    treeNodes
	edges    []uint32
	counts   []Count
	damage   []TreeDamage
	lost     []LostBlob
	reached  Set
	worst    *ObjectError // what ended the census early
}

// treeNode is one unique tree.
type treeNode struct {
	number Number
	parent uint32 // the tree through which it was first met; itself for a root
	from   uint32 // its folders are edges[from:to]
	to     uint32
	own    [3]uint32 // files, links, gitlinks
	flags  uint8
}

// treeNodes is a list that grows without moving: copies of a long list would be most of what a census allocates.
type treeNodes struct {
	chunks []*[nodeChunk]treeNode
	n      int
}

const nodeChunk = 1 << 12

func (l *treeNodes) at(i uint32) *treeNode { return &l.chunks[i/nodeChunk][i%nodeChunk] }

func (l *treeNodes) add(t treeNode) {
	if l.n%nodeChunk == 0 {
		l.chunks = append(l.chunks, new([nodeChunk]treeNode))
	}
	l.n++
	*l.at(uint32(l.n - 1)) = t
}

const (
	treeAbsent  uint8 = 1 << iota // it has no number
	treeDamaged                   // nothing or not all of it could be read
)

// TreeDamage is a tree that could not be read, or not whole.
type TreeDamage struct {
	ID  ID
	Err *ObjectError
	at  uint32
}

// LostBlob is a blob that is in no pack and no file.
type LostBlob struct {
	ID   ID
	Tree ID // one tree that names it
	Name []byte
	at   uint32
}

// Census reads every tree below the roots, each once, and sweeps over the packs while it does: a folder mostly lies
// behind the one that names it. Damage to objects is in the answer; the error is that of ctx.
func (r *Repo) Census(ctx context.Context, roots []ID, o CensusOptions) (*Census, error) {
	if o.Workers <= 0 {
		o.Workers = 2
	}
	c := &Census{repo: r, byID: map[ID]uint32{}, byNumber: make([]uint32, r.total), reached: newSet(r.total)}
	w := &censusWork{Census: c, options: o, sweep: newSweep(r)}
	w.more.L = &w.mu
	for range o.Workers {
		rd := r.Reader()
		rd.largest = min(rd.largest, r.limits.Steering)
		defer func() { _ = rd.Close() }() // opened for reading
		w.readers = append(w.readers, rd)
		w.known = append(w.known, newRecall())
	}
	for _, id := range roots {
		w.root(id)
	}
	var wg sync.WaitGroup
	for i := range w.readers {
		wg.Go(func() { w.work(ctx, i) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(c.damage, func(a, b TreeDamage) int { return a.ID.Compare(b.ID) })
	slices.SortFunc(c.lost, func(a, b LostBlob) int {
		return cmp.Or(a.ID.Compare(b.ID), a.Tree.Compare(b.Tree), slices.Compare(a.Name, b.Name))
	})
	c.lost = slices.CompactFunc(c.lost, func(a, b LostBlob) bool { return a.ID == b.ID })
	c.sum(&w.readers[0].w)
	return c, nil
}

// censusWork is a census that is under way.
type censusWork struct {
	*Census
	options CensusOptions
	readers []*Reader
	known   []*recall
	mu      sync.Mutex // over everything but readers and known
	sweep   *sweep
	more    sync.Cond // there may be something to do, or nothing any more
	busy    int       // workers that may still add to it
}

// root adds one of the trees to begin with.
func (w *censusWork) root(id ID) {
	n, ok := w.repo.lookup(&w.readers[0].w, id)
	var place uint64
	if ok {
		place = w.repo.order(&w.readers[0].w, n)
	}
	w.meet(child{id: id, number: n, found: ok, place: place}, math.MaxUint32)
}

// meet gives the index of a tree, which is read later if it is new.
func (w *censusWork) meet(k child, parent uint32) uint32 {
	at := uint32(w.trees.n)
	if k.found {
		if have := w.byNumber[k.number]; have != 0 {
			return have - 1
		}
		w.byNumber[k.number] = at + 1
		w.reached.add(k.number)
		w.sweep.add(w.repo, step{k.place, k.number, at})
	} else {
		if have, ok := w.byID[k.id]; ok {
			return have
		}
		w.byID[k.id] = at
		w.damage = append(w.damage, TreeDamage{k.id, &ObjectError{ID: k.id, Fault: FaultMissing}, at})
	}
	t := treeNode{number: k.number, parent: parent}
	if parent == math.MaxUint32 {
		t.parent = at
	}
	if !k.found {
		t.flags = treeAbsent | treeDamaged
	}
	w.trees.add(t)
	return at
}

// work takes what the sweep gives until nothing is left and nobody can add to it.
func (w *censusWork) work(ctx context.Context, worker int) {
	b := batch{work: w, reader: w.readers[worker], worker: worker, known: w.known[worker]}
	var todo []step
	w.mu.Lock()
	defer w.mu.Unlock()
	for at := -1; ; {
		for w.sweep.n == 0 && w.busy > 0 && ctx.Err() == nil {
			w.more.Wait()
		}
		if w.sweep.n == 0 || ctx.Err() != nil {
			w.more.Broadcast()
			return
		}
		todo, at = w.sweep.take(todo[:0], at)
		w.busy++
		w.mu.Unlock()
		slices.SortFunc(todo, func(a, b step) int { return cmp.Compare(a.place, b.place) })
		b.reset()
		for _, s := range todo {
			b.read(s.number)
		}
		w.mu.Lock()
		w.busy--
		w.merge(todo, &b)
		w.more.Broadcast()
	}
}

// merge enters what a worker found.
func (w *censusWork) merge(todo []step, b *batch) {
	for _, n := range b.blobs {
		w.reached.add(n)
	}
	for i, s := range todo {
		got := &b.results[i]
		from := uint32(len(w.edges))
		for _, k := range b.children[got.from:got.to] {
			w.edges = append(w.edges, w.meet(k, s.tree))
		}
		t := w.trees.at(s.tree)
		t.from, t.to, t.own = from, uint32(len(w.edges)), got.own
		if got.err != nil {
			t.flags |= treeDamaged
			w.damage = append(w.damage, TreeDamage{got.err.ID, got.err, s.tree})
		}
		for _, l := range got.lost {
			l.at = s.tree
			w.lost = append(w.lost, l)
		}
	}
	if w.trees.n > w.repo.limits.Trees && w.worst == nil {
		id, _ := w.repo.nameOf(&b.reader.w, todo[0].number)
		w.worst = named(id, "", tooMuch("more than %d trees", w.repo.limits.Trees))
	}
	if w.worst != nil {
		w.sweep.drop(func(s step) { w.trees.at(s.tree).flags |= treeDamaged }) // not read, so not known
	}
}
