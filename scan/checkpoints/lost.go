package checkpoints

import (
	"cmp"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// LostTip is the newest checkpoint of a history that no project leads to: trimmed, or cut off by damage.
type LostTip struct {
	Commit evidence.CommitInfo
	// Like is the project whose newest checkpoint has at least half of this one's topmost entries; nil where none has.
	Like *Project
}

// LostTips are the heads of what no chain leads to, newest author time first. A commit that was only written anew, so
// that a checkpoint of today has its tree, is passed over for its ancestors. Nil without Options.Objects.
func (s *Store) LostTips() []LostTip { return s.lost }

// LostFor are the lost tips that may be those of a project: those like it, and those like no other.
func (s *Store) LostFor(p *Project) []LostTip {
	var list []LostTip
	for _, t := range s.lost {
		if t.Like == nil || t.Like == p {
			list = append(list, t)
		}
	}
	return list
}

// findLostTips walks from the heads among the unreachable commits down to what no checkpoint of today holds.
func (s *Store) findLostTips(r *evidence.ObjectReader) {
	live, byID, parents := map[evidence.ObjectID]bool{}, map[evidence.ObjectID]*evidence.CommitInfo{}, map[evidence.ObjectID]bool{}
	for _, p := range s.Projects {
		for i := range p.Checkpoints {
			live[p.Checkpoints[i].Commit.Tree] = true
		}
	}
	for i := range s.Unreachable.Commits {
		c := &s.Unreachable.Commits[i]
		byID[c.ID] = c
		for _, p := range c.Parents {
			parents[p] = true
		}
	}
	seen := map[evidence.ObjectID]bool{}
	var tips []*evidence.CommitInfo
	for i := range s.Unreachable.Commits {
		c := &s.Unreachable.Commits[i]
		if parents[c.ID] {
			continue
		}
		for c != nil && live[c.Tree] && !seen[c.ID] {
			seen[c.ID] = true
			if len(c.Parents) == 0 {
				c = nil
			} else {
				c = byID[c.Parents[0]]
			}
		}
		if c == nil || seen[c.ID] || seen[c.Tree] {
			continue
		}
		seen[c.ID], seen[c.Tree] = true, true // an id of a commit is none of a tree
		tips = append(tips, c)
	}
	slices.SortFunc(tips, func(a, b *evidence.CommitInfo) int {
		return cmp.Or(cmp.Compare(b.Author.When, a.Author.When), a.ID.Compare(b.ID))
	})
	alike := s.alike(r, len(tips))
	for _, c := range tips {
		s.lost = append(s.lost, LostTip{*c, alike(c.Tree)})
	}
}

// mostAlike bounds the lost tips that are compared with projects.
const mostAlike = 1000

// alike gives a function that finds the project whose newest checkpoint shares most topmost entries with a tree.
func (s *Store) alike(r *evidence.ObjectReader, tips int) func(tree evidence.ObjectID) *Project {
	if tips == 0 || tips > mostAlike {
		return func(evidence.ObjectID) *Project { return nil }
	}
	type entry struct {
		name string
		id   evidence.ObjectID
	}
	holders := map[entry][]*Project{}
	for _, p := range s.Projects {
		if len(p.Checkpoints) == 0 {
			continue
		}
		entries, _ := r.Tree(p.Checkpoints[0].Commit.Tree) // a damaged tree gives those before the damage
		for _, e := range entries[:min(len(entries), mostAlike)] {
			k := entry{string(e.Name), e.ID}
			holders[k] = append(holders[k], p)
		}
	}
	return func(tree evidence.ObjectID) *Project {
		entries, _ := r.Tree(tree)
		shared := map[*Project]int{}
		for _, e := range entries {
			for _, p := range holders[entry{string(e.Name), e.ID}] {
				shared[p]++
			}
		}
		var best *Project
		for _, p := range s.Projects {
			if n := shared[p]; 2*n >= len(entries) && n > 0 && (best == nil || n > shared[best]) {
				best = p
			}
		}
		return best
	}
}
