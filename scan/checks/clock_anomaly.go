package checks

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var clockAnomaly = &scan.Check{
	ID: "clock-anomaly", Class: "T2", Severity: scan.Notice,
	Title:  "a row's times contradict each other or cannot be true",
	Issues: []string{},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "A time is missing where the schema wants one, is text, infinite or outside 1 to 4,200,000,000 seconds; a row begins after its last message or ends before it begins; or a gateway-made id is stamped a minute or more away from the row's start.",
		Not:    "A row that began later than its id's stamp may simply have been made late. A compression child may hold older messages: they keep their times.",
		Origin: "A wrong clock, milliseconds for seconds, a hand-made row, or a create that failed and was made good by a later turn.",
		Safe:   "Nothing: times that cannot be trusted are left out of every decision here.",
		Unsafe: "Correcting times by guess: the resolver compares them.",
		ByHand: "SELECT id, started_at, ended_at, last_activity_at FROM sessions WHERE typeof(started_at) NOT IN ('real', 'integer') OR started_at NOT BETWEEN 1 AND 4200000000 OR ended_at < started_at",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		base, known := stampBase(p.Facts)
		for i := range p.Facts.Sessions {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			odd := oddTimes(p.Facts, int32(i), base, known)
			if len(odd) == 0 {
				continue
			}
			s := &p.Facts.Sessions[i]
			f := scan.Finding{
				Subject:  p.About(int32(i)),
				Message:  fmt.Sprintf("the times of row %s contradict each other or cannot be true: %s", s.ID, strings.Join(odd, "; ")),
				Advice:   "Nothing needs doing: times that cannot be trusted are left out of every decision here.",
				Evidence: []evidence.Item{p.Cells(int32(i), strings.Join(odd, "; "), "started_at", "ended_at", "last_activity_at")},
			}
			if s.Odd > 0 || s.Messages > 0 {
				f.Evidence = append(f.Evidence, p.Span(int32(i)))
			}
			p.Report(f)
		}
		return nil
	},
}

// oddTimes lists what is wrong with the times of one row.
func oddTimes(f *facts.Facts, i int32, base float64, known bool) []string {
	s := &f.Sessions[i]
	var odd []string
	if s.Started.Blank() {
		odd = append(odd, "started_at is blank")
	}
	for _, c := range []struct {
		name string
		t    facts.Time
	}{{"started_at", s.Started}, {"ended_at", s.Ended}, {"last_activity_at", s.LastActivity}} {
		if !c.t.Blank() && !c.t.Trusted() {
			odd = append(odd, c.name+" is no time of this century")
		}
	}
	if s.Odd > 0 {
		odd = append(odd, scan.Count(s.Odd, "message")+" without a usable time")
	}
	if s.Started.Trusted() && s.Started > s.Last+1 && !continued(f, s) {
		odd = append(odd, "it began after its last message")
	}
	if s.Ended.Trusted() && s.Started.Trusted() && s.Ended < s.Started {
		odd = append(odd, "it ended before it began")
	}
	if d, ok := stampLag(s); ok && known && f.Gateway(s.Source) && math.Abs(d-base) >= 60 && math.Abs(math.Abs(d-base)-3600) >= 60 {
		odd = append(odd, fmt.Sprintf("it began %s away from the stamp of its id", scan.Age(math.Abs(d-base))))
	}
	return odd
}

// continued says that the row is a compression child, which may hold messages older than itself.
func continued(f *facts.Facts, s *facts.Session) bool {
	return s.Parent >= 0 && f.Sessions[s.Parent].EndReason == "compression"
}

// stampLag is the row's start minus the stamp of its id read as UTC, in seconds: the zone's offset, negated, and the
// delay. Only the gateway's ids count: local wall time, an underscore and eight hex digits (spec/state-db.md 4.4).
func stampLag(s *facts.Session) (float64, bool) {
	id := s.ID
	if len(id) != len("20260806_161836_04c1d6c6") || id[8] != '_' || id[15] != '_' || !s.Started.Trusted() ||
		strings.Trim(id[16:], "0123456789abcdef") != "" {
		return 0, false
	}
	date, err1 := strconv.ParseUint(id[:8], 10, 32)
	clock, err2 := strconv.ParseUint(id[9:15], 10, 32)
	if err1 != nil || err2 != nil {
		return 0, false
	}
	year, month, day := int(date/10000), time.Month(date/100%100), int(date%100)
	at := time.Date(year, month, day, int(clock/10000), int(clock/100%100), int(clock%100), 0, time.UTC)
	return float64(s.Started) - float64(at.Unix()), at.Month() == month && at.Day() == day
}

// stampBase is the install's zone offset as most gateway ids show it, rounded to a quarter of an hour; known needs
// three rows that agree, and most of them.
func stampBase(f *facts.Facts) (base float64, known bool) {
	votes, all := map[float64]int{}, 0
	for i := range f.Sessions {
		if d, ok := stampLag(&f.Sessions[i]); ok {
			votes[math.Round(d/900)*900]++
			all++
		}
	}
	best := 0
	for q, n := range votes {
		if n > best || n == best && q < base {
			base, best = q, n
		}
	}
	return base, best >= 3 && 2*best > all
}
