package scan_test

import (
	"math"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

func TestWords(t *testing.T) {
	const aug6, aug8, jul30 = 1785974400, 1786147200, 1785369600 // midnight UTC
	for _, tt := range []struct{ got, want string }{
		{scan.Count(0, "row"), "0 rows"}, {scan.Count(1, "row"), "1 row"}, {scan.Count(999, "row"), "999 rows"},
		{scan.Count(int64(1234567), "message"), "1,234,567 messages"}, {scan.Count(-1200, "row"), "-1,200 rows"},
		{scan.Days(aug6, aug8), "6–8 August 2026"}, {scan.Days(aug6, aug6+60), "6 August 2026"},
		{scan.Days(jul30, aug6), "30 July – 6 August 2026"}, {scan.Days(aug6, aug6+366*86400), "6 August 2026 – 7 August 2027"},
		{scan.Days(facts.Never(), aug6), "unknown days"},
		{scan.Moment(aug6 + 0.9), "2026-08-06 00:00:00Z"}, {scan.Moment(facts.Time(math.Inf(1))), "an unknown time"},
		{scan.Age(61), "61 seconds"}, {scan.Age(600), "10 minutes"}, {scan.Age(9000), "2.5 hours"}, {scan.Age(2.72 * 86400), "2.7 days"}, {scan.Age(-600), "-10 minutes"},
		{scan.ShellQuote("agent:main:telegram:dm:1"), "agent:main:telegram:dm:1"}, {scan.ShellQuote("it's; rm"), `'it'\''s; rm'`}, {scan.ShellQuote(""), "''"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
