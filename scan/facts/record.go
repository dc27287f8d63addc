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
	Dispatched         Time
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
		err := db.Rows(ctx, t.Name, []string{"delegation_id", "origin_session", "parent_session_id", "dispatched_at"},
			func(_ int64, v []evidence.Value) error {
				f.Delegations = append(f.Delegations, Delegation{v[0].String(), v[1].String(), v[2].String(), timeOf(v[3])})
				return nil
			})
		if err != nil {
			return fmt.Errorf("read async_delegations: %w", err)
		}
	}
	return nil
}

// Witness is a record outside the session rows that ties a session id to a routing key.
type Witness struct {
	Key string
	At  evidence.Ref
	Saw string
	How string
}

// Recorded lists the rank 1 witnesses in the database and beside it, by session id (spec/state-db.md 7.0).
func (f *Facts) Recorded() map[string][]Witness {
	out := map[string][]Witness{}
	add := func(id string, w Witness) {
		if id != "" && w.Key != "" {
			out[id] = append(out[id], w)
		}
	}
	for _, list := range [][]Route{f.Routes.Table, f.Routes.Others, f.Routes.File} {
		for _, r := range list {
			add(r.SessionID, Witness{r.Key, r.At, "session_id " + r.SessionID, r.How})
			add(r.Previous, Witness{r.Key, r.At, "prev_session_id " + r.Previous, r.How})
		}
	}
	for _, b := range f.Bindings {
		add(b.SessionID, Witness{b.Key, evidence.Ref{Store: f.Store, Table: "telegram_dm_topic_bindings", Key: b.ChatID + "/" + b.ThreadID},
			"session_key " + b.Key, "SELECT session_key FROM telegram_dm_topic_bindings WHERE session_id = " + evidence.Quote(b.SessionID)})
	}
	for _, d := range f.Delegations {
		add(d.SessionID, Witness{d.Key, evidence.Ref{Store: f.Store, Table: "async_delegations", Key: d.ID},
			"origin_session " + d.Key, "SELECT origin_session FROM async_delegations WHERE parent_session_id = " + evidence.Quote(d.SessionID)})
	}
	return out
}
