package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var falseFence = &scan.Check{
	ID: "false-fence", Class: "B2", Severity: scan.Error,
	Title:  "a reset that lies before a row's last message hides that row from the product",
	Issues: []string{"#82633"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "Builds since #82633 refuse a row when a row of the same chat was ended on purpose later than this row's heartbeat, or its start where it has none. Here the messages go on after that end, so the real conversation is refused and the chat gets a new session.",
		Not:    "It does not say that the reset was a mistake: it belongs to another row of the chat.",
		Origin: "The heartbeat is blank or old, as on every row of an upgraded file until its next turn, and the comparison does not look at messages.",
		Safe:   "Where the heartbeat is blank, fill it with the time of the newest message. Where it is set, raising it is an overwrite: the finding prints the statement.",
		Unsafe: "Removing the other row's end, which brings back what the user reset.",
		ByHand: "SELECT l.id, b.id, b.end_reason, b.ended_at FROM sessions l JOIN sessions b ON b.session_key = l.session_key AND b.source = l.source AND b.ended_at > coalesce(l.last_activity_at, l.started_at) WHERE l.ended_at IS NULL AND b.end_reason IN ('session_reset','session_switch','idle','daily','suspended','resume_pending_expired')",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		return eachFenced(p, func(i, by int32) {
			s, b := &p.Facts.Sessions[i], &p.Facts.Sessions[by]
			if !(s.Last > b.Ended) {
				return
			}
			f := scan.Finding{
				Subject:  p.About(i),
				Message:  fmt.Sprintf("row %s is live and has messages until %s, but builds since v0.20.1 refuse it, because row %s was ended (%s) at %s", s.ID, scan.Moment(s.Last), b.ID, b.EndReason, scan.Moment(b.Ended)),
				Evidence: fenceEvidence(p, i, by),
			}
			if s.LastActivity.Blank() && p.Store.DB.Table("sessions").Has("last_activity_at") {
				f.Fills = []scan.Fill{{Table: "sessions", Key: s.ID, Column: "last_activity_at", Value: float64(s.Last), Because: "the time of its newest message lifts the fence"}}
				f.Held = true
				f.Advice = "Fill the blank last_activity_at with the time of its newest message."
			} else {
				f.Advice = fmt.Sprintf("By hand, on a copy: UPDATE sessions SET last_activity_at = %s WHERE id = %s; this tool does not run it, because it overwrites a value.",
					evidence.FormatFloat(float64(s.Last)), evidence.Quote(s.ID))
			}
			p.Report(f)
		})
	},
}
