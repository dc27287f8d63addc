package compare

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Options steer a comparison; the zero value is good.
type Options struct {
	Progress func(stage string, done, total int64) // nil = nobody is told
	Examples int                                   // messages to name of each session; 0 = 5
	Batch    int64                                 // messages whose digests are kept at a time; 0 = 100 000
}

// Stores compares one database with another. Either may be nil: its side then holds nothing. A store that cannot be read
// is an error, as are pages that cannot be: what was not read must not be called lost.
func Stores(ctx context.Context, a, b *evidence.Store, o Options) (*Difference, error) {
	if o.Examples == 0 {
		o.Examples = 5
	}
	if o.Batch == 0 {
		o.Batch = 100_000
	}
	c := &comparison{options: o, at: map[string]int32{}, a: side{store: a}, b: side{store: b}, out: &Difference{In: Both}}
	c.salt = make([]byte, 16)
	if _, err := rand.Read(c.salt); err != nil {
		return nil, fmt.Errorf("make a salt: %w", err)
	}
	switch {
	case a == nil && b == nil:
		return c.out, nil
	case a == nil:
		c.out.In, c.out.Store = B, b.Name
	case b == nil:
		c.out.In, c.out.Store = A, a.Name
	default:
		c.out.Store = a.Name
	}
	for _, s := range []*side{&c.a, &c.b} {
		if s.store != nil && s.store.Fault != nil {
			return nil, fmt.Errorf("compare %q: %w", s.store.Name, s.store.Fault)
		}
	}
	c.rows = planOf(c.a.table("sessions"), c.b.table("sessions"))
	c.texts = planOf(c.a.table("messages"), c.b.table("messages"), "id", "session_id")
	c.out.Notes = append(c.rows.notes("sessions"), c.texts.notes("messages")...)
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	if err := c.explain(ctx); err != nil {
		return nil, err
	}
	return c.out, nil
}

// side is one of the two stores.
type side struct{ store *evidence.Store }

func (s *side) table(name string) *evidence.Table {
	if s.store == nil {
		return nil
	}
	return s.store.DB.Table(name)
}

// known is a session on one side.
type known struct {
	rowid int64
	row   digest
	has   bool // there is a row
	bag   bag
}

// session is a session on both sides.
type session struct {
	id   string // its kind in one byte, then its bytes
	a, b known
}

func (s *session) differs() bool {
	return s.a.row != s.b.row || s.a.has != s.b.has || s.a.bag != s.b.bag
}

type comparison struct {
	options  Options
	a, b     side
	rows     plan // of sessions
	texts    plan // of messages
	sessions []session
	at       map[string]int32
	out      *Difference
	salt     []byte
	oneSided []bool  // of the sessions that differ: only one side knows it
	lost     []stray // what A alone has in a session
	added    []stray // what B alone has in a session that A has too
}

// key names a session_id by kind and bytes; rowid stands for what has none.
func key(v evidence.Value) string {
	switch v.Kind {
	case evidence.Null:
		return string([]byte{byte(evidence.Null)})
	case evidence.Text, evidence.Blob:
		return string(byte(v.Kind)) + string(v.Bytes)
	}
	return string(byte(evidence.Text)) + v.String()
}

func (c *comparison) session(key []byte) *session {
	i, ok := c.at[string(key)]
	if !ok {
		i = int32(len(c.sessions))
		id := string(key)
		c.at[id] = i
		c.sessions = append(c.sessions, session{id: id})
	}
	return &c.sessions[i]
}

// read goes once over the rows of each table on each side, in the order in which they lie.
func (c *comparison) read(ctx context.Context) error {
	for _, s := range []struct {
		side   *side
		of     func(*session) *known
		totals *Totals
		name   string
	}{{&c.a, func(x *session) *known { return &x.a }, &c.out.A, "A"}, {&c.b, func(x *session) *known { return &x.b }, &c.out.B, "B"}} {
		if s.side.store == nil {
			continue
		}
		if err := c.readSessions(ctx, s.side, s.of, s.totals); err != nil {
			return fmt.Errorf("read the sessions of %s: %w", s.name, err)
		}
		if s.side.table("messages") == nil {
			continue
		}
		if err := c.readMessages(ctx, s.side, s.of, s.totals, "read messages of "+s.name); err != nil {
			return fmt.Errorf("read the messages of %s: %w", s.name, err)
		}
	}
	return nil
}

