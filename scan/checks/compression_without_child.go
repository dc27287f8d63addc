package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var compressionWithoutChild = &scan.Check{
	ID: "compression-without-child", Class: "C2", Severity: scan.Error,
	Title:  "compression ended a row, and nothing continues it",
	Issues: []string{"#80380", "#80337", "#20001", "#33906"},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "The row ended by compression and has no child but branches, delegates or tool runs. v0.20.1 and v0.21 refuse every write to such a row and drop the message, as did the builds just before them; what v0.18 does with a write is not established. No build resumes the row after a restart.",
		Not:    "Its messages are whole. A row that was compacted in place is open and needs no child. A child that was deleted since looks the same as one that was never made.",
		Origin: "The parent was closed and the child's create failed or was rolled back; v0.20.1 publishes both in one transaction.",
		Safe:   "Reopening the row, where it has no child at all, no compression lock is in force and its chat has nothing newer. It replaces values, so that the finding prints the statement.",
		Unsafe: "Reopening it while any child exists, or while a compression may still be running.",
		ByHand: "SELECT id, session_key, ended_at FROM sessions p WHERE end_reason = 'compression' AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = p.id)",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		var rows []int32
		for i := range p.Facts.Sessions {
			if s := &p.Facts.Sessions[i]; s.EndReason == "compression" && !s.NoID && childless(p.Facts, int32(i)) {
				rows = append(rows, int32(i))
			}
		}
		if len(rows) == 0 {
			return nil
		}
		locks, err := compressionLocks(ctx, p)
		if err != nil {
			return fmt.Errorf("read compression_locks: %w", err)
		}
		newest := newestRow{}
		for _, i := range rows {
			p.Report(childlessFinding(p, i, locks, newest))
		}
		return nil
	},
}

func childless(f *facts.Facts, i int32) bool {
	for _, j := range f.Children(i) {
		if j != i && !bound(f, i, j) {
			return false
		}
	}
	return true
}

// compressionLocks gives when the lock of each session expires.
func compressionLocks(ctx context.Context, p *scan.Pass) (map[string]facts.Time, error) {
	out := map[string]facts.Time{}
	t := p.Store.DB.Table("compression_locks")
	if t == nil || !t.Has("session_id") || !t.Has("expires_at") {
		return out, nil
	}
	err := p.Store.DB.Rows(ctx, t.Name, []string{"session_id", "expires_at"}, func(_ int64, v []evidence.Value) error {
		out[v[0].String()] = facts.Time(v[1].Number())
		return nil
	})
	return out, err
}

func childlessFinding(p *scan.Pass, i int32, locks map[string]facts.Time, newest newestRow) scan.Finding {
	s := &p.Facts.Sessions[i]
	f := scan.Finding{
		Subject: p.About(i),
		Message: fmt.Sprintf("row %s was ended by compression, and nothing continues it: its %s are whole, and builds since v0.20.1 take no further one", s.ID, scan.Count(s.Messages, "message")),
		Evidence: []evidence.Item{
			p.Cells(i, "ended by compression", "session_key", "source", "ended_at", "end_reason"), p.Span(i),
			{
				At:  evidence.Ref{Store: p.Facts.Store, Table: "sessions", Column: "parent_session_id"},
				Saw: scan.Count(len(p.Facts.Children(i)), "child row") + ", none that continues it",
				How: "SELECT id, source, model_config FROM sessions WHERE parent_session_id = " + evidence.Quote(s.ID),
			},
		},
	}
	lock, locked := locks[s.ID]
	if locked {
		f.Evidence = append(f.Evidence, evidence.Item{
			At: evidence.Ref{Store: p.Facts.Store, Table: "compression_locks", Key: s.ID, Column: "expires_at"}, Saw: "a lock until " + scan.Moment(lock),
			How: "SELECT holder, acquired_at, expires_at FROM compression_locks WHERE session_id = " + evidence.Quote(s.ID),
		})
	}
	switch {
	case locked && !(float64(lock) <= p.Now):
		f.Advice = "Leave it as it is: a compression lock is in force until " + scan.Moment(lock) + ", so that its child may be on its way."
	case len(p.Facts.Children(i)) > 0:
		f.Advice = "Leave it closed: it has children, and reopening it beside them is not safe."
	case !newest.is(p, i):
		f.Advice = "Nothing needs doing: its chat went on in a newer row."
	default:
		f.Advice = byHand("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = " + evidence.Quote(s.ID))
	}
	return f
}
