package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// surfaceEnds are the reasons with which terminal windows end the session that they showed (spec/state-db.md 4.2).
func surfaceEnds() []string { return []string{"tui_shutdown", "tui_close", "cli_close"} }

var closedByAnotherSurface = &scan.Check{
	ID: "closed-by-another-surface", Severity: scan.Notice,
	Title:  "a terminal window ended a row that belongs to a messaging chat",
	Issues: []string{"#59580"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "The row has the key of a chat of a messaging platform, was not handed over to the terminal, and its end reason is that of a terminal window (tui_shutdown, tui_close, cli_close). No build resumes a row with such an end: the chat gets an older row or a new session with its next message.",
		Not:    "It does not say that the end was not meant: someone may have taken the conversation to the terminal and finished it there. Nothing in the row is lost, and /resume finds it.",
		Origin: "A window showed the chat's session and ended it on its way out, although the gateway owns it.",
		Safe:   "/resume in the chat. Reopening the row by hand where it is the newest of its chat; the finding prints the statement.",
		Unsafe: "Reopening it beside a newer open row: the chat then has two.",
		ByHand: "SELECT id, source, session_key, ended_at, end_reason FROM sessions WHERE session_key <> '' AND end_reason IN ('tui_shutdown', 'tui_close', 'cli_close')",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		newest, ends := newestRow{}, surfaceEnds()
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if !s.Keyed() || s.Messages == 0 || !p.Facts.Gateway(s.Source) || !slices.Contains(ends, s.EndReason) || s.Marked() || s.Handoff == "completed" {
				continue
			}
			f := scan.Finding{
				Subject: p.About(int32(i)),
				Message: fmt.Sprintf("row %s is a chat's of %s, and a terminal window ended it (%s)", s.ID, s.Source, s.EndReason),
				Advice:  "Leave it ended: its chat went on in a newer row. /resume brings it back.",
				Evidence: []evidence.Item{
					p.Cells(int32(i), "ended by "+s.EndReason, "session_key", "source", "started_at", "last_activity_at", "ended_at", "end_reason"), p.Span(int32(i)),
				},
			}
			if newest.is(p, int32(i)) {
				f.Advice = byHand("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = " + evidence.Quote(s.ID))
			}
			p.Report(f)
		}
		return nil
	},
}
