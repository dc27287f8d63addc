package checks

import (
	"cmp"
	"slices"
	"sort"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// taken lists the unkeyed rows that belong to one chat by their first message, with the latest message up to each.
type taken struct {
	rows  []int32
	until []facts.Time
}

func takersOf(p *scan.Pass) map[facts.Chat]*taken {
	out := map[facts.Chat]*taken{}
	for _, i := range p.Adopted.Orphans {
		s := &p.Facts.Sessions[i]
		c := facts.Chat{Source: s.Source, Key: p.Adopted.Adoption(i).SessionKey}
		if c.Key == "" || s.First.Blank() {
			continue
		}
		if out[c] == nil {
			out[c] = &taken{}
		}
		out[c].rows = append(out[c].rows, i)
	}
	for _, t := range out {
		slices.SortStableFunc(t.rows, func(a, b int32) int { return cmp.Compare(p.Facts.Sessions[a].First, p.Facts.Sessions[b].First) })
		latest := facts.Never()
		for _, i := range t.rows {
			latest = facts.Later(latest, p.Facts.Sessions[i].Last)
			t.until = append(t.until, latest)
		}
	}
	return out
}

// heldBy gives the row with the most messages of those that took some while the head was the chat's; -1 = none.
func heldBy(p *scan.Pass, h head, t *taken, c facts.Chat) int32 {
	s, best := &p.Facts.Sessions[h.row], int32(-1)
	from, until := s.Start(), s.Act()
	if h.route != nil {
		until = facts.Later(until, h.route.Updated.Known())
	}
	weigh := func(i int32) {
		o := &p.Facts.Sessions[i]
		if i != h.row && o.First <= until && o.Last >= from && (best < 0 || o.Messages > p.Facts.Sessions[best].Messages) {
			best = i
		}
	}
	if t != nil {
		k := sort.Search(len(t.rows), func(k int) bool { return p.Facts.Sessions[t.rows[k]].First > until })
		for k--; k >= 0 && t.until[k] >= from; k-- {
			weigh(t.rows[k])
		}
	}
	for _, i := range p.Facts.Children(h.row) {
		if p.Facts.Sessions[i].Chat() == c && !bound(p.Facts, h.row, i) {
			weigh(i)
		}
	}
	return best
}
