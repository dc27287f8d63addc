package adopt

import (
	"sort"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// lane holds the rows of one source and profile that may be predecessors, keyed ones and orphans alike, so that the
// rows around a moment are found by binary search and never by walking over all.
type lane struct {
	byStart []int32   // rows with a start, in order of it
	starts  []float64 // of byStart
	latest  []float64 // a tree of maxima over the last activity of byStart: node k covers 2k and 2k+1
	size    int       // leaves of the tree, a power of two
	lasts   []float64 // last activities in order
	byLast  []int32   // the rows of lasts
}

type laneID struct{ source, profile string }

// newLanes groups rows by source and profile.
func newLanes(f *facts.Facts, rows []int32) map[laneID]*lane {
	lanes, known := map[laneID]*lane{}, map[*facts.Identity]*lane{}
	for _, i := range rows {
		s := &f.Sessions[i]
		l := known[s.Identity]
		if l == nil {
			id := laneOf(f, s)
			if l = lanes[id]; l == nil {
				l = &lane{}
				lanes[id] = l
			}
			known[s.Identity] = l
		}
		if s.Start().Trusted() {
			l.byStart = append(l.byStart, i)
			l.byLast = append(l.byLast, i)
		}
	}
	for _, l := range lanes {
		l.build(f)
	}
	return lanes
}

// laneOf gives a row's source and profile. In a profile's own file that profile and the default one are the same: a
// blank profile_name and the namespace main both mean the file's owner there (spec/state-db.md 3.1 and 4.5).
func laneOf(f *facts.Facts, s *facts.Session) laneID {
	p := facts.ProfileOf(s)
	if p == f.Owner {
		p = "default"
	}
	return laneID{s.Source, p}
}

func (l *lane) build(f *facts.Facts) {
	start := func(i int32) float64 { return float64(f.Sessions[i].Start()) }
	last := func(i int32) float64 { return float64(f.Sessions[i].Act()) }
	sort.SliceStable(l.byStart, func(a, b int) bool { return start(l.byStart[a]) < start(l.byStart[b]) })
	sort.SliceStable(l.byLast, func(a, b int) bool { return last(l.byLast[a]) < last(l.byLast[b]) })
	n := len(l.byStart)
	for l.size = 1; l.size < n; l.size *= 2 {
	}
	l.latest = make([]float64, 2*l.size)
	l.starts, l.lasts = make([]float64, n), make([]float64, n)
	for k, i := range l.byStart {
		l.starts[k], l.latest[l.size+k] = start(i), last(i)
	}
	for k, i := range l.byLast {
		l.lasts[k] = last(i)
	}
	for k := l.size - 1; k > 0; k-- {
		l.latest[k] = max(l.latest[2*k], l.latest[2*k+1])
	}
}

// quiet gives the rows whose last activity lies in [from, to], oldest first.
func (l *lane) quiet(from, to float64) []int32 {
	a := sort.SearchFloat64s(l.lasts, from)
	b := sort.Search(len(l.lasts), func(k int) bool { return l.lasts[k] > to })
	if a >= b {
		return nil
	}
	return l.byLast[a:b]
}

// around calls visit for the rows that started before at and were active after until, in order of their start.
func (l *lane) around(at, until float64, visit func(i int32)) {
	n := sort.SearchFloat64s(l.starts, at)
	if n > 0 {
		l.walk(1, 0, l.size, n, until, visit)
	}
}

// walk visits the leaves below node that lie before n and whose value exceeds until; branches without one are cut.
func (l *lane) walk(node, from, width, n int, until float64, visit func(i int32)) {
	if from >= n || l.latest[node] <= until {
		return
	}
	if width == 1 {
		visit(l.byStart[from])
		return
	}
	l.walk(2*node, from, width/2, n, until, visit)
	l.walk(2*node+1, from+width/2, width/2, n, until, visit)
}
