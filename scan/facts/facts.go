package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

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

// Facts is one database as the checks see it. It is not changed after Read, but for what ReadTexts and Hear fill; a View
// shows it with changes.
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

	// Garbled maps a row to its columns whose text is not UTF-8: the product fails where it decodes such a row. It is
	// empty until ReadTexts.
	Garbled map[int32][]string

	// Spool lists the messages that wait in files; SpoolLimited says that it may not be all of them.
	Spool        []evidence.Spooled
	SpoolLimited bool

	// Heard is what the files beside the database say about unkeyed rows. It is empty until Hear.
	Heard Heard

	MessageRows int64
	NewestTime  Time // the newest trusted time of any row or message

	byID    *idTable
	chats   map[Chat][]int32 // rows in order
	peers   map[Peer][]int32
	childAt []int32 // where the children of each row begin in childs
	childs  []int32

	platforms map[string]bool // that keys in the file name
	keysBegin Time
	chatList  []Chat
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
	spans := store.DB.StartSpans(ctx)
	if err := f.readBeside(ctx, store, o); err != nil {
		return nil, errors.Join(err, spans.Stop())
	}
	if err := f.readSpans(ctx, spans); err != nil {
		return nil, fmt.Errorf("read the spans of messages: %w", err)
	}
	f.noteTimes()
	return f, nil
}

// readBeside reads all that needs no spans, which are the longer pass: they are read at the same time.
func (f *Facts) readBeside(ctx context.Context, store *evidence.Store, o Options) error {
	if err := f.readSessions(ctx, store.DB); err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	f.link()
	if err := f.readRecords(ctx, store.DB); err != nil {
		return err
	}
	if err := f.readConfig(store.Home); err != nil {
		return err
	}
	if err := f.readRoutes(ctx, store, o); err != nil {
		return err
	}
	if store.Home == nil {
		return nil
	}
	var err error
	if f.Spool, f.SpoolLimited, err = store.Home.Spool(ctx); err != nil {
		return fmt.Errorf("read spooled messages: %w", err)
	}
	return nil
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
	f.Sessions = make([]Session, 0, db.RowHint(ctx, "sessions"))
	err := db.Rows(ctx, "sessions", sessionColumns[:], func(rowid int64, row []evidence.Value) error {
		if len(f.Sessions) == math.MaxInt32 {
			return fmt.Errorf("more than %d rows", math.MaxInt32)
		}
		f.Sessions = append(f.Sessions, in.session(rowid, row))
		return nil
	})
	f.byID = newIDTable(f.Sessions)
	return err
}

func (f *Facts) readSpans(ctx context.Context, spans *evidence.Spans) error {
	return spans.Each(ctx, func(id []byte, span evidence.Span) error {
		f.MessageRows += span.Count
		if i, ok := f.byID.find(string(id)); ok {
			s := &f.Sessions[i]
			s.Messages, s.Odd = span.Count, span.Untrusted
			s.First, s.Last = Time(span.First), Time(span.Last)
			return nil
		}
		f.Strays = append(f.Strays, Stray{string(id), span.Count, Time(span.First), Time(span.Last)})
		return nil
	})
}

// link finds parents, and groups rows by chat and by peer.
func (f *Facts) link() {
	f.childAt = make([]int32, len(f.Sessions)+1)
	var ids []*Identity
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if s.Identity.rows == nil {
			ids = append(ids, s.Identity)
		}
		s.Identity.rows = append(s.Identity.rows, int32(i))
		s.Parent = -1
		if p, ok := f.byID.find(s.ParentID); ok && s.ParentID != "" {
			s.Parent, s.ParentID = p, f.Sessions[p].ID // one text instead of two
			f.childAt[p]++
		}
	}
	f.listChildren()
	f.group(ids)
	f.notePlatforms()
	f.listChats()
}

// noteTimes notes when keys begin and the newest trusted time.
func (f *Facts) noteTimes() {
	f.keysBegin = KeysMerged
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if t := s.Start(); s.Keyed() && t < f.keysBegin {
			f.keysBegin = t
		}
		for _, t := range [...]Time{s.Started, s.Ended, s.LastActivity, s.Last} {
			f.NewestTime = Later(f.NewestTime, t.Known())
		}
	}
	for _, st := range f.Strays {
		f.NewestTime = Later(f.NewestTime, st.Last)
	}
}

// Index gives the row of a session id.
func (f *Facts) Index(id string) (int32, bool) {
	return f.byID.find(id)
}

// Children gives the rows whose parent is i, in row order. The list must not be changed.
func (f *Facts) Children(i int32) []int32 { return f.childs[f.childAt[i]:f.childAt[i+1]] }

// listChildren turns the counts of children into lists. Rows are placed from the last to the first, each at the end of
// what is still free of its parent's list.
func (f *Facts) listChildren() {
	total := int32(0)
	for i, n := range f.childAt {
		total += n
		f.childAt[i] = total
	}
	f.childs = make([]int32, total)
	for i := len(f.Sessions) - 1; i >= 0; i-- {
		if p := f.Sessions[i].Parent; p >= 0 {
			f.childAt[p]--
			f.childs[f.childAt[p]] = int32(i)
		}
	}
}

// Chats lists every chat that a row is keyed for, by source and key. The list must not be changed.
func (f *Facts) Chats() []Chat { return f.chatList }

func (f *Facts) listChats() {
	f.chatList = make([]Chat, 0, len(f.chats))
	for c := range f.chats {
		f.chatList = append(f.chatList, c)
	}
	slices.SortFunc(f.chatList, func(a, b Chat) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Key, b.Key))
	})
}

// group lists the rows of each chat and each peer, once for each identity and not once for each row.
func (f *Facts) group(ids []*Identity) {
	f.chats, f.peers = map[Chat][]int32{}, map[Peer][]int32{}
	for _, id := range ids {
		f.peers[id.Peer()] = joined(f.peers[id.Peer()], id.rows)
		if id.SessionKey != "" {
			f.chats[id.Chat()] = joined(f.chats[id.Chat()], id.rows)
		}
	}
}

// joined merges two ascending lists of rows; the first may be shared and is not changed.
func joined(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
	out := append(slices.Clone(a), b...)
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
