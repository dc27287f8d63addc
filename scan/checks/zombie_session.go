package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var zombieSession = &scan.Check{
	ID: "zombie-session", Class: "Z1", Severity: scan.Error,
	Title:  "an old row of a chat is open, or is what a restart resumes, although the chat went on elsewhere",
	Issues: []string{"#82616", "#61220", "#65783"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "After a restart the chat travels back: the row that it resumes is older than talk of the same chat in another row, in an orphan, or in messages without a row, or than a line of a log by which another session served the chat. An open row that is not the newest of its chat can win in some build.",
		Not:    "A quiet row alone is healthy, since a chat may sleep for months; a row that comes back because no reset policy is set is live by policy (#80442, #66255). Times of logs are local ones: a line counts only where it is newer whatever the zone leaves open.",
		Origin: "Ending the old row failed, in silence before #82633, while the routing table in memory had moved on; or a newer row was closed for good and the older one was left open.",
		Safe:   "Once the true successor has the chat's key and can be resumed, end this row with a reason that no build resumes and that fences nothing: superseded_by_repair.",
		Unsafe: "Ending it with a reset reason at today's time, which fences the true row too; deleting it; changing a row that compression ended.",
		ByHand: "SELECT session_key, id, started_at, last_activity_at, ended_at, end_reason FROM sessions WHERE session_key IS NOT NULL ORDER BY session_key, started_at",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for _, z := range p.Zombies {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.Report(zombieFinding(p, z))
		}
		if len(p.Facts.Heard.Unread) > 0 {
			for i := range p.Facts.Sessions {
				if s := &p.Facts.Sessions[i]; s.Keyed() && s.Live() { // a line that was not read may show its chat elsewhere
					return unreadLogs(p.Facts.Heard.Unread)
				}
			}
		}
		return nil
	},
}

func zombieFinding(p *scan.Pass, z scan.ZombieRow) scan.Finding {
	s := &p.Facts.Sessions[z.Row]
	f := scan.Finding{
		Subject: p.About(z.Row),
		Evidence: []evidence.Item{
			p.Cells(z.Row, "last activity "+scan.Moment(s.Act()), "session_key", "source", "started_at", "last_activity_at", "ended_at", "end_reason", "message_count"),
			p.Span(z.Row),
		},
		Advice: "Do not end it by hand before its successor is keyed: see the orphan or the newer row first.",
	}
	what := "is open"
	if z.Resumed {
		what = "is what a restart resumes"
	}
	switch z.By {
	case scan.ByStray:
		f.Message = fmt.Sprintf("row %s %s, but %s of %s without a session row lie in its silence", s.ID, what,
			scan.Count(z.Stray.Messages, "message"), scan.Days(z.Stray.First, z.Stray.Last))
		f.Evidence = append(f.Evidence, p.StraySpan(z.Stray))
	case scan.ByLine:
		f.Message = fmt.Sprintf("row %s %s, but by a newer line of a log its chat went on in session %s", s.ID, what, z.Line.Session)
		f.Evidence = append(f.Evidence, z.Line.Saw)
		if z.Newer >= 0 {
			f.Message += ", which has no routing identity"
			f.Evidence = append(f.Evidence, p.Span(z.Newer))
		} else {
			f.Message += ", of which this file has no row"
			f.Advice = "Look for that session in older copies of the file, in its WAL, and in sessions/*.json: its messages are not here. Do not end this row before it is found."
		}
	case scan.ByOrphan:
		n := &p.Facts.Sessions[z.Newer]
		f.Message = fmt.Sprintf("row %s %s, but its chat went on in row %s, which has no routing identity", s.ID, what, n.ID)
		f.Evidence = append(f.Evidence, p.Span(z.Newer))
	default:
		n := &p.Facts.Sessions[z.Newer]
		f.Message = fmt.Sprintf("row %s %s, but row %s of the same chat is newer", s.ID, what, n.ID)
		f.Evidence = append(f.Evidence, p.Span(z.Newer))
	}
	if p.UpdateFirst != "" {
		f.Advice = p.UpdateFirst + " " + f.Advice
	}
	return f
}
