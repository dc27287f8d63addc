package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var recoveredPlaceholder = &scan.Check{
	ID: "recovered-placeholder", Class: "R1", Severity: scan.Notice,
	Title:  "a row stands in for a session row that a salvage could not read",
	Issues: []string{"#71803", "#71629"},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "The row's source is recovered and its title begins with \"[recovered \": it stands in for a session row that could not be read. The messages are there and can be listed; no build routes a chat to such a source.",
		Not:    "It does not say which chat it was: that needs a record that names the id, such as a routing entry, a delivery or a log.",
		Origin: "`hermes sessions recover` on a damaged file. It copies sessions, messages, routing and delegations, but not delivery_obligations: keep the damaged file for them.",
		Safe:   "With a record that names the chat: its source and identity, as for an orphan. The source holds a value, so that this is left to the owner.",
		Unsafe: "Making it a chat's row by time alone.",
		ByHand: "SELECT id, title, started_at, message_count FROM sessions WHERE source = 'recovered' AND substr(title, 1, 11) = '[recovered '",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		if !p.Store.DB.Table("sessions").Has("title") {
			return nil
		}
		var rows []int32
		for i := range p.Facts.Sessions {
			if p.Facts.Sessions[i].Source == "recovered" && !p.Facts.Sessions[i].NoID {
				rows = append(rows, int32(i))
			}
		}
		witnesses := p.Adopted.Witnesses
		err := eachRow(ctx, p, rows, "substr(s.title, 1, 11) = '[recovered '", func(i int32, v []evidence.Value) {
			if v[0].Int == 0 {
				return
			}
			s := &p.Facts.Sessions[i]
			f := scan.Finding{
				Subject:  p.About(i),
				Message:  fmt.Sprintf("row %s stands in for a session row that was lost; it holds %s", s.ID, scan.Count(s.Messages, "message")),
				Advice:   "Look for a record that names this id, in an older backup first: the messages are whole.",
				Evidence: []evidence.Item{p.Cells(i, "source recovered, title [recovered …", "source", "title", "session_key", "started_at"), p.Span(i)},
			}
			for _, w := range witnesses[s.ID] {
				f.Advice = "A record names its chat: the source is the platform of that key, and the identity that of the chat's other rows."
				if _, platform, _, ok := facts.KeyParts(w.Key); ok {
					f.Advice = "A record names its chat. " + byHand(fmt.Sprintf("UPDATE sessions SET source = %s, session_key = %s WHERE id = %s",
						evidence.Quote(platform), evidence.Quote(w.Key), evidence.Quote(s.ID)))
				}
				f.Evidence = append(f.Evidence, evidence.Item{At: w.At, Saw: w.Saw, How: w.How})
			}
			p.Report(f)
		})
		if err != nil {
			return fmt.Errorf("read the titles of recovered rows: %w", err)
		}
		return nil
	},
}
