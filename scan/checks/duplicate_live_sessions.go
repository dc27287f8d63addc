package checks

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var duplicateLiveSessions = &scan.Check{
	ID: "duplicate-live-sessions", Class: "D-live", Severity: scan.Warning,
	Title:  "a chat has two or more rows that were never ended",
	Issues: []string{"#82616"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "Two or more rows of one chat are open at once, and they are no compression chain. No index forbids it, and which one a restart picks depends on the build.",
		Not:    "It does not say which one the user means: the newest message of the user is the best sign. Where an id with a colon makes two chats share one key, the finding says so: those are two conversations.",
		Origin: "Ending the old row failed at a reset, or two gateways wrote the same file.",
		Safe:   "Keep the row with the newest messages and end the others with superseded_by_repair at their own last activity.",
		Unsafe: "Ending them with a reset reason at today's time, which fences the row that should stay.",
		ByHand: "SELECT source, session_key, count(*) FROM sessions WHERE session_key <> '' AND ended_at IS NULL AND end_reason IS NULL GROUP BY source, session_key HAVING count(*) > 1",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for _, group := range scan.LiveTwins(p.Facts) {
			first := &p.Facts.Sessions[group[0]]
			f := scan.Finding{
				Subject: scan.Subject{SessionKey: first.SessionKey, Source: first.Source, Table: "sessions"},
				Message: fmt.Sprintf("the chat %s has %s that were never ended", first.SessionKey, scan.Count(len(group), "row")),
				Advice:  "Compare the rows side by side; the one with the user's newest message is the conversation.",
				Evidence: []evidence.Item{{
					At:  evidence.Ref{Store: p.Facts.Store, Table: "sessions", Column: "ended_at"},
					Saw: scan.Count(len(group), "live row"),
					How: fmt.Sprintf("SELECT id, started_at, message_count FROM sessions WHERE session_key = %s AND source = %s AND ended_at IS NULL AND end_reason IS NULL",
						evidence.Quote(first.SessionKey), evidence.Quote(first.Source)),
				}},
			}
			if i := slices.IndexFunc(group, func(i int32) bool { return scan.Collided(p.Facts, group[0], i) }); i >= 0 {
				other := &p.Facts.Sessions[group[i]]
				f.Message = fmt.Sprintf("the key %s is that of two chats, %q and %q, because an id in it holds a colon: each has an open row, and a restart gives both the same one", first.SessionKey, first.ChatID, other.ChatID)
				f.Issues = []string{"#84686", "#13013"}
				f.Advice = "Neither row is to be ended: they are two conversations. chat_id tells them apart."
				f.Evidence = append(f.Evidence, p.Cells(group[0], "chat "+strconv.Quote(first.ChatID), "session_key", "chat_id", "chat_type", "user_id"),
					p.Cells(group[i], "chat "+strconv.Quote(other.ChatID), "session_key", "chat_id", "chat_type", "user_id"))
			}
			for _, i := range group[:min(len(group), shown)] {
				f.Evidence = append(f.Evidence, p.Span(i))
			}
			p.Report(f)
		}
		return nil
	},
}

// shown bounds how many rows one finding lists; its SQL shows them all.
const shown = 4
