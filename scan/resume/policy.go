package resume

import (
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// due gives the reason for which a policy replaces a session last used at updated, or "". Both edges are exclusive;
// "both" tests idle first (spec/state-db.md 5.2).
func (r *Resolver) due(p facts.Policy, updated facts.Time) string {
	if r.gen == V021 {
		return "" // idle and daily resets are gone
	}
	if (p.Mode == "idle" || p.Mode == "both") && float64(r.now) > float64(updated)+p.Minutes*60 {
		return "idle"
	}
	if (p.Mode == "daily" || p.Mode == "both") && p.Hour >= 0 && p.Hour <= 23 && updated < r.lastHour(p.Hour) {
		return "daily"
	}
	return ""
}

// lastHour is the last time that the clock of the install's zone stood at hour:00.
func (r *Resolver) lastHour(hour int) facts.Time {
	now := time.Unix(int64(r.now), 0).In(r.facts.Routes.Zone)
	at := time.Date(now.Year(), now.Month(), now.Day(), hour, 0, 0, 0, now.Location())
	if now.Hour() < hour {
		at = at.AddDate(0, 0, -1)
	}
	return facts.Time(at.Unix())
}

// clock is what a policy measures a found row by: last_activity_at, or started_at where that is NULL or 0.
func clock(s *facts.Session) facts.Time {
	if s.LastActivity.Blank() || s.LastActivity == 0 {
		return s.Started
	}
	return s.LastActivity
}
