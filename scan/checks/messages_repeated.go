package checks

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var messagesRepeated = &scan.Check{
	ID: "messages-repeated", Severity: scan.Notice,
	Title:  "the same message stands in a row twice, and both copies are active",
	Issues: []string{"#86366", "#75145", "#2914"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "Two or more active messages of one row have the same role, time and text, byte by byte. The model reads them twice, and lists count them twice; no restart depends on it.",
		Not:    "Copies of which at most one is active are what compaction leaves behind, and no finding. Without --deep only rows that hold more messages than they count are looked at.",
		Origin: "A write that was tried again although it had succeeded, a replay after a swap of the file, an import that ran twice.",
		Safe:   "Leaving them.",
		Unsafe: "Deleting copies from the table in place: each delete goes through the search index, and which copy others refer to is not recorded.",
		ByHand: "SELECT session_id, role, timestamp, count(*) FROM messages WHERE coalesce(active, 1) <> 0 GROUP BY session_id, role, timestamp, content HAVING count(*) > 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		t := p.Store.DB.Table("messages")
		for _, column := range []string{"session_id", "role", "timestamp", "content"} {
			if !t.Has(column) {
				return nil
			}
		}
		var rows []int32
		for i := range p.Facts.Sessions {
			if s := &p.Facts.Sessions[i]; s.Messages > 1 && !s.NoID && (p.Texts.All || s.Messages > s.Counted) {
				rows = append(rows, int32(i))
			}
		}
		for len(rows) > 0 {
			part := rows[:min(asking, len(rows))]
			rows = rows[len(part):]
			if err := reportRepeated(ctx, p, part); err != nil {
				return fmt.Errorf("look for messages that stand twice: %w", err)
			}
		}
		return nil
	},
}

func reportRepeated(ctx context.Context, p *scan.Pass, rows []int32) error {
	ids := make([]string, len(rows))
	for k, i := range rows {
		ids[k] = p.Facts.Sessions[i].ID
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("spell the ids: %w", err)
	}
	active, same := "", "m.timestamp, m.role, m.content"
	t := p.Store.DB.Table("messages")
	if t.Has("active") {
		active = " AND coalesce(m.active, 1) <> 0"
	}
	for _, column := range []string{"tool_call_id", "tool_calls"} { // empty texts of several calls in one moment are alike
		if t.Has(column) {
			same += ", m." + column
		}
	}
	// Only messages of equal times are read: which those are, an index tells.
	q := "SELECT r.key, count(*), sum(g.n) FROM json_each(?) r JOIN (SELECT m.session_id AS id, count(*) AS n FROM messages m WHERE m.session_id IN (SELECT value FROM json_each(?))" +
		" AND m.timestamp IN (SELECT o.timestamp FROM messages o WHERE o.session_id = m.session_id GROUP BY o.timestamp HAVING count(*) > 1)" + active +
		" GROUP BY m.session_id, " + same + " HAVING count(*) > 1) g ON g.id = r.value GROUP BY r.key ORDER BY r.key"
	return p.Store.DB.Query(ctx, q, []any{string(text), string(text)}, func(v []evidence.Value) error {
		i := rows[v[0].Int]
		s := &p.Facts.Sessions[i]
		p.Report(scan.Finding{
			Subject: p.About(i),
			Message: fmt.Sprintf("%s of row %s %s more than once among its active ones: %d copies in all", scan.Count(v[1].Int, "message"), s.ID, stands(v[1].Int), v[2].Int),
			Advice:  "Nothing is lost and nothing needs doing; the model reads these messages more than once.",
			Evidence: []evidence.Item{{
				At: evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: s.ID}, Saw: fmt.Sprintf("%d active copies", v[2].Int),
				How: "SELECT m.timestamp, m.role, count(*) FROM messages m WHERE m.session_id = " + evidence.Quote(s.ID) + active + " GROUP BY " + same + " HAVING count(*) > 1",
			}},
		})
		return nil
	})
}

func stands(n int64) string {
	if n == 1 {
		return "stands"
	}
	return "stand"
}
