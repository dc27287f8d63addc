package checks

import (
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// eachFenced visits the live rows of chats with the boundary that ended last among those later than the row's start.
func eachFenced(p *scan.Pass, visit func(i, by int32)) error {
	v := p.Facts.View()
	for _, c := range p.Facts.Chats() {
		rows, by := v.ChatRows(c), int32(-1)
		for _, i := range rows {
			s := &p.Facts.Sessions[i]
			if resume.Boundary(s.EndReason) && s.Ended.Trusted() && (by < 0 || s.Ended > p.Facts.Sessions[by].Ended) {
				by = i
			}
		}
		if by < 0 {
			continue
		}
		for _, i := range rows {
			if s := &p.Facts.Sessions[i]; s.Live() && p.Facts.Sessions[by].Ended > heartbeat(s) {
				visit(i, by)
			}
		}
	}
	return nil
}

// heartbeat is what the fence compares, where it can be trusted.
func heartbeat(s *facts.Session) facts.Time {
	if s.LastActivity.Trusted() {
		return s.LastActivity
	}
	return s.Started
}

func fenceEvidence(p *scan.Pass, i, by int32) []evidence.Item {
	s, b := &p.Facts.Sessions[i], &p.Facts.Sessions[by]
	return []evidence.Item{
		p.Cells(i, "open; heartbeat or start "+scan.Moment(heartbeat(s)), "session_key", "source", "started_at", "last_activity_at", "ended_at", "end_reason"),
		p.Span(i),
		p.Cells(by, "ended "+scan.Moment(b.Ended)+" ("+b.EndReason+")", "session_key", "source", "ended_at", "end_reason"),
	}
}
