package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var placeholderSource = &scan.Check{
	ID: "placeholder-source", Class: "O5", Severity: scan.Notice,
	Title:  "a row's source is still the placeholder unknown",
	Issues: []string{"#82616", "#111999", "#103789"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "The row has messages or a key, and its source is unknown. Every build looks for the exact source, so that such a row is found by no lookup, and its costs are shown under unknown.",
		Not:    "It does not say that the row is a chat: most of them are runs of sub-agents. Time alone never makes one a chat's row here.",
		Origin: "The usage writer made the row before the session was created. v0.18 and v0.20.1 leave the placeholder when the create comes (the gateway's refresh at the next turn replaces it); v0.21 replaces it.",
		Safe:   "Where the row has a key: the source that the key's platform names. It replaces a value, so that the finding prints the statement.",
		Unsafe: "Giving a row without a key the source of a chat that was quiet at the time.",
		ByHand: "SELECT id, session_key, started_at, message_count FROM sessions s WHERE source = 'unknown' AND (session_key <> '' OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id))",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		var rows []int32
		for i := range p.Facts.Sessions {
			if s := &p.Facts.Sessions[i]; s.Source == "unknown" && !s.NoID && (s.Messages > 0 || s.Keyed()) {
				rows = append(rows, int32(i))
			}
		}
		roles, err := firstRoles(ctx, p, rows)
		if err != nil {
			return err
		}
		for _, i := range rows {
			p.Report(placeholderFinding(p, i, roles[i]))
		}
		return nil
	},
}

func placeholderFinding(p *scan.Pass, i int32, role string) scan.Finding {
	s := &p.Facts.Sessions[i]
	f := scan.Finding{
		Subject:  p.About(i),
		Message:  fmt.Sprintf("row %s holds %s, and its source is unknown", s.ID, scan.Count(s.Messages, "message")),
		Advice:   "Nothing needs doing: v0.21 replaces the placeholder when the session is used again.",
		Evidence: []evidence.Item{p.Cells(i, "source unknown", "source", "session_key", "started_at", "message_count")},
	}
	if role != "" {
		item := p.Span(i)
		item.Saw += "; the first is of the role " + role
		item.Select, item.How = "", "SELECT role, timestamp FROM messages WHERE session_id = "+evidence.Quote(s.ID)+" ORDER BY id LIMIT 1"
		f.Evidence = append(f.Evidence, item)
	}
	if _, platform, _, ok := facts.KeyParts(s.SessionKey); ok && platform != "" {
		f.Message = fmt.Sprintf("row %s is keyed %s, and its source is unknown: no lookup finds it", s.ID, s.SessionKey)
		f.Advice = byHand(fmt.Sprintf("UPDATE sessions SET source = %s WHERE id = %s", evidence.Quote(platform), evidence.Quote(s.ID)))
	}
	return f
}

// firstRoles gives the role of each row's first message: a row that begins with the assistant is a phantom (#111999).
func firstRoles(ctx context.Context, p *scan.Pass, rows []int32) (map[int32]string, error) {
	out := map[int32]string{}
	err := eachRow(ctx, p, rows, "(SELECT role FROM messages m WHERE m.session_id = s.id ORDER BY m.id LIMIT 1)",
		func(i int32, v []evidence.Value) { out[i] = v[0].String() })
	if err != nil {
		return nil, fmt.Errorf("read the first role of rows: %w", err)
	}
	return out, nil
}
