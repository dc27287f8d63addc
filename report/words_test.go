package report_test

import (
	"math"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/report"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 1204: "1,204", 1_000_000: "1,000,000", -1234: "-1,234",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := report.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		epoch float64
		want  string
	}{
		{"usual", 1786033116.75, "2026-08-06 16:18:36Z"},
		{"blank", math.NaN(), "-"},
		{"zero", 0, "0 (no time)"},
		{"milliseconds", 1786033116750, "1786033116750 (no time)"},
		{"last", 4.2e9, "2103-02-04 02:40:00Z"},
		{"infinite", math.Inf(1), "+Inf (no time)"},
	} {
		if got := report.Time(c.epoch); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    string
	}{
		{0, "0 seconds"}, {1, "1 second"}, {0.26, "0.3 seconds"}, {59.99, "1 minute"}, {900, "15 minutes"}, {3599.9, "1 hour"},
		{86400, "1 day"}, {234000, "2.7 days"}, {-90, "-1.5 minutes"}, {math.NaN(), "-"}, {math.Inf(1), "-"},
	} {
		if got := report.Duration(c.seconds); got != c.want {
			t.Errorf("Duration(%v) = %q, want %q", c.seconds, got, c.want)
		}
	}
}
