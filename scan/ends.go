package scan

import (
	"cmp"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// EndLine counts the session rows of one store and source that ended alike, by age; every row is in exactly one line (#22071).
type EndLine struct {
	Store, Source string
	Reason        string // "" = none is recorded
	Open          bool   // there is no time of the end
	Sessions      int
	Ages          [Ages]int // of Sessions, by AgeOf
}

// Ages is how many buckets of age there are: AgeLimits, then what is older, then what has no usable time.
const Ages = 6

// AgeLimits are the upper limits of the first buckets, in days. The last is that of the product's own prune.
func AgeLimits() []float64 { return []float64{1, 7, 30, prunedDays} }

// prunedDays is how many days an ended row must have been quiet for the product's default prune to take it, since September 2026
// (#101316).
const prunedDays = 90

// PrunedAfter is the same in seconds.
const PrunedAfter = prunedDays * daySeconds

// AgeOf is the bucket of a row by the scan's clock, in epoch seconds. A row is as old as its last use: the newest message or heartbeat,
// else the start. By the start alone a chat of months that was used today would count as old (#71043, #114024).
func AgeOf(s *facts.Session, now float64) int {
	at := s.Act()
	if at.Blank() {
		return Ages - 1
	}
	limits := AgeLimits()
	for i, days := range limits {
		if now-float64(at) <= days*daySeconds {
			return i
		}
	}
	return len(limits)
}

// ends counts the rows of the store by source and end.
func (e *exam) ends(now float64) []EndLine {
	type line struct {
		source, reason string
		open           bool
	}
	at := map[line]int{}
	var out []EndLine
	for i := range e.facts.Sessions {
		s := &e.facts.Sessions[i]
		l := line{s.Source, s.EndReason, s.Ended.Blank()}
		k, ok := at[l]
		if !ok {
			k = len(out)
			at[l] = k
			out = append(out, EndLine{Store: e.facts.Store, Source: l.source, Reason: l.reason, Open: l.open})
		}
		out[k].Sessions++
		out[k].Ages[AgeOf(s, now)]++
	}
	slices.SortFunc(out, func(a, b EndLine) int { return a.Compare(b) })
	return out
}

// Compare orders the lines of one store: by source, the rows that never ended first.
func (l EndLine) Compare(o EndLine) int {
	open := 0
	if l.Open != o.Open {
		open = 1
		if l.Open {
			open = -1
		}
	}
	return cmp.Or(cmp.Compare(l.Source, o.Source), open, cmp.Compare(l.Reason, o.Reason))
}
