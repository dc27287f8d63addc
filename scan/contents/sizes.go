package contents

import (
	"context"
	"math"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Size is what the folders and files of a project or checkpoint weigh: the bytes of their contents, each content once,
// as they are before the store compresses them.
type Size struct {
	Bytes  int64
	Unique int64 // held by nothing else in the store
	Shared int64 // held by another project, or checkpoint, as well
	// Missing counts contents that the store does not have, or whose size it does not tell: they weigh nothing here.
	Missing int
}

// Sizes are those of one store.
type Sizes struct {
	projects    map[*evidence.CheckpointProject]Size
	checkpoints map[*evidence.CheckpointProject][]Size
}

// Project gives the size of all checkpoints of a project together.
func (s *Sizes) Project(p *evidence.CheckpointProject) Size { return s.projects[p] }

// Checkpoint gives the size of Chain[i] of a project; the zero Size where there is none.
func (s *Sizes) Checkpoint(p *evidence.CheckpointProject, i int) Size {
	if all := s.checkpoints[p]; i >= 0 && i < len(all) {
		return all[i]
	}
	return Size{}
}

// Weigh finds out what every project and checkpoint of a store weighs. Each tree is read once, and what two
// checkpoints share is walked no more often than there are projects. It needs some 30 bytes of memory for each object
// of the store, and four for each entry of a tree.
func Weigh(ctx context.Context, store *evidence.CheckpointStore) (*Sizes, error) {
	r := store.Reader()
	defer func() { _ = r.Close() }() // opened for reading
	g := newGraph(r, store.Objects())
	var roots [][]int32
	for _, p := range store.Projects {
		var own []int32
		for _, c := range p.Chain {
			own = append(own, g.node(c.Tree, true))
		}
		roots = append(roots, own)
	}
	if err := g.read(ctx); err != nil {
		return nil, err
	}
	owners := g.owners(roots)
	s := &Sizes{projects: map[*evidence.CheckpointProject]Size{}, checkpoints: map[*evidence.CheckpointProject][]Size{}}
	w := weighing{g: g, owners: owners, refs: make([]int32, len(g.size)), seen: make([]int32, len(g.size))}
	first := int32(1) // the number of the project's newest checkpoint among all
	for i, p := range store.Projects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.begin(int32(i), first, len(roots[i]))
		s.checkpoints[p] = w.chain(roots[i])
		s.projects[p] = w.total()
		first += int32(len(roots[i]))
	}
	return s, nil
}

// graph is who holds whom among the objects of a store, by the numbers that the store's reader gives them; those that
// the store does not have come behind.
type graph struct {
	r        *evidence.ObjectReader
	absent   map[evidence.ObjectID]int32
	size     []int64    // -1 = not known
	children [][2]int32 // where those of a tree begin and end in kids
	state    []uint8
	kids     []int32
	unread   []unreadTree
}

// unreadTree is a tree that was met and not yet read.
type unreadTree struct {
	node int32
	id   evidence.ObjectID
}

// What was done about an object.
const (
	sized  = 1 << iota // asked for its size
	walked             // its entries are, or will be, read
)

func newGraph(r *evidence.ObjectReader, objects int) *graph {
	return &graph{
		r: r, absent: map[evidence.ObjectID]int32{},
		size: make([]int64, objects), children: make([][2]int32, objects), state: make([]uint8, objects),
	}
}

// node gives an object its number, and asks for its size when it is met first.
func (g *graph) node(id evidence.ObjectID, tree bool) int32 {
	n := g.number(id)
	if g.state[n]&sized == 0 {
		g.state[n] |= sized
		g.size[n] = -1
		if st, err := g.r.Stat(id); err == nil {
			g.size[n] = st.Size
		}
	}
	if tree && g.state[n]&walked == 0 {
		g.state[n] |= walked
		g.unread = append(g.unread, unreadTree{n, id})
	}
	return n
}

func (g *graph) number(id evidence.ObjectID) int32 {
	if n, ok := g.r.Number(id); ok {
		return int32(n)
	}
	n, ok := g.absent[id]
	if !ok {
		n = int32(len(g.size))
		g.absent[id] = n
		g.size, g.children, g.state = append(g.size, 0), append(g.children, [2]int32{}), append(g.state, 0)
	}
	return n
}

