package checks

import (
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// bound says that child j calls itself a branch or a delegate of its parent, or is a tool's row: it continues nothing.
// A marker counts only where its value is the parent, since children inherit the markers of what they continue (trap T1
// of spec/state-db.md 4.3).
func bound(f *facts.Facts, parent, j int32) bool {
	s, id := &f.Sessions[j], f.Sessions[parent].ID
	return s.Source == "tool" || s.HasBranched && s.Branched == id || s.HasDelegate && s.Delegate == id
}

// continuations lists the children that continue a compressed row: neither bound nor the child of a reset.
func continuations(p *scan.Pass, parent int32) []int32 {
	v := p.Facts.View()
	var out []int32
	for _, j := range p.Facts.Children(parent) {
		if j != parent && p.Newest.Continues(v, parent, j) {
			out = append(out, j)
		}
	}
	return out
}

// newestRow answers which row of a chat is the newest with messages, each chat once.
type newestRow map[facts.Chat]int32

// is says that no other row of i's chat has messages and a later activity. A row without a key is alone.
func (n newestRow) is(p *scan.Pass, i int32) bool {
	s := &p.Facts.Sessions[i]
	best, ok := n[s.Chat()]
	if !ok {
		best = -1
		for _, j := range p.Facts.View().ChatRows(s.Chat()) {
			if r := &p.Facts.Sessions[j]; r.HasMessages() && (best < 0 || r.Act() > p.Facts.Sessions[best].Act()) {
				best = j
			}
		}
		n[s.Chat()] = best
	}
	return best < 0 || best == i || !(p.Facts.Sessions[best].Act() > s.Act())
}
