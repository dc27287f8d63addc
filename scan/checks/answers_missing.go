package checks

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// opening is how many of a row's first messages are looked at: the summary, what compression keeps, and the turns that follow.
const opening = 10

// inARow is how many messages of the user must follow one another, with no answer between, to be told, and apart how many
// seconds must lie between each and the next: whoever waits for an answer writes again sooner.
const (
	inARow = 2
	apart  = 60
)

var answersMissing = &scan.Check{
	ID: "answers-missing", Class: "M3", Severity: scan.Notice,
	Title:  "behind a compression, messages of the user stand together and no answer to the first of them is in the file",
	Issues: []string{"#43066", "#43062"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "The row continues a compressed one, and among its first ten messages since it began, behind the summary, two or more of the user follow one another, a minute or more apart. Answers that were given there were never written: the place to write from was counted in the longer history from before the compression. They are in no row of this file.",
		Not:    "It does not prove that an answer was given: someone may have written twice before one came, or stopped the turn. All builds repair such runs when they load them, so that no restart depends on it. Elsewhere than behind a compression the same is no finding.",
		Origin: "The agent kept the offset of the longer history when compression made the next row, and skipped what it should have written.",
		Safe:   "Looking at the end of the compressed row, which may hold answers from before the split, and at what was delivered in the chat itself.",
		Unsafe: "Deleting the messages that have no answer, or writing answers in.",
		ByHand: "SELECT c.id, (SELECT group_concat(substr(role, 1, 1), '') FROM (SELECT role FROM messages WHERE session_id = c.id AND role IN ('user', 'assistant') AND timestamp >= c.started_at ORDER BY timestamp, id LIMIT 10)) AS roles FROM sessions c JOIN sessions p ON p.id = c.parent_session_id WHERE p.end_reason = 'compression'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		t := p.Store.DB.Table("messages")
		if !t.Has("role") || !t.Has("timestamp") || !t.Has("id") {
			return nil
		}
		var rows []int32
		for i := range p.Facts.Sessions {
			s := &p.Facts.Sessions[i]
			if s.EndReason != "compression" || s.NoID {
				continue
			}
			for _, j := range continuations(p, int32(i)) {
				if c := &p.Facts.Sessions[j]; c.Messages > inARow && !c.NoID {
					rows = append(rows, j)
				}
			}
		}
		of := "FROM messages m WHERE m.role IN ('user', 'assistant')"
		if t.Has("active") {
			of += " AND coalesce(m.active, 1) <> 0"
		}
		var found []int32
		runs := map[int32]int{}
		err := eachRow(ctx, p, rows, fmt.Sprintf("(SELECT group_concat(CASE role WHEN 'user' THEN 'u' ELSE 'a' END || ' ' || CAST(timestamp AS INTEGER), char(10)) FROM "+
			"(SELECT role, timestamp %s AND m.session_id = s.id AND m.timestamp >= s.started_at ORDER BY m.timestamp, m.id LIMIT %d))", of, opening),
			func(i int32, v []evidence.Value) {
				if run := longestRun(strings.Split(v[0].String(), "\n")); run >= inARow {
					found, runs[i] = append(found, i), run
				}
			})
		if err == nil {
			err = eachRow(ctx, p, found, fmt.Sprintf("(SELECT role %s AND m.session_id = s.parent_session_id ORDER BY m.timestamp DESC, m.id DESC LIMIT 1)", of),
				func(i int32, v []evidence.Value) { p.Report(unansweredFinding(p, i, runs[i], v[0].String() == "user")) })
		}
		if err != nil {
			return fmt.Errorf("read the roles of the first messages of rows: %w", err)
		}
		return nil
	},
}

// longestRun counts the messages of the user that follow one another, each a while after the one before, in a row's first
// messages but the very first, which is the summary or stands for it. Each is "u" or "a" with its second.
func longestRun(messages []string) (longest int) {
	run, former := 0, int64(0)
	for _, m := range messages[1:] {
		role, second, _ := strings.Cut(m, " ")
		at, err := strconv.ParseInt(second, 10, 64)
		switch {
		case role != "u" || err != nil:
			run = 0
		case run > 0 && at-former < apart:
		default:
			run++
		}
		former = at
		longest = max(longest, run)
	}
	return longest
}

func unansweredFinding(p *scan.Pass, i int32, run int, open bool) scan.Finding {
	s := &p.Facts.Sessions[i]
	parent := &p.Facts.Sessions[s.Parent]
	shows := func(id, order string) string {
		return fmt.Sprintf("SELECT id, role, timestamp FROM messages WHERE session_id = %s AND role IN ('user', 'assistant') ORDER BY timestamp%s, id%s LIMIT %d", evidence.Quote(id), order, order, opening)
	}
	end := "its last message is an answer"
	if open {
		end = "its last message is the user's, without an answer"
	}
	return scan.Finding{
		Subject: p.About(i),
		Message: fmt.Sprintf("row %s continues the compressed row %s, and soon after its beginning %d messages of the user stand together: answers between them, if any were given, are in no row", s.ID, parent.ID, run),
		Advice:  "Look at the end of " + parent.ID + " and at the chat itself: what was delivered is there. Nothing is written in.",
		Evidence: []evidence.Item{
			{At: evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: s.ID}, Saw: fmt.Sprintf("%d messages of the user without an answer between", run), How: shows(s.ID, "")},
			{At: evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: parent.ID}, Saw: "the end of the compressed row: " + end, How: shows(parent.ID, " DESC")},
		},
	}
}
