package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// closing is within how many seconds of its last activity a row that is retired is ended: heartbeats come once a minute.
const closing = 60

var boundaryErased = &scan.Check{
	ID: "boundary-erased", Class: "B3", Severity: scan.Warning,
	Title:  "a repair wrote over the reason for which a row had ended",
	Issues: []string{"#82665", "#82712"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "The row is ended by superseded_by_repair at a time more than a minute after its last activity, and the row that the repair put in its place began only after that end. So it had ended before: the product's repair-routing keeps the time and writes over the reason. If the reason was a reset, its fence is gone, and v0.20.1 and v0.21 may resume rows from before the reset again; v0.18 has no fence.",
		Not:    "The old reason may have been harmless, such as agent_close: it is in no cell any more. A row that this tool or the product retired while it was open is not meant.",
		Origin: "`hermes sessions repair-routing --apply` on a predecessor that a reset, an idle or a daily limit had ended.",
		Safe:   "Looking the reason up in a backup from before the repair.",
		Unsafe: "Writing a boundary from memory: with today's time it fences every row whose heartbeat is older.",
		ByHand: "SELECT d.id, d.ended_at, d.last_activity_at, o.id, o.started_at FROM sessions d JOIN sessions o ON o.parent_session_id = d.id AND o.session_key = d.session_key AND o.source = d.source WHERE d.end_reason = 'superseded_by_repair' AND o.started_at >= d.ended_at",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if s.EndReason != "superseded_by_repair" || !s.Keyed() || !s.Ended.Trusted() || !(s.Ended > s.Act()+closing) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			heir := heirAfter(p.Facts, int32(i), s.Ended)
			if heir < 0 {
				continue
			}
			o := &p.Facts.Sessions[heir]
			p.Report(scan.Finding{
				Subject: p.About(int32(i)),
				Message: fmt.Sprintf("row %s had ended at %s, before row %s began, and a repair wrote over the reason", s.ID, scan.Moment(s.Ended), o.ID),
				Advice:  "Look the reason up in a backup from before the repair: if it was a reset, older talk of this chat can come back.",
				Evidence: []evidence.Item{
					p.Cells(int32(i), fmt.Sprintf("ended %s after its last activity", scan.Age(float64(s.Ended-s.Act()))), "session_key", "started_at", "last_activity_at", "ended_at", "end_reason"),
					p.Span(int32(i)),
					p.Cells(heir, "began "+scan.Moment(o.Start()), "session_key", "parent_session_id", "started_at"),
				},
			})
		}
		return nil
	},
}

// heirAfter gives the first child of row i in its chat that began at or after a time; -1 = none. A repair records the
// donor as the parent of the row that it adopts.
func heirAfter(f *facts.Facts, i int32, at facts.Time) int32 {
	for _, j := range f.Children(i) {
		if s := &f.Sessions[j]; s.Chat() == f.Sessions[i].Chat() && s.Start() >= at {
			return j
		}
	}
	return -1
}
