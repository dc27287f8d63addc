package scan

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Count spells a number with its noun and thousands separators: "1 message", "1,204 messages".
func Count[N int | int64](n N, noun string) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n == 1 {
		return s + " " + noun
	}
	return s + " " + noun + "s"
}

// Days spells the days of a span in UTC: "6 August 2026", "6–8 August 2026", "30 July – 2 August 2026".
func Days(first, last facts.Time) string {
	if first.Blank() || last.Blank() {
		return "unknown days"
	}
	a, b := time.Unix(int64(first), 0).UTC(), time.Unix(int64(last), 0).UTC()
	switch {
	case a.Year() != b.Year():
		return a.Format("2 January 2006") + " – " + b.Format("2 January 2006")
	case a.Month() != b.Month():
		return a.Format("2 January") + " – " + b.Format("2 January 2006")
	case a.Day() != b.Day():
		return a.Format("2") + "–" + b.Format("2 January 2006")
	}
	return b.Format("2 January 2006")
}

// Intact says what an orphan holds: how many messages, of which days, in which row.
func Intact(s *facts.Session) string {
	return fmt.Sprintf("%s of %s %s intact in row %s, which has no routing identity", Count(s.Messages, "message"), Days(s.First, s.Last), be(int(s.Messages)), s.ID)
}

// Moment spells a time in UTC to the second.
func Moment(t facts.Time) string {
	if !t.Trusted() {
		return "an unknown time"
	}
	return time.Unix(int64(t), 0).UTC().Format("2006-01-02 15:04:05Z")
}

// Age spells a duration, given in seconds, in the largest unit that fits: "2.7 days", "40 minutes".
func Age(seconds float64) string {
	switch {
	case seconds < 0:
		return "-" + Age(-seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	case seconds < 2*86400:
		return fmt.Sprintf("%.1f hours", seconds/3600)
	}
	return fmt.Sprintf("%.1f days", seconds/86400)
}
