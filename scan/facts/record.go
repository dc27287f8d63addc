package facts

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Binding is a row of telegram_dm_topic_bindings: a recorded session for one topic of one chat.
type Binding struct {
	ChatID, ThreadID, UserID, Key, SessionID string
	Updated                                  Time
}

// Delegation is a row of async_delegations: a recorded pair of routing key and session id.
type Delegation struct {
	ID, Key, SessionID string
	RowID              int64
	Dispatched         Time
	Completed, Updated Time
	State, Delivery    string // state and delivery_state
	Event              bool   // event_json holds something to deliver
}

// readRecords reads the tables that record which session serves which chat. Each may be absent: they are made lazily.
func (f *Facts) readRecords(ctx context.Context, db *evidence.DB) error {
	if t := db.Table("telegram_dm_topic_bindings"); t != nil && t.Has("session_id") && t.Has("session_key") {
		err := db.Rows(ctx, t.Name, []string{"chat_id", "thread_id", "user_id", "session_key", "session_id", "updated_at"},
			func(_ int64, v []evidence.Value) error {
				f.Bindings = append(f.Bindings, Binding{v[0].String(), v[1].String(), v[2].String(), v[3].String(), v[4].String(), timeOf(v[5])})
				return nil
			})
		if err != nil {
			return fmt.Errorf("read telegram_dm_topic_bindings: %w", err)
		}
	}
	if t := db.Table("async_delegations"); t != nil && t.Has("origin_session") && t.Has("parent_session_id") {
		err := db.Rows(ctx, t.Name, []string{"delegation_id", "origin_session", "parent_session_id", "dispatched_at",
			"completed_at", "updated_at", "state", "delivery_state", "event_json"},
			func(rowid int64, v []evidence.Value) error {
				f.Delegations = append(f.Delegations, Delegation{
					ID: v[0].String(), Key: v[1].String(), SessionID: v[2].String(), RowID: rowid, Dispatched: timeOf(v[3]),
					Completed: timeOf(v[4]), Updated: timeOf(v[5]), State: v[6].String(), Delivery: v[7].String(), Event: len(v[8].Bytes) > 0,
				})
				return nil
			})
		if err != nil {
			return fmt.Errorf("read async_delegations: %w", err)
		}
	}
	return nil
}

// Witness is a record outside the session rows that ties a session id to a routing key, or to a chat where not exactly
// one key lives in that chat: Key is then "", and the record decides nothing but that it was this chat.
type Witness struct {
	Key  string
	Chat string // the chat's id where the record names it and no key; else ""
	At   evidence.Ref
	Saw  string
	How  string
}

// Recorded lists the rank 1 witnesses in the database and, once they were heard, beside it, by session id
// (spec/state-db.md 7.0).
func (f *Facts) Recorded() map[string][]Witness {
	out := map[string][]Witness{}
	add := func(id string, w Witness) {
		if id != "" && w.Key != "" {
			out[id] = append(out[id], w)
		}
	}
	for _, list := range [][]Route{f.Routes.Table, f.Routes.Others, f.Routes.File} {
		for _, r := range list {
			add(r.SessionID, Witness{Key: r.Key, At: r.At, Saw: "session_id " + r.SessionID, How: r.How})
			add(r.Previous, Witness{Key: r.Key, At: r.At, Saw: "prev_session_id " + r.Previous, How: r.How})
		}
	}
	for _, b := range f.Bindings {
		add(b.SessionID, Witness{Key: b.Key, At: evidence.Ref{Store: f.Store, Table: "telegram_dm_topic_bindings", Key: b.ChatID + "/" + b.ThreadID},
			Saw: "session_key " + b.Key, How: "SELECT session_key FROM telegram_dm_topic_bindings WHERE session_id = " + evidence.Quote(b.SessionID)})
	}
	for _, d := range f.Delegations {
		add(d.SessionID, Witness{Key: d.Key, At: evidence.Ref{Store: f.Store, Table: "async_delegations", Key: d.ID},
			Saw: "origin_session " + d.Key, How: "SELECT origin_session FROM async_delegations WHERE parent_session_id = " + evidence.Quote(d.SessionID)})
	}
	for id, list := range f.Heard.copies {
		for _, w := range list {
			add(id, w)
		}
	}
	return out
}
