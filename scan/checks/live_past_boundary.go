package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var livePastBoundary = &scan.Check{
	ID: "live-past-boundary", Class: "B1", Severity: scan.Warning,
	Title:  "a row is still open although its chat was reset after it",
	Issues: []string{"#61993", "#63539", "#68539", "#82743"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "The row was never ended, and another row of its chat was ended on purpose after this row's last activity. A build without the fence (before #82633) may resume it, which undoes the /new.",
		Not:    "Builds since v0.20.1 refuse the row while the other row's end stands.",
		Origin: "A reset ended the row that was routed at the time and left this older one open.",
		Safe:   "End it with the boundary's reason and the boundary's time.",
		Unsafe: "Ending it with today's time: every row whose heartbeat is older would be fenced.",
		ByHand: "SELECT l.id, b.id, b.end_reason, b.ended_at FROM sessions l JOIN sessions b ON b.session_key = l.session_key AND b.source = l.source WHERE l.ended_at IS NULL AND l.end_reason IS NULL AND b.end_reason IN ('session_reset','session_switch','idle','daily','suspended','resume_pending_expired') AND b.ended_at > l.started_at",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		return eachFenced(p, func(i, by int32) {
			s, b := &p.Facts.Sessions[i], &p.Facts.Sessions[by]
			if !(b.Ended > s.Act()) {
				return
			}
			p.Report(scan.Finding{
				Subject:  p.About(i),
				Message:  fmt.Sprintf("row %s is still open, although its chat was reset (%s) at %s, after its last activity", s.ID, b.EndReason, scan.Moment(b.Ended)),
				Advice:   "Builds before v0.20.1 may resume it. Ended with the same reason and time as " + b.ID + ", it stays where the user left it.",
				Evidence: fenceEvidence(p, i, by),
				Held:     true,
				Fills: []scan.Fill{
					{Table: "sessions", Key: s.ID, Column: "ended_at", Value: float64(b.Ended), Because: "the time at which the chat was reset"},
					{Table: "sessions", Key: s.ID, Column: "end_reason", Value: b.EndReason, Because: "the reason for which the chat was reset"},
				},
			})
		})
	},
}
