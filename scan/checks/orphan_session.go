package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

var orphanSession = &scan.Check{
	ID: "orphan-session", Class: "O1–O3, O6", Severity: scan.Error,
	Title:  "a chat's messages lie in a row that names no chat",
	Issues: []string{"#82616", "#59527", "#33906", "#33907", "#99714"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "A row of a messaging platform holds messages, has no session key, no branch or delegate marker, and began after session keys existed in this file. No build finds such a row when the chat writes again: the recent conversation seems gone, and the chat wakes up in an older one.",
		Not:    "It does not prove which chat the row belongs to: that is the adoption decision on the finding, with its evidence and its vetoes. A row without any session_meta message may be a sub-agent's run.",
		Origin: "A reset, a compression or a lazy write made the row while the write of its identity failed; the routing table in memory hid the fork until the next restart.",
		Safe:   "Stop the gateway, back up, copy identity from the predecessor's columns into the blank cells of this row, and end the rows that lose where their end is blank. Every build then resumes it.",
		Unsafe: "Moving messages between rows; writing a parent alone, which hides the row from lists; ending the old row with a reset reason, which fences this one; guessing by time where two chats fit.",
		ByHand: "SELECT s.id, s.source, count(*) FROM sessions s JOIN messages m ON m.session_id = s.id WHERE coalesce(s.session_key, '') = '' GROUP BY s.id",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for _, i := range p.Adopted.Orphans {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.Report(orphanFinding(p, i))
		}
		if broken := p.Facts.Routes.FileBroken; broken != "" && len(p.Adopted.Orphans) > 0 {
			return fmt.Errorf("%w: an entry of sessions.json may name another chat, and it cannot be read: %s", scan.ErrLimit, broken)
		}
		if p.Facts.Heard.Limited && len(p.Adopted.Orphans) > 0 {
			return scan.ErrLimit // a witness that was not read may name another chat
		}
		return nil
	},
}

func orphanFinding(p *scan.Pass, i int32) scan.Finding {
	s, a := &p.Facts.Sessions[i], p.Adopted.Adoption(i)
	f := scan.Finding{
		Subject: p.About(i), Adoption: a, Fills: p.Adopted.Fills(i), Held: a.Decision != adopt.Adopt,
		Message: scan.Intact(s),
		Evidence: []evidence.Item{
			p.Cells(i, "session_key is blank, as builds before #82633 leave it", "session_key", "chat_id", "chat_type", "thread_id", "user_id", "source", "started_at", "end_reason"),
			p.Span(i),
		},
	}
	f.Evidence = append(f.Evidence, adoptionEvidence(p, i, a)...)
	f.Advice = orphanAdvice(p, a)
	return f
}

// adoptionEvidence shows what ties the row to its predecessor.
func adoptionEvidence(p *scan.Pass, i int32, a *scan.Adoption) []evidence.Item {
	var out []evidence.Item
	s := &p.Facts.Sessions[i]
	for _, w := range p.Adopted.Witnesses[s.ID] {
		out = append(out, evidence.Item{At: w.At, Saw: w.Saw, How: w.How})
	}
	for _, w := range p.Adopted.Corroboration(i) {
		out = append(out, evidence.Item{At: w.At, Saw: w.Saw, How: w.How})
	}
	if s.ParentID != "" {
		out = append(out, p.Cells(i, "parent_session_id "+s.ParentID, "parent_session_id"))
	}
	pred := p.Adopted.Predecessor(i)
	if pred < 0 {
		return out
	}
	q := &p.Facts.Sessions[pred]
	saw := fmt.Sprintf("the row before it; last activity %s", scan.Moment(q.Act()))
	if start := s.Start(); start.Trusted() && q.Act().Trusted() {
		saw += fmt.Sprintf(", %s before this row began", scan.Age(float64(start-q.Act())))
	}
	item := p.Cells(pred, saw, "session_key", "chat_id", "chat_type", "thread_id", "user_id", "started_at", "last_activity_at", "ended_at", "end_reason")
	out = append(out, item, p.Span(pred))
	return out
}

func orphanAdvice(p *scan.Pass, a *scan.Adoption) string {
	var words []string
	if p.UpdateFirst != "" {
		words = append(words, p.UpdateFirst)
	}
	switch a.Decision {
	case adopt.Adopt:
		words = append(words, "Its blank cells can be filled from "+a.Predecessor+"; nothing is overwritten.")
	case adopt.Consent:
		words = append(words, "It may continue "+a.Predecessor+", but the owner must say so: "+strings.Join(a.Caveats, "; ")+".")
	default:
		words = append(words, "Leave it as it is: no evidence names one chat without contradiction.")
	}
	if a.Decision != adopt.Refuse && p.Resolver.Generation() == resume.V018 {
		words = append(words, "Stop the gateway before anything is written.")
	}
	return strings.Join(words, " ")
}
