package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var unreadableText = &scan.Check{
	ID: "unreadable-text", Severity: scan.Warning,
	Title:  "a text is not UTF-8",
	Issues: []string{},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "A text cell of a session row, of the routing table or of an orphan's message holds bytes that are not UTF-8. The product fails where it decodes such a row: its lookup then finds nothing, and the chat gets a new session.",
		Not:    "Messages of other rows are read only with --deep. Prompts are not read.",
		Origin: "Text cut in the middle of a character, bytes of another encoding, or a damaged page.",
		Safe:   "Keeping the bytes and repairing the text on a copy, by someone who can read it.",
		Unsafe: "Replacing it in place: what was cut is then gone for good.",
		ByHand: "SELECT rowid, hex(title) FROM sessions WHERE title IS NOT NULL",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for _, b := range p.Texts.Bad {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.Report(textFinding(p, b))
		}
		return nil
	},
}

func textFinding(p *scan.Pass, b facts.BadText) scan.Finding {
	shows := make([]string, len(b.Columns))
	for k, c := range b.Columns {
		shows[k] = "hex(" + evidence.QuoteName(c) + ")"
	}
	key := b.Key
	if key == "" {
		key = fmt.Sprintf("rowid %d", b.RowID)
	}
	f := scan.Finding{
		Subject: scan.Subject{Table: b.Table, RowID: b.RowID},
		Message: fmt.Sprintf("the %s of a row of %s is not UTF-8", strings.Join(b.Columns, ", "), b.Table),
		Advice:  "Keep this copy: the bytes may be all that is left of the text.",
		Evidence: []evidence.Item{{
			At:  evidence.Ref{Store: p.Facts.Store, Table: b.Table, Key: key, Column: strings.Join(b.Columns, ", ")},
			Saw: "bytes that are not UTF-8",
			How: fmt.Sprintf("SELECT %s FROM %s WHERE %s = %d", strings.Join(shows, ", "), b.Table, p.Store.DB.Table(b.Table).RowID(), b.RowID),
		}},
	}
	switch b.Table {
	case "sessions":
		f.Subject.SessionID = b.Key
		f.Message = fmt.Sprintf("the %s of row %s is not UTF-8", strings.Join(b.Columns, ", "), b.Key)
	case "messages":
		f.Subject.SessionID = b.Session
		f.Message = fmt.Sprintf("the %s of message %d of row %s is not UTF-8", strings.Join(b.Columns, ", "), b.RowID, b.Session)
	case "gateway_routing":
		f.Subject.SessionKey = b.Key
	}
	return f
}
