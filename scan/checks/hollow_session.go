package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var hollowSession = &scan.Check{
	ID: "hollow-session", Class: "K3", Severity: scan.Warning,
	Title:  "a row counts messages, but has none",
	Issues: []string{},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "message_count is above zero and no message names the row. The resolver counts such a row as one with messages, so it can win although its context is empty.",
		Not:    "It does not say where the messages went: look for messages without a session row, and for backups.",
		Origin: "Messages were deleted or lost while the counter stayed.",
		Safe:   "Setting the counter to the real number, zero. That overwrites a value, so the finding prints the statement.",
		Unsafe: "Moving another row's messages into it.",
		ByHand: "SELECT id, message_count FROM sessions s WHERE message_count > 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if s.Counted <= 0 || s.Messages > 0 || s.NoID {
				continue
			}
			p.Report(scan.Finding{
				Subject: p.About(int32(i)),
				Message: fmt.Sprintf("row %s counts %s and has none", s.ID, scan.Count(s.Counted, "message")),
				Advice: fmt.Sprintf("By hand, on a copy: UPDATE sessions SET message_count = 0 WHERE id = %s; this tool does not run it, because it overwrites a value.",
					evidence.Quote(s.ID)),
				Evidence: []evidence.Item{p.Cells(int32(i), fmt.Sprintf("message_count %d", s.Counted), "message_count"), p.Span(int32(i))},
			})
		}
		return nil
	},
}
