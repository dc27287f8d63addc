package contents

import (
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Owners says which projects the commits that no chain leads to belong to. Commits that are each other's parents
// belong together, and all of them to a project when one of them has the tree of one of its checkpoints, is parent or
// child of one, or is a value of its ref: trimming a history writes the kept commits anew and leaves the old ones,
// with the same trees. The order is that of the store's projects. A commit without an entry may be of any project.
func Owners(s *evidence.CheckpointStore, loose []evidence.CommitInfo) map[evidence.ObjectID][]*evidence.CheckpointProject {
	g := groups{at: map[evidence.ObjectID]int{}}
	for i, c := range loose {
		g.at[c.ID] = i
		g.parent = append(g.parent, i)
	}
	for i, c := range loose {
		for _, p := range c.Parents {
			if k, ok := g.at[p]; ok {
				g.parent[g.root(i)] = g.root(k)
			}
		}
	}
	byTree := map[evidence.ObjectID][]*evidence.CheckpointProject{}
	byCommit := map[evidence.ObjectID]*evidence.CheckpointProject{}
	roots := map[int][]*evidence.CheckpointProject{}
	claim := func(id evidence.ObjectID, p *evidence.CheckpointProject) {
		if i, ok := g.at[id]; ok {
			roots[g.root(i)] = add(roots[g.root(i)], p)
		}
	}
	for _, p := range s.Projects {
		for _, c := range p.Chain {
			byTree[c.Tree] = add(byTree[c.Tree], p)
			byCommit[c.ID] = p
			for _, parent := range c.Parents {
				claim(parent, p)
			}
		}
		if p.Ref != nil {
			claim(p.Ref.Loose, p)
			claim(p.Ref.Packed, p)
		}
	}
	for i, c := range loose {
		for _, p := range byTree[c.Tree] {
			roots[g.root(i)] = add(roots[g.root(i)], p)
		}
		for _, parent := range c.Parents {
			if p := byCommit[parent]; p != nil {
				roots[g.root(i)] = add(roots[g.root(i)], p)
			}
		}
	}
	out := map[evidence.ObjectID][]*evidence.CheckpointProject{}
	for i, c := range loose {
		if own := roots[g.root(i)]; len(own) > 0 {
			out[c.ID] = own
		}
	}
	return out
}

// groups joins commits that belong together.
type groups struct {
	at     map[evidence.ObjectID]int
	parent []int
}

func (g *groups) root(i int) int {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

func add(list []*evidence.CheckpointProject, p *evidence.CheckpointProject) []*evidence.CheckpointProject {
	for _, q := range list {
		if q == p {
			return list
		}
	}
	return append(list, p)
}
