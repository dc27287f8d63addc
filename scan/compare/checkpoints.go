package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// ReCommitted is of checkpoints: the same tree, time and subject under the id of another commit, as the product writes
// what it keeps whenever it trims a history.
const ReCommitted Change = "re-committed"

// Checkpoints is one checkpoints/ folder of both copies.
type Checkpoints struct {
	Base     string // its name in A, or in B where A has none
	In       Side
	Projects []Project // those that differ, those that lose something first, then by id
	Same     int       // projects whose checkpoints are the same commits
	A, B     CheckpointTotals
	Points   Points
	Notes    []string // what explains a difference
	// Unread says what was left out because it could not be read: it is neither lost nor the same.
	Unread []string
}

// CheckpointTotals counts what one side holds.
type CheckpointTotals struct{ Projects, Checkpoints int }

// Points says what became of checkpoints, from A to B. Each of A is in one of the first three and Lost; each of B in one
// of the first three and Added.
type Points struct {
	Same        int // the same commit
	ReCommitted int // the same tree, time and subject in another commit
	ReStamped   int // the same tree and subject at another time
	Lost        int
	Trimmed     int // of the lost ones: older than all that B kept of the history
	InStore     int // of the lost ones: B's store still holds the commit, which no history leads to
	Added       int
}

// Add adds the counts of another.
func (p *Points) Add(o Points) {
	p.Same += o.Same
	p.ReCommitted += o.ReCommitted
	p.ReStamped += o.ReStamped
	p.Lost += o.Lost
	p.Trimmed += o.Trimmed
	p.InStore += o.InStore
	p.Added += o.Added
}

// Project is a project whose checkpoints differ.
type Project struct {
	ID             string
	StoreA, StoreB string // below the base; "" = that side does not have it
	Workdir        string // as recorded, a claim; that of B where both say one
	Changes        []Change
	Points         Points
	Lost, Added    []Point // newest first
}

// Point is a checkpoint that one side alone has.
type Point struct {
	ID      string  // of the commit
	N       int     // as /rollback counts on its side, 1 = newest
	At      float64 // of its author, epoch seconds; 0 = unreadable
	Subject string
	Trimmed bool // lost: older than all that B kept of the history
	InStore bool // lost: B's store still holds the commit
}

// Lossless says that B has every checkpoint of A.
func (c *Checkpoints) Lossless() bool {
	return c.Points.Lost == 0 && !slices.ContainsFunc(c.Projects, func(p Project) bool { return p.Changes[0] == Lost })
}

// Bases compares the checkpoint bases of one copy with those of another: by their names, a lone one with a lone one. A
// checkpoint is the same by the id of its commit, else by its tree, subject and time, else by tree and subject: trimming
// commits anew what it keeps, and older builds gave all of it the time of the trimming. What cannot be read is left out
// and told.
func Bases(a, b []*evidence.CheckpointBase) (out []*Checkpoints) {
	if len(a) == 1 && len(b) == 1 {
		return []*Checkpoints{base(a[0], b[0])}
	}
	named := func(list []*evidence.CheckpointBase, name string) *evidence.CheckpointBase {
		i := slices.IndexFunc(list, func(x *evidence.CheckpointBase) bool { return x.Name == name })
		if i < 0 {
			return nil
		}
		return list[i]
	}
	for _, x := range a {
		out = append(out, base(x, named(b, x.Name)))
	}
	for _, y := range b {
		if named(a, y.Name) == nil {
			out = append(out, base(nil, y))
		}
	}
	return out
}

// place is where a project lies in a base: two stores may have one of the same id, as after a migration.
type place struct{ store, id string }

