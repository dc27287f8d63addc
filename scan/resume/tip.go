package resume

import (
	"errors"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// errMarkers is the tip lookup's failure on a child whose model_config is not JSON, before v0.21 guarded it.
var errMarkers = errors.New("a child's model_config is not JSON, on which the lookup of the continuation fails")

// Tip follows compression from row i to the continuation that the product reads and writes: while the row ended by
// compression, to its best unmarked child (spec/state-db.md 5.2, #80337). It ends where there is none.
func (r *Resolver) Tip(v *facts.View, i int32) (int32, error) {
	if v.Row(i).EndReason != "compression" { // nearly every row
		return i, nil
	}
	limit := 100
	if r.gen == V021 {
		limit = 1000
	}
	seen := map[int32]bool{i: true}
	for range limit {
		if v.Row(i).EndReason != "compression" {
			return i, nil
		}
		next, err := r.child(v, i)
		if err != nil || next < 0 || seen[next] {
			return i, err
		}
		seen[next], i = true, next
	}
	return i, nil
}

func (r *Resolver) child(v *facts.View, parent int32) (int32, error) {
	best := int32(-1)
	for _, j := range v.Children(parent) {
		s := v.Row(j)
		if s.Malformed && r.gen != V021 {
			return -1, errMarkers
		}
		if r.Continues(v, parent, j) && (best < 0 || r.better(v, j, best)) {
			best = j
		}
	}
	return best, nil
}

// Continues says whether child j counts as the continuation of its compressed parent: no tool, no branch, no
// delegate. v0.21 binds a marker's value to the parent and skips reset children (#114271); earlier builds test
// that a marker is present (trap T1).
func (r *Resolver) Continues(v *facts.View, parent, j int32) bool {
	s, id := v.Row(j), v.Row(parent).ID
	if s.Source == "tool" {
		return false
	}
	if r.gen == V021 {
		return !(s.HasBranched && s.Branched == id) && !(s.HasDelegate && s.Delegate == id) && !(s.HasReset && s.Reset == id)
	}
	return !s.Marked()
}

// better orders the children of one parent: compressed ones first, then open ones, then the latest.
func (r *Resolver) better(v *facts.View, i, j int32) bool {
	a, b := v.Row(i), v.Row(j)
	if x, y := childRank(a), childRank(b); x != y {
		return x < y
	}
	if x, y := a.Act().OrZero(), b.Act().OrZero(); x != y {
		return x > y
	}
	if x, y := a.Started.OrZero(), b.Started.OrZero(); x != y {
		return x > y
	}
	return a.ID > b.ID
}

func childRank(s *facts.Session) int {
	switch {
	case s.EndReason == "compression":
		return 0
	case s.Ended.Blank():
		return 1
	}
	return 2
}