func (c *comparison) readSessions(ctx context.Context, s *side, of func(*session) *known, totals *Totals) error {
	id, h, twice := c.rows.at("id"), newHasher(c.salt), int64(0)
	if id < 0 {
		return fmt.Errorf("no column id that both sides have")
	}
	err := s.store.DB.Rows(ctx, "sessions", c.rows.columns, func(rowid int64, row []evidence.Value) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		totals.Sessions++
		for _, v := range row {
			h.cell(v)
		}
		d := h.end()
		name := key(row[id])
		if row[id].Kind == evidence.Null {
			name = fmt.Sprintf("\x00rowid %d", rowid)
		}
		k := of(c.session([]byte(name)))
		if k.has {
			twice++
			h.add(k.row)
			h.add(d)
			k.row = h.end() // both count, and neither hides a change of the other
			return nil
		}
		k.has, k.rowid, k.row = true, rowid, d
		return nil
	})
	if twice > 0 {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("%d session rows have the id of another one; they are compared together", twice))
	}
	return err
}

func (c *comparison) readMessages(ctx context.Context, s *side, of func(*session) *known, totals *Totals, stage string) error {
	h, last, total := newHasher(c.salt), (*known)(nil), int64(s.store.DB.RowHint(ctx, "messages"))
	var lastKey []byte
	lastAt := -1
	columns := append([]string{"session_id"}, c.texts.columns...)
	return s.store.DB.Rows(ctx, "messages", columns, func(_ int64, row []evidence.Value) error {
		if totals.Messages++; totals.Messages%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if c.options.Progress != nil {
				c.options.Progress(stage, totals.Messages, max(total, totals.Messages))
			}
		}
		for _, v := range row[1:] {
			h.cell(v)
		}
		// Messages of one session mostly lie together; the list may have grown since the last one.
		if k := key(row[0]); lastAt != len(c.sessions) || string(lastKey) != k {
			lastKey = append(lastKey[:0], k...)
			last = of(c.session(lastKey))
			lastAt = len(c.sessions)
		}
		last.bag.put(h.end())
		return nil
	})
}

// explain looks closer at the sessions that differ.
func (c *comparison) explain(ctx context.Context) error {
	var differ []*session
	for i := range c.sessions {
		s := &c.sessions[i]
		if !s.differs() {
			if s.a.has {
				c.out.Same++
			}
			c.out.Messages.Same += s.a.bag.count
			continue
		}
		differ = append(differ, s)
	}
	slices.SortFunc(differ, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	for _, s := range differ {
		c.oneSided = append(c.oneSided, !s.a.has && s.a.bag.count == 0 || !s.b.has && s.b.bag.count == 0)
	}
	if err := c.messages(ctx, differ); err != nil {
		return err
	}
	for i, s := range differ {
		if err := c.cells(ctx, s, &c.out.Sessions[i]); err != nil {
			return err
		}
		c.out.Messages.add(c.out.Sessions[i].Messages)
	}
	rank := map[Change]int{}
	for i, change := range Changes() {
		rank[change] = i
	}
	for i := range c.out.Sessions {
		s := &c.out.Sessions[i]
		slices.SortFunc(s.Changes, func(a, b Change) int { return cmp.Compare(rank[a], rank[b]) })
		s.Changes = slices.Compact(s.Changes)
	}
	slices.SortStableFunc(c.out.Sessions, func(a, b Session) int { return cmp.Compare(rank[a.Changes[0]], rank[b.Changes[0]]) })
	return nil
}
