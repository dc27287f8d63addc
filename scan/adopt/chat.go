package adopt

import (
	"sort"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// chat sums up the keyed rows of one key of one lane, made once a key however many orphans ask.
type chat struct {
	rows       []int32   // keyed rows of this source and profile, by start
	starts     []float64 // of rows; rows without a start come first as -Inf
	latest     []int32   // latest[k] = of rows[:k+1] the one with the latest activity
	boundaries []int32   // rows ended on purpose, by their end
	live       []int32   // live rows with messages
}

func (d *decider) chat(id laneID, key string) *chat {
	at := chatID{id, key}
	if c, ok := d.chats[at]; ok {
		return c
	}
	c := &chat{}
	for _, i := range d.view.ChatRows(facts.Chat{Source: id.source, Key: key}) {
		s := &d.f.Sessions[i]
		if laneOf(d.f, s) != id {
			continue
		}
		c.rows = append(c.rows, i)
		if resume.Boundary(s.EndReason) && s.Ended.Trusted() {
			c.boundaries = append(c.boundaries, i)
		}
		if s.Live() && s.HasMessages() {
			c.live = append(c.live, i)
		}
	}
	c.build(d.f)
	d.chats[at] = c
	return c
}

func (c *chat) build(f *facts.Facts) {
	start := func(i int32) float64 { return f.Sessions[i].Start().OrZero() }
	sort.SliceStable(c.rows, func(a, b int) bool { return start(c.rows[a]) < start(c.rows[b]) })
	sort.SliceStable(c.boundaries, func(a, b int) bool {
		return f.Sessions[c.boundaries[a]].Ended < f.Sessions[c.boundaries[b]].Ended
	})
	sort.SliceStable(c.live, func(a, b int) bool { return start(c.live[a]) < start(c.live[b]) })
	for k, i := range c.rows {
		c.starts = append(c.starts, start(i))
		best := i
		if k > 0 && f.Sessions[c.latest[k-1]].Act().OrZero() > f.Sessions[i].Act().OrZero() {
			best = c.latest[k-1]
		}
		c.latest = append(c.latest, best)
	}
}

// before gives the row with the latest activity among those that started before at; -1 = none.
func (c *chat) before(at float64) int32 {
	if n := sort.SearchFloat64s(c.starts, at); n > 0 {
		return c.latest[n-1]
	}
	return -1
}

// boundary gives a row other than pred that ended on purpose within [from, to]; -1 = none.
func (c *chat) boundary(f *facts.Facts, pred int32, from, to facts.Time) int32 {
	k := sort.Search(len(c.boundaries), func(k int) bool { return f.Sessions[c.boundaries[k]].Ended >= from })
	for ; k < len(c.boundaries) && f.Sessions[c.boundaries[k]].Ended <= to; k++ {
		if c.boundaries[k] != pred {
			return c.boundaries[k]
		}
	}
	return -1
}
