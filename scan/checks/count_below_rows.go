package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var countBelowRows = &scan.Check{
	ID: "count-below-rows", Class: "M1", Severity: scan.Warning,
	Title:  "a row counts fewer messages than it has",
	Issues: []string{"#45236", "#39734", "#39896"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "message_count is below the number of the row's active messages. Lists and prune rules that go by the counter take the row for smaller than it is, or for empty; the resolvers of all three generations look for real messages too, so that no restart depends on it.",
		Not:    "A counter above the active messages is normal: a rewind does not lower it, and compaction in place sets it to what stays active.",
		Origin: "Clients that never counted (TUI and API rows), a blank counter of an old version, or messages that were put in by an import.",
		Safe:   "Setting the counter to the number of active messages; the finding prints the statement.",
		Unsafe: "Judging by the counter that a row is empty and may be deleted.",
		ByHand: "SELECT s.id, s.message_count, count(*) FROM sessions s JOIN messages m ON m.session_id = s.id WHERE coalesce(m.active, 1) <> 0 GROUP BY s.id HAVING count(*) > coalesce(s.message_count, 0)",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		if !p.Store.DB.Table("sessions").Has("message_count") {
			return nil // what does not count cannot count too few
		}
		var rows []int32
		for i := range p.Facts.Sessions {
			if s := &p.Facts.Sessions[i]; s.Counted < s.Messages && !s.NoID {
				rows = append(rows, int32(i))
			}
		}
		active := ""
		if p.Store.DB.Table("messages").Has("active") {
			active = " AND coalesce(m.active, 1) <> 0"
		}
		err := eachRow(ctx, p, rows, "s.message_count, (SELECT count(*) FROM messages m WHERE m.session_id = s.id"+active+")",
			func(i int32, v []evidence.Value) {
				if v[1].Int > p.Facts.Sessions[i].Counted {
					p.Report(countFinding(p, i, v[0].Kind == evidence.Null, v[1].Int, active))
				}
			})
		if err != nil {
			return fmt.Errorf("count the active messages of rows: %w", err)
		}
		return nil
	},
}

func countFinding(p *scan.Pass, i int32, blank bool, n int64, active string) scan.Finding {
	s := &p.Facts.Sessions[i]
	f := scan.Finding{
		Subject: p.About(i),
		Message: fmt.Sprintf("row %s counts %s and has %d that are active", s.ID, scan.Count(s.Counted, "message"), n),
		Evidence: []evidence.Item{
			p.Cells(i, fmt.Sprintf("message_count %d", s.Counted), "message_count"),
			{
				At: evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: s.ID}, Saw: scan.Count(n, "active message"),
				How: "SELECT count(*) FROM messages m WHERE m.session_id = " + evidence.Quote(s.ID) + active,
			},
		},
	}
	set := fmt.Sprintf("UPDATE sessions SET message_count = %d WHERE id = %s", n, evidence.Quote(s.ID))
	f.Advice = byHand(set)
	if blank {
		f.Message = fmt.Sprintf("row %s has no message counter and %s", s.ID, scan.Count(n, "active message"))
		f.Evidence[0].Saw = "message_count is blank"
		f.Advice = "Nothing needs doing: no restart depends on it. By hand, on a copy: " + set + " AND message_count IS NULL; this tool does not run it, because the next message makes a counter of its own out of it."
	}
	return f
}
