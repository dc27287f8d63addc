package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var emptyKeyedSession = &scan.Check{
	ID: "empty-keyed-session", Class: "K1", Severity: scan.Notice,
	Title:  "a chat has open rows without any message",
	Issues: []string{"#82770"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "Rows of a chat are open, count no message and have none. Since v0.20.1 such a row is resumed only where the chat has nothing better.",
		Not:    "A fresh row after a reset looks the same until its first message, and is no finding: the newest row of its chat, begun when a boundary ended the one before it.",
		Origin: "A session was made and never written to: a reset, a crash, or test keys that leaked (516 rows in one install).",
		Safe:   "Leaving it, or ending it.",
		Unsafe: "Deleting it while a routing entry names it or a child refers to it.",
		ByHand: "SELECT source, session_key, count(*) FROM sessions s WHERE session_key <> '' AND ended_at IS NULL AND end_reason IS NULL AND coalesce(message_count, 0) = 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id) GROUP BY source, session_key",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		byChat := map[facts.Chat][]int32{}
		for i := range p.Facts.Sessions {
			if s := &p.Facts.Sessions[i]; s.Keyed() && s.Live() && !s.HasMessages() && !scan.FreshReset(p.Facts, int32(i)) {
				byChat[s.Chat()] = append(byChat[s.Chat()], int32(i))
			}
		}
		for _, c := range p.Facts.Chats() {
			rows := byChat[c]
			if len(rows) == 0 {
				continue
			}
			f := scan.Finding{
				Subject: scan.Subject{SessionKey: c.Key, Source: c.Source, Table: "sessions"},
				Message: fmt.Sprintf("the chat %s has %s without any message", c.Key, scan.Count(len(rows), "open row")),
				Advice:  "Nothing needs doing: a build since v0.20.1 resumes such a row only where the chat has nothing better.",
			}
			if len(rows) == 1 {
				f.Subject.SessionID = p.Facts.Sessions[rows[0]].ID
			}
			for _, i := range rows[:min(len(rows), shown)] {
				f.Evidence = append(f.Evidence, p.Cells(i, "open, no message", "session_key", "source", "started_at", "ended_at", "end_reason", "message_count"))
			}
			f.Evidence = append(f.Evidence, evidence.Item{
				At: evidence.Ref{Store: p.Facts.Store, Table: "sessions"}, Saw: scan.Count(len(rows), "row"),
				How: fmt.Sprintf("SELECT count(*) FROM sessions s WHERE session_key = %s AND source = %s AND ended_at IS NULL AND end_reason IS NULL AND coalesce(message_count, 0) <= 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)",
					evidence.Quote(c.Key), evidence.Quote(c.Source)),
			})
			p.Report(f)
		}
		return nil
	},
}
