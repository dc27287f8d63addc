package facts

import (
	"math"
	"time"
)

// offsets counts differences between a local time and the instant that it stands for. Offsets of zones are whole
// quarters of an hour.
type offsets struct {
	votes map[int]int // by quarters
	all   int
}

func (o *offsets) add(difference float64) {
	o.all++
	quarter := math.Round(difference / 900)
	if math.Abs(difference-quarter*900) > 2 || math.Abs(quarter) > 14*4 {
		return
	}
	if o.votes == nil {
		o.votes = map[int]int{}
	}
	o.votes[int(quarter)]++
}

// most gives the offset, in seconds, that most votes name, and how many do: enough of them, and more than half of all.
func (o *offsets) most() (offset, n int, ok bool) {
	best := 0
	for q, n := range o.votes {
		if n > o.votes[best] || n == o.votes[best] && q < best {
			best = q
		}
	}
	n = o.votes[best]
	return best * 900, n, n >= agreeing && 2*n > o.all
}

// stampOf reads the local time that a session id of the product begins with, as seconds since 1970 as if its zone were
// UTC; false for an id of another form (spec/state-db.md 4.4).
func stampOf(id string) (at float64, ok bool) {
	if len(id) < 16 || id[15] != '_' {
		return 0, false
	}
	t, err := time.Parse("20060102_150405", id[:15])
	if err != nil {
		return 0, false
	}
	return float64(t.Unix()), true
}
