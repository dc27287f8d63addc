package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var messagesWithoutSession = &scan.Check{
	ID: "messages-without-session", Class: "M2", Severity: scan.Error,
	Title:  "messages name a session that has no row",
	Issues: []string{"#71803"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "Messages carry a session id that no row of sessions has. The transcript cannot be reached, and a foreign-key check fails.",
		Not:    "It does not prove which chat they belong to, nor that the row ever existed.",
		Origin: "Damage to the table, or a writer that had foreign keys off: with them on, appending to a missing session fails.",
		Safe:   "A placeholder row with source recovered makes the messages reachable; routing identity needs a record that names the id.",
		Unsafe: "Giving the messages to another session.",
		ByHand: "SELECT session_id, count(*), min(timestamp), max(timestamp) FROM messages WHERE session_id NOT IN (SELECT id FROM sessions WHERE id IS NOT NULL) GROUP BY session_id",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for k := range p.Facts.Strays {
			st := &p.Facts.Strays[k]
			p.Report(scan.Finding{
				Subject: scan.Subject{SessionID: st.SessionID, Table: "messages"},
				Message: fmt.Sprintf("%s of %s name the session %s, which has no row", scan.Count(st.Messages, "message"), scan.Days(st.First, st.Last), st.SessionID),
				Advice:  "Keep this copy: the messages are whole, only their session row is gone. An older backup may still hold the row.",
				Evidence: []evidence.Item{p.StraySpan(st), {
					At: evidence.Ref{Store: p.Facts.Store, Table: "sessions", Key: st.SessionID}, Saw: "no row",
					How: "SELECT id FROM sessions WHERE id = " + evidence.Quote(st.SessionID),
				}},
			})
		}
		return nil
	},
}
