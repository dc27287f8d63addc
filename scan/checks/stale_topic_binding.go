package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var staleTopicBinding = &scan.Check{
	ID: "stale-topic-binding", Severity: scan.Notice,
	Title:  "a Telegram topic is bound to a session that has no row, or that goes on in another one",
	Issues: []string{"#20470", "#31501", "#29712", "#58850", "#106227", "#76942"},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "A row of telegram_dm_topic_bindings names a session without a row, or one that compression ended and that other rows continue. The topic's next message may go to the wrong end of the chain, or to a new session.",
		Not:    "It does not say which of several continuations the topic means. A binding of a row that was reset is no finding: the reset may have been meant.",
		Origin: "Compression or a fork moved the conversation on and left the binding behind; a topic was deleted; a row was deleted with foreign keys off.",
		Safe:   "Writing in the topic: a build of today binds it anew. Where several rows continue the bound one, read them side by side first.",
		Unsafe: "Binding the topic to one of several continuations by its start alone.",
		ByHand: "SELECT b.chat_id, b.thread_id, b.session_id, s.end_reason FROM telegram_dm_topic_bindings b LEFT JOIN sessions s ON s.id = b.session_id",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		for k := range p.Facts.Bindings {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := &p.Facts.Bindings[k]
			i, ok := p.Facts.Index(b.SessionID)
			if !ok {
				p.Report(bindingFinding(p, b, fmt.Sprintf("topic %s of the chat %s is bound to session %s, which has no row", b.ThreadID, b.ChatID, b.SessionID), "no row"))
				continue
			}
			s := &p.Facts.Sessions[i]
			if s.EndReason != "compression" {
				continue
			}
			next := continuations(p, i)
			if len(next) == 0 {
				continue // a finding of its own
			}
			f := bindingFinding(p, b, fmt.Sprintf("topic %s of the chat %s is bound to row %s, which compression ended and which goes on in %s", b.ThreadID, b.ChatID, s.ID, p.Facts.Sessions[next[0]].ID), "end_reason compression")
			if len(next) > 1 {
				f.Message = fmt.Sprintf("topic %s of the chat %s is bound to row %s, which compression ended and which %d rows continue: which of them the topic means is not recorded", b.ThreadID, b.ChatID, s.ID, len(next))
			}
			for _, j := range next[:min(len(next), shown)] {
				f.Evidence = append(f.Evidence, p.Span(j))
			}
			p.Report(f)
		}
		return nil
	},
}

func bindingFinding(p *scan.Pass, b *facts.Binding, message, saw string) scan.Finding {
	return scan.Finding{
		Subject: scan.Subject{SessionID: b.SessionID, SessionKey: b.Key, Source: "telegram"},
		Message: message,
		Advice:  "Look at what the topic resumes, and read the rows side by side; the binding is left as it is.",
		Evidence: []evidence.Item{
			{At: evidence.Ref{Store: p.Facts.Store, Table: "telegram_dm_topic_bindings", Key: b.ChatID + "/" + b.ThreadID, Column: "session_id"}, Saw: "session_id " + b.SessionID,
				How: fmt.Sprintf("SELECT * FROM telegram_dm_topic_bindings WHERE chat_id = %s AND thread_id = %s", evidence.Quote(b.ChatID), evidence.Quote(b.ThreadID))},
			{At: evidence.Ref{Store: p.Facts.Store, Table: "sessions", Key: b.SessionID}, Saw: saw, How: "SELECT id, end_reason FROM sessions WHERE id = " + evidence.Quote(b.SessionID)},
		},
	}
}