// base compares two bases, one of which may be nil.
func base(a, b *evidence.CheckpointBase) *Checkpoints {
	c := &Checkpoints{In: Both}
	switch {
	case a == nil:
		c.In, c.Base = B, b.Name
	case b == nil:
		c.In, c.Base = A, a.Name
	default:
		c.Base = a.Name
	}
	left, right := c.projects(a, "A", &c.A), c.projects(b, "B", &c.B)
	if len(c.Unread) > 0 {
		return c
	}
	readers := map[*evidence.CheckpointStore]*evidence.ObjectReader{}
	defer func() {
		for _, r := range readers {
			_ = r.Close() // opened for reading
		}
	}()
	for _, pair := range pairProjects(left, right) {
		held := func(evidence.ObjectID) bool { return false }
		if store := storeFor(b, pair); store != nil {
			held = func(id evidence.ObjectID) bool {
				if readers[store] == nil {
					readers[store] = store.WholeReader()
				}
				return readers[store].Has(id)
			}
		}
		c.project(pair[0], pair[1], held)
	}
	rank := rankOf(append(Changes(), Moved, ReCommitted))
	for i := range c.Projects {
		slices.SortFunc(c.Projects[i].Changes, func(x, y Change) int { return cmp.Compare(rank[x], rank[y]) })
	}
	slices.SortFunc(c.Projects, func(x, y Project) int {
		return cmp.Or(cmp.Compare(rank[x.Changes[0]], rank[y.Changes[0]]), cmp.Compare(x.ID, y.ID), cmp.Compare(x.StoreA+x.StoreB, y.StoreA+y.StoreB))
	})
	return c
}

func rankOf(changes []Change) map[Change]int {
	rank := make(map[Change]int, len(changes))
	for i, change := range changes {
		rank[change] = i
	}
	return rank
}

// projects lists those of one side, in the order of the stores. What could not be looked at may hold more of them.
func (c *Checkpoints) projects(b *evidence.CheckpointBase, side string, totals *CheckpointTotals) (list []*evidence.CheckpointProject) {
	if b == nil {
		return nil
	}
	unread := func(where string, problems []evidence.GitProblem) {
		for _, p := range problems {
			name := p.Path
			if name == "" {
				name = where
			}
			if p.Fault == evidence.ObjectLimit || p.Fault == evidence.ObjectUnreadable && hidesProjects(where, p.Path) {
				c.Unread = append(c.Unread, fmt.Sprintf("%s of %s is not compared: %s %s", c.Base, side, name, p.What))
			}
		}
	}
	unread(b.Name, b.Problems)
	for _, s := range b.Stores {
		unread(s.Name, s.Problems)
		for _, p := range s.Projects {
			totals.Projects++
			totals.Checkpoints += len(p.Chain)
			list = append(list, p)
			switch {
			case p.ChainErr != nil && (p.ChainErr.Fault == evidence.ObjectUnreadable || p.ChainErr.Fault == evidence.ObjectLimit):
				c.Unread = append(c.Unread, fmt.Sprintf("%s of %s is not compared: the history of project %s cannot be read to its end: %v", c.Base, side, p.ID, p.ChainErr))
			case p.ChainErr != nil:
				c.Notes = append(c.Notes, fmt.Sprintf("the history of project %s in %s breaks off after %d checkpoints: %v", p.ID, side, len(p.Chain), p.ChainErr))
			case p.RefState != evidence.RefSound && p.RefState != evidence.RefAbsent:
				c.Notes = append(c.Notes, fmt.Sprintf("the ref of project %s in %s is damaged: %s", p.ID, side, p.RefFlaw))
			}
		}
	}
	return list
}

// hidesProjects says whether what cannot be read at a path of a base or store may hold projects or histories.
func hidesProjects(where, path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return path == "" || first == "store" || first == "projects" || first == "refs" || first == "packed-refs" || first == "objects" ||
		where != "" && evidence.IsProjectID(first)
}

// pairProjects joins the projects of both sides by store and id. Of an id that is left over once on each side, one has
// moved to the other's store.
func pairProjects(a, b []*evidence.CheckpointProject) (pairs [][2]*evidence.CheckpointProject) {
	at := func(p *evidence.CheckpointProject) place { return place{p.Store.Name, p.ID} }
	right, left := map[place]*evidence.CheckpointProject{}, map[place]bool{}
	for _, p := range b {
		right[at(p)] = p
	}
	for _, p := range a {
		left[at(p)] = true
	}
	spareA, spareB := map[string]int{}, map[string][]*evidence.CheckpointProject{}
	for _, p := range a {
		if right[at(p)] == nil {
			spareA[p.ID]++
		}
	}
	for _, p := range b {
		if !left[at(p)] {
			spareB[p.ID] = append(spareB[p.ID], p)
		}
	}
	moved := map[*evidence.CheckpointProject]bool{}
	for _, p := range a {
		q := right[at(p)]
		if q == nil && spareA[p.ID] == 1 && len(spareB[p.ID]) == 1 {
			q = spareB[p.ID][0]
			moved[q] = true
		}
		pairs = append(pairs, [2]*evidence.CheckpointProject{p, q})
	}
	for _, p := range b {
		if !left[at(p)] && !moved[p] {
			pairs = append(pairs, [2]*evidence.CheckpointProject{nil, p})
		}
	}
	return pairs
}

