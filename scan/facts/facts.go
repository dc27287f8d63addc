package facts

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Newest is the newest schema version whose meaning is known (spec/state-db.md 2).
const Newest = 31

// KeysSince is the schema version that brought session keys; KeysMerged is the day on which it was merged,
// 2026-06-28T00:00:00Z, in epoch seconds.
const (
	KeysSince  = 17
	KeysMerged = 1782604800
)

// Facts is one database as the checks see it. It is not changed after Read; a View shows it with changes.
type Facts struct {
	Store    string // the database's name in the report
	Owner    string // the profile that a blank profile_name means
	Schema   int    // 0 = none recorded
	Schemas  int    // rows of schema_version; more than one is worth a note
	HasKeys  bool   // the table sessions has a session_key column
	Sessions []Session
	Strays   []Stray // messages whose session row is gone, by session id

	Routes      Routes
	Bindings    []Binding
	Delegations []Delegation
	Config      Config

	// Garbled maps a row to its columns whose text is not UTF-8: the product fails where it decodes such a row.
	Garbled map[int32][]string

	MessageRows int64
	NewestTime  Time // the newest trusted time of any row or message

	byID   map[string]int32
	chats  map[Chat][]*Identity
	peers  map[Peer][]*Identity
	childs map[int32][]int32

	platforms map[string]bool // that keys in the file name
	keysBegin Time
}

// Stray is a run of messages whose session row does not exist.
type Stray struct {
	SessionID   string
	Messages    int64
	First, Last Time
}

// sessionColumns are the columns that Read asks for, in the order in which row decodes them.
var sessionColumns = [...]string{
	"id", "source", "user_id", "session_key", "chat_id", "chat_type", "thread_id", "profile_name",
	"parent_session_id", "started_at", "ended_at", "end_reason", "last_activity_at", "message_count",
	"model_config", "handoff_state",
}

// Read reads the facts of one store. An error means that the tables could not be read, not that they are damaged
// in meaning.
func Read(ctx context.Context, store *evidence.Store, o Options) (*Facts, error) {
	f := &Facts{Store: store.Name, Owner: store.Profile, NewestTime: Never(), Garbled: map[int32][]string{}}
	if f.Owner == "" {
		f.Owner = "default"
	}
	if err := f.readSchema(ctx, store.DB); err != nil {
		return nil, fmt.Errorf("read schema_version: %w", err)
	}
	if err := f.readSessions(ctx, store.DB); err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	if err := f.readSpans(ctx, store.DB); err != nil {
		return nil, fmt.Errorf("read the spans of messages: %w", err)
	}
	f.link()
	if err := f.readRecords(ctx, store.DB); err != nil {
		return nil, err
	}
	if err := f.readConfig(store.Home); err != nil {
		return nil, err
	}
	if err := f.readRoutes(ctx, store, o); err != nil {
		return nil, err
	}
	return f, nil
}

// Options says what the copy alone does not tell.
type Options struct {
	HomePath string // where the home was on its machine; "" = the given folder's own path
	Zone     string // IANA name of the zone of naive local times; "" = derived, else UTC
}

func (f *Facts) readSchema(ctx context.Context, db *evidence.DB) error {
	t := db.Table("schema_version")
	if t == nil || !t.Has("version") {
		return nil
	}
	return db.Query(ctx, "SELECT version FROM schema_version", nil, func(row []evidence.Value) error {
		f.Schemas++
		if row[0].Kind == evidence.Int && row[0].Int > int64(f.Schema) && row[0].Int < 1<<31 {
			f.Schema = int(row[0].Int)
		}
		return nil
	})
}

