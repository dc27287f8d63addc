package resume

import (
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Generation is a span of product versions whose resolver behaves alike. Its value is the name in reports.
type Generation string

// The three generations (spec/state-db.md, "Generations used below" and 5).
const (
	V018  Generation = "v0.18"   // as of 2026-07-02
	V0201 Generation = "v0.20.1" // after #82633, 2026-08-09
	V021  Generation = "v0.21"   // September 2026
)

// Generations lists all three, oldest first.
func Generations() []Generation { return []Generation{V018, V0201, V021} }

// Newest is the last of Generations.
const Newest = V021

// Of gives the generation that wrote files of a schema version. Version 25 was shipped both before and after
// #82633; the later resolver is named, since updating is the advice in any case.
func Of(schema int) Generation {
	switch {
	case schema <= 24:
		return V018
	case schema == 25:
		return V0201
	}
	return V021
}

// boundaries are the reasons that end a conversation on purpose and fence older rows in the finder.
var boundaries = []string{"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"}

// Boundary says that reason is one of the six that the finder's fence knows (spec/state-db.md 5.2 and 5.3).
func Boundary(reason string) bool { return slices.Contains(boundaries, reason) }

// reasons are the end reasons that the generation's finder may reopen.
func (g Generation) reasons() []string {
	switch g {
	case V018:
		return []string{"agent_close"}
	case V0201:
		return []string{"agent_close", "ws_orphan_reap"}
	}
	return []string{"agent_close", "ws_orphan_reap", "superseded_by_resume", "startup_orphan_reap"}
}

// Recoverable says whether the finder may give the row: it has no end time, or ended for a reason that may be
// reopened, or (v0.21) its handoff was completed.
func (g Generation) Recoverable(s *facts.Session) bool {
	if s.Ended.Blank() || slices.Contains(g.reasons(), s.EndReason) {
		return true
	}
	return g == V021 && s.Handoff == "completed"
}

// fences says that the generation has the boundary fence.
func (g Generation) fences() bool { return g != V018 }

// heartbeat is the recency that the generation compares; v0.21 ignores times that are not trusted.
func (g Generation) heartbeat(s *facts.Session) facts.Time {
	if g == V021 && !s.LastActivity.Trusted() {
		return s.Started
	}
	return s.Heartbeat()
}

// fenceTime is when a boundary row fences: its end, if that counts for the generation.
func (g Generation) fenceTime(s *facts.Session) (facts.Time, bool) {
	if s.Ended.Blank() || !Boundary(s.EndReason) || g == V021 && !s.Ended.Trusted() {
		return facts.Never(), false
	}
	return s.Ended, true
}