// read reads every tree that was met, and those that it finds in them.
func (g *graph) read(ctx context.Context) error {
	for len(g.unread) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := g.unread[len(g.unread)-1]
		g.unread = g.unread[:len(g.unread)-1]
		entries, _ := g.r.Tree(next.id) // those before the damage; that there is damage is a finding elsewhere
		from := int32(len(g.kids))
		for _, e := range entries {
			if mode := e.Mode.Canonical(); mode != evidence.ModeGitlink {
				g.kids = append(g.kids, g.node(e.ID, mode == evidence.ModeTree))
			}
		}
		g.children[next.node] = [2]int32{from, int32(len(g.kids))}
	}
	return nil
}

func (g *graph) below(n int32) []int32 { return g.kids[g.children[n][0]:g.children[n][1]] }

// several says that more than one project holds an object.
const several = math.MinInt32

// owners says of every object who holds it: 0 nobody, c > 0 the checkpoint c alone, -p-1 several checkpoints of the
// project p, several more than one project. A node changes its owner at most three times, so that the whole is linear.
func (g *graph) owners(roots [][]int32) []int32 {
	owner := make([]int32, len(g.size))
	of := []int32{0} // the project of a checkpoint, as its owner is written
	for p, own := range roots {
		for range own {
			of = append(of, -int32(p)-1)
		}
	}
	var stack []int32
	c := int32(0)
	for p, own := range roots {
		project := -int32(p) - 1
		for _, root := range own {
			c++
			for stack = append(stack[:0], root); len(stack) > 0; {
				n := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				next := c
				switch was := owner[n]; {
				case was == c, was == project, was == several:
					continue
				case was == 0:
				case was > 0 && of[was] == project:
					next = project
				default:
					next = several
				}
				owner[n] = next
				stack = append(stack, g.below(n)...)
			}
		}
	}
	return owner
}

// weighing goes along one chain after another and keeps what the checkpoint at hand holds: what stays between two of
// them is not walked again.
type weighing struct {
	g       *graph
	owners  []int32
	refs    []int32 // how many folders of the checkpoint, and its root, hold a node
	seen    []int32 // the number of the last project, from 1, of which a checkpoint holds a node
	nodes   []int32 // that the project's checkpoints hold
	project int32
	first   int32 // the number of the project's newest checkpoint among all
	last    int32
	now     Size
	whole   Size
}

func (w *weighing) begin(project, first int32, checkpoints int) {
	w.project, w.first, w.last = project, first, first+int32(checkpoints)-1
	w.nodes, w.now, w.whole = w.nodes[:0], Size{}, Size{}
}

func (w *weighing) chain(roots []int32) []Size {
	out := make([]Size, len(roots))
	for i, root := range roots {
		w.change(root, 1)
		if i > 0 {
			w.change(roots[i-1], -1)
		}
		out[i] = w.now
	}
	if n := len(roots); n > 0 {
		w.change(roots[n-1], -1)
	}
	for _, n := range w.nodes {
		if o := w.owners[n]; o >= w.first && o <= w.last {
			out[o-w.first].Unique += max(w.g.size[n], 0)
		}
	}
	for i := range out {
		out[i].Shared = out[i].Bytes - out[i].Unique
	}
	return out
}

// total is the size of everything that the chain has shown.
func (w *weighing) total() Size {
	w.whole.Shared = w.whole.Bytes - w.whole.Unique
	return w.whole
}

// change adds a tree to the checkpoint at hand, or takes it away.
func (w *weighing) change(root int32, by int32) {
	for stack := []int32{root}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		was := w.refs[n]
		w.refs[n] = was + by
		if by > 0 && was > 0 || by < 0 && was > 1 {
			continue
		}
		w.count(n, by)
		stack = append(stack, w.g.below(n)...)
	}
}

func (w *weighing) count(n, by int32) {
	size := w.g.size[n]
	if size < 0 {
		w.now.Missing += int(by)
	} else {
		w.now.Bytes += int64(by) * size
	}
	if by < 0 || w.seen[n] == w.project+1 {
		return
	}
	w.seen[n] = w.project + 1
	w.nodes = append(w.nodes, n)
	if size < 0 {
		w.whole.Missing++
		return
	}
	w.whole.Bytes += size
	if o := w.owners[n]; o == -w.project-1 || o >= w.first && o <= w.last {
		w.whole.Unique += size
	}
}
