package facts

// Identity is what ties a row to a chat. Rows that say the same share one value, so that comparing and grouping
// cost a pointer. A blank field is "": the product's NULL and ” count alike.
type Identity struct {
	Source     string
	SessionKey string
	UserID     string
	ChatID     string
	ChatType   string
	ThreadID   string
	Profile    string // profile_name; "" = the store's own

	of   string // the profile that the row belongs to
	rows []int32
}

// Chat names one chat as the product looks it up: a routing key on one platform.
type Chat struct{ Source, Key string }

// Peer is the tuple that finds a row without a key.
type Peer struct{ Source, UserID, ChatID, ChatType, ThreadID string }

// Chat gives the chat that the row is keyed for; Key is "" for an unkeyed row.
func (id *Identity) Chat() Chat { return Chat{id.Source, id.SessionKey} }

// Peer gives the row's tuple.
func (id *Identity) Peer() Peer {
	return Peer{id.Source, id.UserID, id.ChatID, id.ChatType, id.ThreadID}
}

// Marks are the lineage markers of model_config (spec/state-db.md 4.3). Rows with the same text share one value.
type Marks struct {
	Branched, Delegate, Reset string // the marker's value
	HasBranched, HasDelegate  bool   // the marker is present, whatever its value
	HasReset                  bool
	Malformed                 bool // neither NULL nor JSON; '' is malformed to SQLite's functions
	Blank                     bool // NULL or ''
	EmptyText                 bool // '' rather than NULL
}

// Ending is how a row was closed or handed on. Rows that say the same share one value.
type Ending struct {
	EndReason string
	Handoff   string // handoff_state
	HasReason bool   // end_reason is not NULL: '' counts as ended for the routing index
}

// Session is one row of the table sessions, without prompts and titles, joined with the span of its messages.
type Session struct {
	*Identity
	*Marks
	*Ending
	RowID    int64
	ID       string
	ParentID string // "" = none

	Started, Ended, LastActivity Time
	First, Last                  Time // of its messages, trusted times only; Never = none usable

	Counted  int64 // message_count; 0 where blank
	Messages int64 // rows of messages
	Odd      int64 // rows of messages whose time is not trusted

	Parent int32 // index of the parent's row, -1 = none or gone
	NoID   bool  // id is NULL: nothing can refer to this row
}

// Start is when the row began: started_at where trusted, else its first message, else Never.
func (s *Session) Start() Time {
	if s.Started.Trusted() {
		return s.Started
	}
	return s.First
}

// Act is the row's last activity: the later of its newest message and its heartbeat, else its start (spec 7.0).
func (s *Session) Act() Time {
	if t := Later(s.Last, s.LastActivity.Known()); !t.Blank() {
		return t
	}
	return s.Start()
}

// Heartbeat is the clock that the resolver compares: last_activity_at, or started_at where that is NULL.
func (s *Session) Heartbeat() Time { return s.LastActivity.Or(s.Started) }

// Live says that the row was never ended: neither a time nor a reason.
func (s *Session) Live() bool { return s.Ended.Blank() && !s.HasReason }

// HasMessages is the resolver's test: a positive counter, or a row of messages.
func (s *Session) HasMessages() bool { return s.Counted > 0 || s.Messages > 0 }

// Keyed says that the row names a chat.
func (s *Session) Keyed() bool { return s.SessionKey != "" }

// Marked says that the row calls itself a branch or a delegate, whatever the marker's value.
func (s *Session) Marked() bool { return s.HasBranched || s.HasDelegate }
