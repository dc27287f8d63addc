package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Count spells n with thousands separators: 1,204.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// plural spells a count with its noun: 1 error, 1,204 messages.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Time spells epoch seconds in UTC to the second: 2026-08-06 16:18:36Z. NaN gives "-"; a number outside of
// 1 … 4 200 000 000, the range in which times count, is shown as stored.
func Time(epoch float64) string {
	switch {
	case math.IsNaN(epoch):
		return "-"
	case epoch < 1 || epoch > 4.2e9:
		return evidence.FormatFloat(epoch) + " (no time)"
	}
	return time.Unix(int64(epoch), 0).UTC().Format("2006-01-02 15:04:05Z")
}

// Duration spells a length in seconds in its largest fitting unit, to one decimal: 2.7 days, 15 minutes. NaN gives "-".
func Duration(seconds float64) string {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return "-"
	}
	units := []struct {
		name string
		size float64
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}}
	for _, u := range units {
		// Rounding first keeps 59.99 minutes from being called 60 minutes.
		if n := math.Round(math.Abs(seconds)/u.size*10) / 10; n >= 1 || u.size == 1 {
			s := strconv.FormatFloat(n, 'f', -1, 64) + " " + u.name
			if n != 1 {
				s += "s"
			}
			if seconds < 0 && n != 0 {
				s = "-" + s
			}
			return s
		}
	}
	return "-"
}

// hidden says how many entries of a list are not shown here.
func hidden(n int, noun string) string {
	return fmt.Sprintf("and %s more, shown by --format json", plural(int64(n), noun))
}
