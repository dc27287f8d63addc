package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// oneTurn is the most messages of user and assistant with which a row counts as having few.
const oneTurn = 2

var messagesElsewhere = &scan.Check{
	ID: "messages-elsewhere", Class: "K2", Severity: scan.Error,
	Title:  "a chat's open row is all but empty while another row holds its messages of the same time",
	Issues: []string{"#82616", "#50502"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "An open keyed row, or the row that a routing entry names, holds at most one turn, or notes twice or more that a turn began with nothing loaded (session_meta); and in the same hours a child of it, or an unkeyed row that belongs to the same chat, took the messages. The bot forgets from one message to the next, and after a restart. v0.18 reads the named row as it is; v0.20.1 and v0.21 follow compression, but no unkeyed row.",
		Not:    "It is no damage to the search index, although the log's disk=0 lines say so. A fresh row after a reset is empty too: without another row that took messages at the same time it is healthy.",
		Origin: "The route was published under one id while the agent wrote under another: its create had failed, or compression had moved on.",
		Safe:   "Looking at which of the findings beside it explains it: an orphan with a zombie, or a compressed row with its continuation. Their repair is this one's.",
		Unsafe: "Copying messages from one row into the other.",
		ByHand: "SELECT s.id, s.session_key, s.started_at, (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role IN ('user', 'assistant')) AS talk, (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role = 'session_meta') AS empty_turns FROM sessions s WHERE s.ended_at IS NULL AND s.end_reason IS NULL AND s.session_key <> '' AND (talk <= 2 OR empty_turns > 1)",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		heads := emptyHeads(p)
		if len(heads) == 0 {
			return nil
		}
		rows := make([]int32, len(heads))
		for k, h := range heads {
			rows[k] = h.row
		}
		active := ""
		if p.Store.DB.Table("messages").Has("active") {
			active = " AND coalesce(m.active, 1) <> 0"
		}
		counts := map[int32][2]int64{}
		err := eachRow(ctx, p, rows, "(SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role IN ('user', 'assistant')"+active+
			"), (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role = 'session_meta')",
			func(i int32, v []evidence.Value) { counts[i] = [2]int64{v[0].Int, v[1].Int} })
		if err != nil {
			return fmt.Errorf("count the turns of rows: %w", err)
		}
		for _, h := range heads {
			talk, unloaded := counts[h.row][0], counts[h.row][1]
			if other := &p.Facts.Sessions[h.other]; talk <= oneTurn && other.Messages > talk || unloaded > 1 {
				p.Report(elsewhereFinding(p, h, talk, unloaded))
			}
		}
		return nil
	},
}

// head is an open row of a chat, with the row that took the most messages in its time.
type head struct {
	row, other int32
	route      *facts.Route
}

// emptyHeads lists the open rows of chats beside which another row took messages; how few they have is not judged yet.
func emptyHeads(p *scan.Pass) []head {
	takers := takersOf(p)
	var out []head
	seen := map[int32]bool{}
	add := func(h head, c facts.Chat) {
		if seen[h.row] {
			return
		}
		if h.other = heldBy(p, h, takers[c], c); h.other >= 0 {
			seen[h.row] = true
			out = append(out, h)
		}
	}
	for _, r := range loadedRoutes(p) {
		if i, ok := p.Facts.Index(r.SessionID); ok && p.Facts.Sessions[i].Live() {
			add(head{row: i, route: r}, resume.RouteChat(r))
		}
	}
	v := p.Facts.View()
	for _, c := range p.Facts.Chats() {
		for _, i := range v.ChatRows(c) {
			if p.Facts.Sessions[i].Live() {
				add(head{row: i}, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b head) int { return int(a.row - b.row) })
	return out
}

func elsewhereFinding(p *scan.Pass, h head, talk, unloaded int64) scan.Finding {
	s, o := &p.Facts.Sessions[h.row], &p.Facts.Sessions[h.other]
	f := scan.Finding{
		Subject: p.About(h.row),
		Message: fmt.Sprintf("row %s is open for its chat and holds %s of talk, while row %s took %s in the same time", s.ID, scan.Count(talk, "message"), o.ID, scan.Count(o.Messages, "message")),
		Advice:  "See the finding about " + o.ID + " first: with its identity filled in, the chat goes on there. No message is copied.",
		Evidence: []evidence.Item{
			p.Cells(h.row, "open", "session_key", "source", "started_at", "last_activity_at", "ended_at", "end_reason"), p.Span(h.row),
			p.Cells(h.other, "holds the messages", "session_key", "parent_session_id", "started_at", "ended_at", "end_reason"), p.Span(h.other),
		},
	}
	if o.Keyed() {
		f.Advice = "Read the two rows side by side: the one with the user's newest message is the conversation. No message is copied."
	}
	if unloaded > 1 {
		f.Evidence = append(f.Evidence, evidence.Item{
			At:  evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: s.ID},
			Saw: scan.Count(unloaded, "turn") + " that began with nothing loaded",
			How: "SELECT id, timestamp FROM messages WHERE role = 'session_meta' AND session_id = " + evidence.Quote(s.ID),
		})
	}
	if h.route != nil {
		f.Evidence = append(f.Evidence, routeEvidence(h.route))
	}
	return f
}