// storeFor is the store of B that may still hold the commits of a project: its own, else the one that A's had, else the
// store of all projects. nil = there is none.
func storeFor(b *evidence.CheckpointBase, pair [2]*evidence.CheckpointProject) *evidence.CheckpointStore {
	switch {
	case b == nil || pair[0] == nil:
		return nil
	case pair[1] != nil:
		return pair[1].Store
	}
	for _, fits := range []func(*evidence.CheckpointStore) bool{
		func(s *evidence.CheckpointStore) bool { return s.Name == pair[0].Store.Name },
		func(s *evidence.CheckpointStore) bool { return s.Version == 2 },
	} {
		if i := slices.IndexFunc(b.Stores, fits); i >= 0 {
			return b.Stores[i]
		}
	}
	return nil
}

// project compares the histories of a project; a or b is nil where that side does not have it. held says whether the
// store of B has an object.
func (c *Checkpoints) project(a, b *evidence.CheckpointProject, held func(evidence.ObjectID) bool) {
	var p Project
	var left, right []evidence.CommitInfo
	if a != nil {
		p.ID, p.StoreA, p.Workdir, left = a.ID, a.Store.Name, a.Workdir, a.Chain
	}
	if b != nil {
		p.ID, p.StoreB, right = b.ID, b.Store.Name, b.Chain
		if b.Workdir != "" {
			p.Workdir = b.Workdir
		}
	}
	pairA, pairB := make([]bool, len(left)), make([]bool, len(right))
	oldest := -1 // of what B kept, in the history of A
	for _, tier := range []struct {
		by    func(*evidence.CommitInfo) string
		count *int
	}{
		{func(x *evidence.CommitInfo) string { return x.ID.String() }, &p.Points.Same},
		{func(x *evidence.CommitInfo) string {
			return fmt.Sprintf("%s %d %v %s", x.Tree, x.Author.When, x.Author.Valid, checkpoints.Subject(x.Message))
		}, &p.Points.ReCommitted},
		{func(x *evidence.CommitInfo) string { return x.Tree.String() + checkpoints.Subject(x.Message) }, &p.Points.ReStamped},
	} {
		known := map[string][]int{}
		for i := range right {
			if !pairB[i] {
				known[tier.by(&right[i])] = append(known[tier.by(&right[i])], i)
			}
		}
		for i := range left {
			if pairA[i] {
				continue
			}
			if list := known[tier.by(&left[i])]; len(list) > 0 {
				known[tier.by(&left[i])] = list[1:]
				pairA[i], pairB[list[0]] = true, true
				oldest = max(oldest, i)
				*tier.count++
			}
		}
	}
	for i := range left {
		if pairA[i] {
			continue
		}
		x := point(i, &left[i])
		x.Trimmed, x.InStore = oldest >= 0 && i > oldest && b.ChainErr == nil, held(left[i].ID)
		p.Points.Lost++
		if x.Trimmed {
			p.Points.Trimmed++
		}
		if x.InStore {
			p.Points.InStore++
		}
		p.Lost = append(p.Lost, x)
	}
	for i := range right {
		if !pairB[i] {
			p.Points.Added++
			p.Added = append(p.Added, point(i, &right[i]))
		}
	}
	for _, is := range []struct {
		so     bool
		change Change
	}{
		{b == nil, Lost}, {b != nil && p.Points.Lost > 0, Shrunk}, {p.Points.ReStamped > 0, ReStamped}, {a != nil && b != nil && p.StoreA != p.StoreB, Moved},
		{p.Points.ReCommitted > 0, ReCommitted}, {a != nil && p.Points.Added > 0, Grown}, {a == nil, Added},
	} {
		if is.so {
			p.Changes = append(p.Changes, is.change)
		}
	}
	c.Points.Add(p.Points)
	if len(p.Changes) == 0 {
		c.Same++
		return
	}
	c.Projects = append(c.Projects, p)
}

func point(i int, x *evidence.CommitInfo) Point {
	p := Point{ID: x.ID.String(), N: i + 1, Subject: checkpoints.Subject(x.Message)}
	if x.Author.Valid {
		p.At = float64(x.Author.When)
	}
	return p
}
