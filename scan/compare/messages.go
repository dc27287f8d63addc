package compare

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// message is one message of a session that differs, without its text.
type message struct {
	full  digest // all columns
	timed digest // what was said, and when
	said  digest // what was said
	place digest // its role and time
	rowid int64
	at    float64
	bytes int64
	role  string
	empty bool // there is nothing in it that could tell it from others
	done  bool
}

// stray is a message that its session has on one side alone: it may be in another session. There may be a million.
type stray struct {
	timed   digest
	rowid   int64
	session int32 // in Difference.Sessions
	used    int32 // of the first of a run of equal digests: how many of them are found elsewhere; its highest bit: this one is
}

const elsewhere = math.MinInt32

func (x *stray) moved() bool { return x.used&elsewhere != 0 }

// messages compares the messages of the sessions that differ, and finds those of A that moved to another session. Sessions
// are read in batches, so that no more digests are kept at a time than Options.Batch, unless one session has more; of
// what one side alone has, a digest stays.
func (c *comparison) messages(ctx context.Context, differ []*session) error {
	c.out.Sessions = make([]Session, len(differ))
	for i, s := range differ {
		c.out.Sessions[i].ID = s.id[1:]
	}
	old := func(s *session) bool { return s.a.bag.count > 0 }
	// At worst all of them: a list that grows would be in memory twice while it is copied.
	lost, added := int64(0), int64(0)
	for _, s := range differ {
		if lost += s.a.bag.count; old(s) {
			added += s.b.bag.count
		}
	}
	c.lost, c.added = make([]stray, 0, lost), make([]stray, 0, added)
	err := c.each(ctx, differ, old, func(at int32, a, b []message) {
		c.match(at, a, b)
	})
	if err != nil {
		return err
	}
	slices.SortFunc(c.lost, func(x, y stray) int {
		return cmp.Or(bytes.Compare(x.timed[:], y.timed[:]), cmp.Compare(x.session, y.session), cmp.Compare(x.rowid, y.rowid))
	})
	for i := range c.added {
		c.settle(&c.added[i], true)
	}
	c.added = nil
	// A session that is new to B is looked into only if messages are missing elsewhere.
	err = c.each(ctx, differ, func(s *session) bool { return !old(s) && len(c.lost) > 0 }, func(at int32, _, b []message) {
		for i := range b {
			c.settle(&stray{timed: b[i].timed, rowid: b[i].rowid, session: at}, !b[i].empty)
		}
	})
	if err != nil {
		return err
	}
	for i, s := range differ {
		if !old(s) && len(c.lost) == 0 {
			c.out.Sessions[i].Messages.Added = s.b.bag.count
		}
	}
	for i := range c.lost {
		if x := &c.lost[i]; !x.moved() {
			c.out.Sessions[x.session].Messages.Lost++
			c.example(x.session, Message{What: Lost, RowA: x.rowid})
		}
	}
	c.lost = nil
	r := c.reader()
	for i := range c.out.Sessions {
		s := &c.out.Sessions[i]
		for k := range s.Examples {
			if err := c.complete(ctx, r, &s.Examples[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// each gives fn the messages of the chosen sessions on both sides, one session after the other.
func (c *comparison) each(ctx context.Context, differ []*session, chosen func(*session) bool, fn func(at int32, a, b []message)) error {
	var batch []int32
	total := int64(0)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if c.options.Progress != nil {
			c.options.Progress("compare sessions", int64(batch[0]), int64(len(differ)))
		}
		a, err := c.load(ctx, &c.a, differ, batch, func(s *session) *known { return &s.a })
		if err != nil {
			return fmt.Errorf("read messages of A: %w", err)
		}
		b, err := c.load(ctx, &c.b, differ, batch, func(s *session) *known { return &s.b })
		if err != nil {
			return fmt.Errorf("read messages of B: %w", err)
		}
		for i, at := range batch {
			fn(at, a[i], b[i])
		}
		batch, total = batch[:0], 0
		return nil
	}
	for i, s := range differ {
		n := s.a.bag.count + s.b.bag.count
		if n == 0 || !chosen(s) {
			continue
		}
		if total > 0 && total+n > c.options.Batch {
			if err := flush(); err != nil {
				return err
			}
		}
		batch, total = append(batch, int32(i)), total+n
	}
	return flush()
}

// load reads the messages of some sessions on one side: by the index where there is one, else in one pass over all.
func (c *comparison) load(ctx context.Context, s *side, differ []*session, batch []int32, of func(*session) *known) ([][]message, error) {
	out := make([][]message, len(batch))
	t := s.table("messages")
	if t == nil {
		return out, nil
	}
	r := c.reader()
	indexed := t.RowID() != "" && slices.ContainsFunc(t.Indexes, func(ix evidence.Index) bool {
		return !ix.Partial && len(ix.Columns) > 0 && strings.EqualFold(ix.Columns[0], "session_id")
	})
	mine := map[string]int{} // what is still to be read
	for i, at := range batch {
		x := differ[at]
		k := of(x)
		if k.bag.count == 0 {
			continue
		}
		if indexed {
			if err := c.lookUp(ctx, s, t, x, r, &out[i]); err != nil {
				return nil, err
			}
		}
		// An index that does not agree with its table must not make messages look lost.
		if int64(len(out[i])) != k.bag.count {
			out[i], mine[x.id] = nil, i
		}
	}
	if len(mine) == 0 {
		return out, nil
	}
	columns := append([]string{"session_id"}, c.texts.columns...)
	return out, s.store.DB.Rows(ctx, "messages", columns, func(rowid int64, row []evidence.Value) error {
		if i, ok := mine[key(row[0])]; ok {
			out[i] = append(out[i], r.message(rowid, row[1:]))
		}
		return ctx.Err()
	})
}

// lookUp reads the messages of one session by the index, in the order of their rowids.
func (c *comparison) lookUp(ctx context.Context, s *side, t *evidence.Table, x *session, r *reader, out *[]message) error {
	names := []string{t.RowID()}
	for _, n := range c.texts.columns {
		names = append(names, evidence.QuoteName(n))
	}
	condition, args := "IS NULL", []any(nil)
	switch id := x.id[1:]; evidence.Kind(x.id[0]) {
	case evidence.Text:
		condition, args = "= ?", []any{id}
	case evidence.Blob:
		condition, args = "= ?", []any{[]byte(id)}
	}
	query := fmt.Sprintf("SELECT %s FROM %s WHERE session_id %s ORDER BY %s", strings.Join(names, ", "), evidence.QuoteName(t.Name), condition, t.RowID())
	return s.store.DB.Query(ctx, query, args, func(row []evidence.Value) error {
		*out = append(*out, r.message(row[0].Int, row[1:]))
		return nil
	})
}

// reader makes messages of rows of c.texts.columns.
type reader struct {
	h                   *hasher
	said                []bool
	time, role, content int
	roles               map[string]string
}

func (c *comparison) reader() *reader {
	r := &reader{h: newHasher(c.salt), said: make([]bool, len(c.texts.columns)), roles: map[string]string{},
		time: c.texts.at("timestamp"), role: c.texts.at("role"), content: c.texts.at("content")}
	for _, name := range textColumns() {
		if i := c.texts.at(name); i >= 0 {
			r.said[i] = true
		}
	}
	return r
}

func (r *reader) message(rowid int64, row []evidence.Value) message {
	m := message{rowid: rowid, at: math.NaN(), empty: true}
	for i, v := range row {
		if !r.said[i] {
			continue
		}
		r.h.cell(v)
		if i != r.role {
			m.bytes += int64(len(v.Bytes))
			m.empty = m.empty && len(v.Bytes) == 0
		}
	}
	m.said = r.h.end()
	r.h.add(m.said)
	if r.time >= 0 {
		r.h.cell(row[r.time])
		if k := row[r.time].Kind; k == evidence.Int || k == evidence.Float {
			m.at = row[r.time].Number()
		}
	}
	m.timed = r.h.end()
	if r.role >= 0 {
		r.h.cell(row[r.role])
		m.role = r.roleOf(row[r.role].Bytes)
	}
	if r.time >= 0 {
		r.h.cell(row[r.time])
	}
	m.place = r.h.end()
	r.h.add(m.timed)
	for i, v := range row {
		if !r.said[i] && i != r.time {
			r.h.cell(v)
		}
	}
	m.full = r.h.end()
	return m
}

// roleOf keeps one copy of each role; a role is a word of the product, and longer ones are cut.
func (r *reader) roleOf(b []byte) string {
	b = b[:min(len(b), 32)]
	if s, ok := r.roles[string(b)]; ok {
		return s
	}
	s := string(bytes.Clone(b))
	if len(r.roles) < 1000 {
		r.roles[s] = s
	}
	return s
}

// match pairs the messages of a session: first those that are equal in all, then by what was said and when, by what was
// said, and last by role and time. It counts the pairs and notes what one side alone has.
func (c *comparison) match(at int32, a, b []message) {
	m := &c.out.Sessions[at].Messages
	name := func(what Change, x, y *message) { c.example(at, Message{What: what, RowA: x.rowid, RowB: y.rowid}) }
	for _, tier := range []struct {
		by   func(*message) digest
		pair func(x, y *message)
	}{
		{func(x *message) digest { return x.full }, func(_, _ *message) { m.Same++ }},
		{func(x *message) digest { return x.timed }, func(_, _ *message) { m.Changed++ }},
		{func(x *message) digest { return x.said }, func(x, y *message) { m.ReStamped++; name(ReStamped, x, y) }},
		{func(x *message) digest { return x.place }, func(x, y *message) {
			if y.bytes < x.bytes {
				m.Shrunk++
				name(Shrunk, x, y)
				return
			}
			m.Rewritten++
			name(Rewritten, x, y)
		}},
	} {
		pairs(a, b, tier.by, tier.pair)
	}
	for i := range a {
		switch x := (stray{timed: a[i].timed, rowid: a[i].rowid, session: at}); {
		case a[i].done:
		case a[i].empty: // nothing in it could show that it has moved
			m.Lost++
			c.example(at, Message{What: Lost, RowA: x.rowid})
		default:
			c.lost = append(c.lost, x)
		}
	}
	for i := range b {
		switch y := (stray{timed: b[i].timed, rowid: b[i].rowid, session: at}); {
		case b[i].done:
		case b[i].empty:
			m.Added++
			c.example(at, Message{What: Added, RowB: y.rowid})
		default:
			c.added = append(c.added, y)
		}
	}
}

// pairs joins messages of equal digest that are not yet in a pair, as many as both sides have, in their order.
func pairs(a, b []message, by func(*message) digest, found func(x, y *message)) {
	left := map[digest][]int{}
	for i := range a {
		if d := by(&a[i]); !a[i].done {
			left[d] = append(left[d], i)
		}
	}
	for i := range b {
		d := by(&b[i])
		if list := left[d]; !b[i].done && len(list) > 0 {
			left[d] = list[1:]
			a[list[0]].done, b[i].done = true, true
			found(&a[list[0]], &b[i])
		}
	}
}

// settle says of a message that only B has whether a session of A lost it, and counts it. What has no text is no evidence
// of having moved.
func (c *comparison) settle(y *stray, text bool) {
	first, found := slices.BinarySearchFunc(c.lost, y.timed, func(x stray, d digest) int { return bytes.Compare(x.timed[:], d[:]) })
	if found && text {
		if at := first + int(c.lost[first].used&^elsewhere); at < len(c.lost) && c.lost[at].timed == y.timed {
			x := &c.lost[at]
			c.lost[first].used++
			x.used |= elsewhere
			c.out.Sessions[x.session].Messages.Moved++
			c.out.Sessions[y.session].Messages.MovedHere++
			c.example(x.session, Message{What: Moved, RowA: x.rowid, RowB: y.rowid, Other: c.out.Sessions[y.session].ID})
			c.example(y.session, Message{What: MovedHere, RowA: x.rowid, RowB: y.rowid, Other: c.out.Sessions[x.session].ID})
			return
		}
	}
	c.out.Sessions[y.session].Messages.Added++
	c.example(y.session, Message{What: Added, RowB: y.rowid})
}

// complete reads role, time and length of a message that is named.
func (c *comparison) complete(ctx context.Context, r *reader, m *Message) error {
	m.TimeA, m.TimeB = math.NaN(), math.NaN()
	for _, of := range []struct {
		side  *side
		has   bool
		rowid int64
		time  *float64
		bytes *int64
	}{{&c.b, m.What != Lost, m.RowB, &m.TimeB, &m.BytesB}, {&c.a, m.What != Added, m.RowA, &m.TimeA, &m.BytesA}} {
		t := of.side.table("messages")
		if !of.has || t.RowID() == "" {
			continue
		}
		names := []string{t.RowID()}
		for _, n := range c.texts.columns {
			names = append(names, evidence.QuoteName(n))
		}
		query := fmt.Sprintf("SELECT %s FROM %s NOT INDEXED WHERE %s = ?", strings.Join(names, ", "), evidence.QuoteName(t.Name), t.RowID())
		err := of.side.store.DB.Query(ctx, query, []any{of.rowid}, func(row []evidence.Value) error {
			x := r.message(row[0].Int, row[1:])
			m.Role, *of.time, *of.bytes = x.role, x.at, x.bytes
			return nil
		})
		if err != nil {
			return fmt.Errorf("read message %d again: %w", of.rowid, err)
		}
	}
	return nil
}

// example names a message of a session that both sides have: of others the row is enough. What is lost comes first, each
// kind in the order of the rows, so that those that are named do not depend on how sessions were read. A session never
// holds more than are named: twenty thousand that differ would hold as much as their messages.
func (c *comparison) example(at int32, m Message) {
	if c.oneSided[at] {
		return
	}
	s := &c.out.Sessions[at]
	i, _ := slices.BinarySearchFunc(s.Examples, m, func(x, y Message) int {
		return cmp.Or(cmp.Compare(exampleRank(x.What), exampleRank(y.What)), cmp.Compare(x.RowA, y.RowA), cmp.Compare(x.RowB, y.RowB))
	})
	if len(s.Examples) == c.options.Examples {
		s.More++
		if i == len(s.Examples) {
			return
		}
		s.Examples = s.Examples[:len(s.Examples)-1]
	}
	s.Examples = slices.Insert(s.Examples, i, m)
}

func exampleRank(c Change) int {
	return slices.Index([]Change{Lost, Shrunk, Rewritten, Moved, ReStamped, MovedHere, Added}, c)
}
