package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var keyContradictsPeer = &scan.Check{
	ID: "key-contradicts-peer", Class: "K5", Severity: scan.Warning,
	Title:  "a row's key and its columns name different chats",
	Issues: []string{"#84686", "#13013"},
	Needs:  scan.NeedSessions | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "No key that can be made from the row's chat, thread and user, with or without scope, shared or per participant, by either id, equals its session_key; or the key names another platform than the source. All builds look up by key first, so messages of one chat may be answered in another; the lookup by ids and v0.21's proof of ownership for /resume go by the columns.",
		Not:    "It does not say which side is wrong. Not held against a row: WhatsApp, whose ids pass through an alias map; a Slack key without its scope; what only a missing origin_json could explain; a source that is a placeholder; and a chat in which /resume moved rows (a session_switch).",
		Origin: "An id with a colon in it, on which two chats collide; a repair that adopted a row into a stranger's chat; or a hand-made edit.",
		Safe:   "Comparing with the routing entry and the logs. Both sides hold values, so that every repair is an overwrite and is left to the owner.",
		Unsafe: "Rebuilding the key from the columns, or the columns from the key, before it is known which of them a person wrote.",
		ByHand: "SELECT id, source, session_key, chat_id, chat_type, thread_id, user_id, origin_json FROM sessions WHERE session_key <> '' ORDER BY session_key",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		suspects := contradicting(p)
		if len(suspects) == 0 {
			return nil
		}
		details, err := p.Facts.Details(ctx, p.Store.DB, suspects, facts.WantIdentity)
		if err != nil {
			return err
		}
		moves := switches{}
		for _, i := range suspects {
			s := &p.Facts.Sessions[i]
			_, platform, rest, _ := facts.KeyParts(s.SessionKey)
			saw := fmt.Sprintf("the key names the platform %s", platform)
			if platform == s.Source {
				q, known := peerOf(s, details[i])
				if !known || q.fits(rest) || moves.moved(p, i) {
					continue
				}
				saw = fmt.Sprintf("chat_id %s, chat_type %s", q.chatID, q.chatType)
			}
			p.Report(scan.Finding{
				Subject:  p.About(i),
				Message:  fmt.Sprintf("row %s is keyed %s, which no reading of its own columns gives", s.ID, s.SessionKey),
				Advice:   "Nothing is changed: find out from the logs or the routing entry which of the two is right.",
				Evidence: []evidence.Item{p.Cells(i, saw, "session_key", "source", "chat_id", "chat_type", "thread_id", "user_id", "origin_json")},
			})
		}
		return nil
	},
}

// contradicting lists the rows whose columns alone do not give their key; rows of one identity are judged once.
func contradicting(p *scan.Pass) []int32 {
	var out []int32
	known := map[*facts.Identity]bool{}
	for i := range p.Facts.Sessions {
		s := &p.Facts.Sessions[i]
		if !s.Keyed() || s.NoID || p.Classes[i] == scan.Tool || p.Classes[i] == scan.Delegate {
			continue
		}
		bad, seen := known[s.Identity]
		if !seen {
			bad = disagrees(p.Facts, s)
			known[s.Identity] = bad
		}
		if bad {
			out = append(out, int32(i))
		}
	}
	return out
}

// disagrees says that a row's key is not one of those that its columns give, or names another platform.
func disagrees(f *facts.Facts, s *facts.Session) bool {
	_, platform, rest, ok := facts.KeyParts(s.SessionKey)
	switch {
	case !ok || rest == "" || s.Source == "unknown" || s.Source == "recovered":
		return false
	case platform != s.Source:
		return true
	case aliased(platform) || !f.Gateway(platform):
		return false
	}
	q, known := peerOf(s, nil)
	q.whole = true // what an origin explains is seen when it is read
	return !known || !q.fits(rest)
}

// peerOf is a row's peer by its columns and, where it was read, its origin_json; known is false where neither names the
// chat.
func peerOf(s *facts.Session, d *facts.Detail) (q *peer, known bool) {
	q = &peer{source: s.Source, chatID: s.ChatID, chatType: s.ChatType, threadID: s.ThreadID, userID: s.UserID}
	if d == nil {
		return q, q.chatID != ""
	}
	o, ok := facts.ParseOrigin([]byte(d.OriginJSON))
	if !ok {
		return q, q.chatID != ""
	}
	q.userAlt, q.prospective, q.scope, q.whole = o.UserAlt, o.Prospective, o.ScopeID, true
	if q.chatID == "" {
		q.chatID, q.chatType, q.threadID, q.userID = o.ChatID, o.ChatType, o.ThreadID, o.UserID
	}
	return q, q.chatID != ""
}

// switches are, by chat, the two rows that a switch ended last, the later first.
type switches map[facts.Chat][2]int32

// moved says that /resume may have moved the row here: another row of the chat was ended by a switch after this one
// began, which rewrites the identity of the row that is resumed and of what it was compressed from.
func (w switches) moved(p *scan.Pass, i int32) bool {
	s := &p.Facts.Sessions[i]
	last, ok := w[s.Chat()]
	if !ok {
		last = [2]int32{-1, -1}
		for _, j := range p.Facts.View().ChatRows(s.Chat()) {
			switch r := &p.Facts.Sessions[j]; {
			case r.EndReason != "session_switch" || !r.Ended.Trusted():
			case last[0] < 0 || r.Ended > p.Facts.Sessions[last[0]].Ended:
				last = [2]int32{j, last[0]}
			case last[1] < 0 || r.Ended > p.Facts.Sessions[last[1]].Ended:
				last[1] = j
			}
		}
		w[s.Chat()] = last
	}
	j := last[0]
	if j == i {
		j = last[1]
	}
	return j >= 0 && !(p.Facts.Sessions[j].Ended < s.Start())
}