func (f *Facts) readSessions(ctx context.Context, db *evidence.DB) error {
	t := db.Table("sessions")
	if t == nil {
		return fmt.Errorf("there is no table of that name")
	}
	f.HasKeys = t.Has("session_key")
	in := newInterner()
	f.byID = map[string]int32{}
	return db.Rows(ctx, "sessions", sessionColumns[:], func(rowid int64, row []evidence.Value) error {
		i := int32(len(f.Sessions))
		if int(i) == math.MaxInt32 {
			return fmt.Errorf("more than %d rows", math.MaxInt32)
		}
		for c, v := range row {
			if v.Kind == evidence.Text && !utf8.Valid(v.Bytes) {
				f.Garbled[i] = append(f.Garbled[i], sessionColumns[c])
			}
		}
		s := in.session(rowid, row)
		if _, twice := f.byID[s.ID]; !twice && !s.NoID {
			f.byID[s.ID] = i
		}
		f.Sessions = append(f.Sessions, s)
		return nil
	})
}

func (f *Facts) readSpans(ctx context.Context, db *evidence.DB) error {
	if db.Table("messages") == nil {
		return nil
	}
	return db.Spans(ctx, func(id []byte, span evidence.Span) error {
		f.MessageRows += span.Count
		if i, ok := f.byID[string(id)]; ok {
			s := &f.Sessions[i]
			s.Messages, s.Odd = span.Count, span.Untrusted
			s.First, s.Last = Time(span.First), Time(span.Last)
			return nil
		}
		f.Strays = append(f.Strays, Stray{string(id), span.Count, Time(span.First), Time(span.Last)})
		return nil
	})
}

// link finds parents, groups rows by chat and by peer, and notes the newest trusted time.
func (f *Facts) link() {
	f.keysBegin = KeysMerged
	f.chats, f.peers, f.childs = map[Chat][]*Identity{}, map[Peer][]*Identity{}, map[int32][]int32{}
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if s.Identity.rows == nil {
			f.peers[s.Peer()] = append(f.peers[s.Peer()], s.Identity)
			if s.Keyed() {
				f.chats[s.Chat()] = append(f.chats[s.Chat()], s.Identity)
			}
		}
		s.Identity.rows = append(s.Identity.rows, int32(i))
		s.Parent = -1
		if p, ok := f.byID[s.ParentID]; ok && s.ParentID != "" {
			s.Parent = p
			f.childs[p] = append(f.childs[p], int32(i))
		}
		if t := s.Start(); s.Keyed() && t < f.keysBegin {
			f.keysBegin = t
		}
		for _, t := range []Time{s.Started, s.Ended, s.LastActivity, s.Last} {
			f.NewestTime = Later(f.NewestTime, t.Known())
		}
	}
	for _, st := range f.Strays {
		f.NewestTime = Later(f.NewestTime, st.Last)
	}
	f.notePlatforms()
}

// Index gives the row of a session id.
func (f *Facts) Index(id string) (int32, bool) {
	i, ok := f.byID[id]
	return i, ok
}

// Children gives the rows whose parent is i, in row order.
func (f *Facts) Children(i int32) []int32 { return f.childs[i] }

// Chats lists every chat that a row is keyed for, by source and key.
func (f *Facts) Chats() []Chat {
	out := make([]Chat, 0, len(f.chats))
	for c := range f.chats {
		out = append(out, c)
	}
	sort.Slice(out, func(a, b int) bool {
		if out[a].Source != out[b].Source {
			return out[a].Source < out[b].Source
		}
		return out[a].Key < out[b].Key
	})
	return out
}

// rowsOf joins the rows of identities in row order.
func rowsOf(ids []*Identity) []int32 {
	if len(ids) == 1 {
		return ids[0].rows
	}
	var out []int32
	for _, id := range ids {
		out = append(out, id.rows...)
	}
	slices.Sort(out)
	return out
}

// Locate names a session row, or one of its cells, for evidence.
func (f *Facts) Locate(i int32, column string) evidence.Ref {
	s := &f.Sessions[i]
	key := s.ID
	if s.NoID {
		key = fmt.Sprintf("rowid %d", s.RowID)
	}
	return evidence.Ref{Store: f.Store, Table: "sessions", Key: key, Column: column}
}
