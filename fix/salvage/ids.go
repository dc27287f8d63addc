package salvage

import (
	"cmp"
	"slices"
)

// Range is a run of ids, both ends inside.
type Range [2]int64

// idSet is a set of ids as runs in order.
type idSet struct{ runs []Range }

func (s *idSet) add(id int64) {
	if n := len(s.runs); n > 0 && s.runs[n-1][1]+1 == id {
		s.runs[n-1][1] = id
		return
	}
	i, in := s.find(id)
	if in {
		return
	}
	joinsLeft := i > 0 && s.runs[i-1][1]+1 == id
	joinsRight := i < len(s.runs) && s.runs[i][0]-1 == id
	switch {
	case joinsLeft && joinsRight:
		s.runs[i-1][1] = s.runs[i][1]
		s.runs = slices.Delete(s.runs, i, i+1)
	case joinsLeft:
		s.runs[i-1][1] = id
	case joinsRight:
		s.runs[i][0] = id
	default:
		s.runs = slices.Insert(s.runs, i, Range{id, id})
	}
}

// unsorted adds an id when many come in no order; settle must follow before anything is asked.
func (s *idSet) unsorted(id int64) {
	if n := len(s.runs); n > 0 && s.runs[n-1][1]+1 == id {
		s.runs[n-1][1] = id
		return
	}
	s.runs = append(s.runs, Range{id, id})
}

// settle sorts and joins what unsorted added.
func (s *idSet) settle() {
	slices.SortFunc(s.runs, func(a, b Range) int { return cmp.Compare(a[0], b[0]) })
	out := s.runs[:0]
	for _, r := range s.runs {
		if n := len(out); n > 0 && r[0] <= out[n-1][1]+1 {
			out[n-1][1] = max(out[n-1][1], r[1])
			continue
		}
		out = append(out, r)
	}
	s.runs = out
}

// find gives the first run that does not end before id, and whether it holds id.
func (s *idSet) find(id int64) (i int, in bool) {
	i, _ = slices.BinarySearchFunc(s.runs, id, func(r Range, id int64) int { return cmp.Compare(r[1], id) })
	return i, i < len(s.runs) && s.runs[i][0] <= id
}

func (s *idSet) has(id int64) bool { _, in := s.find(id); return in }

func (s *idSet) count() (n int64) {
	for _, r := range s.runs {
		n += r[1] - r[0] + 1
	}
	return n
}

// highest is the greatest id; 0 for none.
func (s *idSet) highest() int64 {
	if len(s.runs) == 0 {
		return 0
	}
	return max(s.runs[len(s.runs)-1][1], 0)
}

// gaps gives the runs of 1 to high that are in none of the sets.
func gaps(high int64, sets ...*idSet) []Range {
	var all []Range
	for _, s := range sets {
		all = append(all, s.runs...)
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a[0], b[0]) })
	var out []Range
	next := int64(1)
	for _, r := range all {
		if r[1] < next {
			continue
		}
		if r[0] > high {
			break
		}
		if r[0] > next {
			out = append(out, Range{next, r[0] - 1})
		}
		next = r[1] + 1
	}
	if next <= high {
		out = append(out, Range{next, high})
	}
	return out
}
