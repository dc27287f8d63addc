package facts

import (
	"math"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Time is a moment in epoch seconds as a row holds it: NaN where the cell is NULL, +Inf where it holds text, which
// SQLite sorts behind every number.
type Time float64

// Never is the time of a blank cell.
func Never() Time { return Time(math.NaN()) }

// timeOf reads a cell as a time.
func timeOf(v evidence.Value) Time { return Time(v.Number()) }

// Blank says that the cell is NULL.
func (t Time) Blank() bool { return math.IsNaN(float64(t)) }

// Trusted says that the time is finite and within 1 … 4 200 000 000, the bounds within which times count.
func (t Time) Trusted() bool { return t >= 1 && t <= 4_200_000_000 }

// Or gives t, or u where t is blank, like COALESCE.
func (t Time) Or(u Time) Time {
	if t.Blank() {
		return u
	}
	return t
}

// OrZero gives the number that an ordering uses for t: a blank cell sorts before every number.
func (t Time) OrZero() float64 {
	if t.Blank() {
		return math.Inf(-1)
	}
	return float64(t)
}

// Known gives t where it is trusted and Never otherwise.
func (t Time) Known() Time {
	if t.Trusted() {
		return t
	}
	return Never()
}

// Later gives the later of two times; a blank one loses.
func Later(t, u Time) Time {
	if t.Blank() || u > t {
		return u
	}
	return t
}
