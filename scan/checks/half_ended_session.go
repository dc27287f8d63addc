package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var halfEndedSession = &scan.Check{
	ID: "half-ended-session", Class: "T1", Severity: scan.Warning,
	Title:  "a row has an end reason without an end time, or the reverse",
	Issues: []string{},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "ended_at and end_reason disagree. All generations read them in two places: the routing index takes a row for ended when end_reason is not NULL, the empty text included, and the lookup by key takes it for open when ended_at is NULL. With a reason alone the start drops the chat's entry, and v0.20.1 and v0.21 reopen the row; with a time alone the entry stays, and no lookup finds the row.",
		Not:    "It does not say which of the two is right.",
		Origin: "A hand-made edit, an import, or a write that was cut in two.",
		Safe:   "Filling a blank ended_at with the row's last activity, when it is asked for: the row is then ended for good. A missing reason is not invented.",
		Unsafe: "Today's time: with a reset's reason it fences every row whose heartbeat is older.",
		ByHand: "SELECT id, ended_at, end_reason FROM sessions WHERE (ended_at IS NULL) <> (coalesce(end_reason, '') = '') OR ended_at IS NULL AND end_reason = ''",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			noTime, noReason := s.Ended.Blank(), s.EndReason == ""
			if s.NoID || noTime == noReason && !(noTime && s.HasReason) {
				continue
			}
			f := scan.Finding{Subject: p.About(int32(i)), Evidence: []evidence.Item{p.Cells(int32(i), "", "session_key", "last_activity_at", "ended_at", "end_reason")}}
			saw := &f.Evidence[0].Saw
			switch {
			case noReason && noTime:
				*saw = "end_reason is the empty text, ended_at is blank"
				f.Message = fmt.Sprintf("the end_reason of row %s is the empty text: the routing index takes it for ended, the lookup for open", s.ID)
				f.Advice = byHand("UPDATE sessions SET end_reason = NULL WHERE id = " + evidence.Quote(s.ID))
			case noReason:
				*saw = "ended_at without end_reason"
				f.Message = fmt.Sprintf("row %s was ended at %s without a reason", s.ID, scan.Moment(s.Ended))
				f.Advice = "Leave it as it is: a missing reason is not invented, and no build resumes the row by lookup."
			default:
				*saw = fmt.Sprintf("end_reason %s without ended_at", s.EndReason)
				f.Message = fmt.Sprintf("row %s has the end reason %s and no end time: the routing index takes it for ended, the lookup for open", s.ID, s.EndReason)
				f.Advice = "Its end time can be filled with its last activity, when that is asked for; until then a lookup may resume it."
				if at := s.Act(); at.Trusted() {
					f.Held = true
					f.Fills = []scan.Fill{{Table: "sessions", Key: s.ID, Column: "ended_at", Value: float64(at), Because: "its last activity"}}
				}
			}
			p.Report(f)
		}
		return nil
	},
}
