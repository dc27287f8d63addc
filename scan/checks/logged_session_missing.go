package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// missingShown bounds the findings about sessions that only logs name; more are counted in one.
const missingShown = 200

var loggedSessionMissing = &scan.Check{
	ID: "logged-session-missing", Severity: scan.Warning,
	Title:  "logs show a session at work, and no row has its id",
	Issues: []string{"#95868", "#71043"},
	Needs:  scan.NeedSessions | scan.NeedHome,
	Doc: scan.Doc{
		What:   "A log of the home says that turns began in a session, and no database of the home has a row of that id: the row was deleted or lost, or it was never written. Where an older copy of the database beside it has the row, the finding says which; nothing is read out of unused pages here.",
		Not:    "It does not say who deleted the row: people delete sessions, and the product prunes ended ones older than 90 days, which are left out here. Sessions of cron and of other single runs are left out too. Where a log could not be read to its end, the check says so and is incomplete. A gap between the highest id that messages ever had and their number also comes from a rewind or a compression.",
		Origin: "A reload of the gateway or a prune deleted rows that were in use, the database was replaced by an older one, a WAL was lost, or the row's creation failed and nothing healed it.",
		Safe:   "Looking for the session in older copies of the database, in state-snapshots, in retired WALs and in sessions/*.json.",
		Unsafe: "VACUUM, or going on with this file before a copy of it is kept: unused pages may still hold the messages.",
		ByHand: "grep -ho 'conversation turn: session=[^ ]*' logs/*.log* | sort | uniq -c",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for _, s := range p.Stores {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := reportUnknown(ctx, p, s); err != nil {
				return err
			}
		}
		var unread []string
		for _, s := range p.Stores {
			unread = append(unread, s.Facts.Heard.Unread...)
		}
		return unreadLogs(unread)
	},
}

// unreadLogs is ErrLimit with what was not looked at of the logs; nil for nothing.
func unreadLogs(unread []string) error {
	if len(unread) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", scan.ErrLimit, strings.Join(unread[:min(len(unread), notesShown)], "; "))
}

// reportUnknown makes one finding of each session that the logs of a store's home name and no store has.
func reportUnknown(ctx context.Context, p, s *scan.Pass) error {
	strays := map[string]bool{} // a finding of their own
	for k := range s.Facts.Strays {
		strays[s.Facts.Strays[k].SessionID] = true
	}
	var gap *evidence.Item
	told := 0
	var others []string
	var last *evidence.Spoken
	for k := range s.Facts.Heard.Unknown {
		u := &s.Facts.Heard.Unknown[k]
		if strays[u.Session] || inAnyStore(p, u.Session) || float64(s.Facts.Instant(u.Last)) < p.Now-scan.PrunedAfter {
			continue
		}
		if told++; told > missingShown {
			last, others = u, append(others, u.Session)
			continue
		}
		if gap == nil {
			var err error
			if gap, err = sequenceGap(ctx, s); err != nil {
				return fmt.Errorf("read the highest id of messages: %w", err)
			}
		}
		s.Report(unknownFinding(s, u, gap))
	}
	if last != nil {
		at, how := last.Newest()
		s.Report(scan.Finding{
			Subject:  scan.Subject{Path: at.Path},
			Others:   others,
			Message:  moreWords(len(others)),
			Advice:   "So many at once look like a prune, or like the logs of another file.",
			Evidence: []evidence.Item{{At: at, Saw: "one of them, " + last.Session, How: how}},
		})
	}
	return nil
}

func moreWords(n int) string {
	if n == 1 {
		return "1 more session that the logs name has no row"
	}
	return fmt.Sprintf("%d more sessions that the logs name have no row", n)
}

func inAnyStore(p *scan.Pass, id string) bool {
	for _, o := range p.Stores {
		if _, ok := o.Facts.Index(id); ok {
			return true
		}
	}
	return false
}

func unknownFinding(s *scan.Pass, u *evidence.Spoken, gap *evidence.Item) scan.Finding {
	at, how := u.Newest()
	f := scan.Finding{
		Subject: scan.Subject{SessionID: u.Session, Source: u.Platform},
		Message: fmt.Sprintf("the logs show %s of session %s on %s, the last at %s by the log's clock, and no row has its id",
			scan.Count(u.Count, "turn"), u.Session, u.Platform, evidence.Wall(u.Last)),
		Advice: "Keep this file as it is, and look for the session in older copies, retired WALs and sessions/*.json; whoever deleted it may have meant to.",
		Evidence: []evidence.Item{
			{At: at, Saw: "a turn of session " + u.Session + " began", How: how},
			{At: evidence.Ref{Store: s.Facts.Store, Table: "sessions", Key: u.Session}, Saw: "no row", How: "SELECT id FROM sessions WHERE id = " + evidence.Quote(u.Session)},
		},
	}
	inCopy(s, u.Session, &f)
	if gap != nil {
		f.Evidence = append(f.Evidence, *gap)
	}
	return f
}

// inCopy adds to a finding about a session without a row which older copy of the file has one.
func inCopy(s *scan.Pass, id string, f *scan.Finding) {
	copied := s.Facts.Heard.Held[id]
	if copied == "" {
		return
	}
	f.Message += "; the older copy " + copied + " has one"
	f.Advice = "Its messages lie in " + copied + ": open that copy to read them. Nothing is moved here. " + f.Advice
	f.Evidence = append(f.Evidence, evidence.Item{At: evidence.Ref{Path: copied, Key: "sessions[" + id + "]"}, Saw: "a row of this id",
		How: "sqlite3 -readonly " + evidence.ShellQuote(copied) + " " + evidence.ShellQuote("SELECT count(*) FROM messages WHERE session_id = "+evidence.Quote(id))})
}

// sequenceGap says how many ids of messages were given and are gone; nil where none are, or nothing tells.
func sequenceGap(ctx context.Context, s *scan.Pass) (*evidence.Item, error) {
	if t := s.Store.DB.Table("messages"); t == nil || !t.Has("id") || s.Store.DB.Table("sqlite_sequence") == nil {
		return nil, nil
	}
	const q = "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'messages'), (SELECT max(id) FROM messages), (SELECT count(*) FROM messages)"
	var item *evidence.Item
	err := s.Store.DB.Query(ctx, q, nil, func(v []evidence.Value) error {
		if gone := v[0].Int - v[2].Int; v[0].Kind == evidence.Int && gone > 0 {
			item = &evidence.Item{At: evidence.Ref{Store: s.Facts.Store, Table: "messages"}, How: q, Saw: fmt.Sprintf(
				"ids were given up to %d, the highest that is left is %d: of all that were given, %s gone", v[0].Int, v[1].Int, be(gone))}
		}
		return nil
	})
	return item, err
}

func be(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}
