package compare

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// cells compares the two rows of a session column by column, and names its changes.
func (c *comparison) cells(ctx context.Context, s *session, out *Session) error {
	m := &out.Messages
	switch {
	case s.a.has && !s.b.has, !s.a.has && !s.b.has && s.b.bag.count == 0:
		out.Changes = append(out.Changes, Lost)
	case s.b.has && !s.a.has, !s.a.has && !s.b.has && s.a.bag.count == 0:
		out.Changes = append(out.Changes, Added)
	}
	for _, is := range []struct {
		so     bool
		change Change
	}{
		{m.Lost+m.Moved+m.Shrunk > 0, Shrunk}, {m.Rewritten > 0, Rewritten}, {m.ReStamped > 0, ReStamped}, {m.Changed > 0, Changed},
		{m.Added+m.MovedHere > 0, Grown},
		{s.a.bag.sum == s.b.bag.sum && s.a.bag.count == s.b.bag.count && s.a.bag.line != s.b.bag.line, Reordered},
	} {
		if is.so && !(out.has(Lost) && is.change == Shrunk) && !(out.has(Added) && is.change == Grown) {
			out.Changes = append(out.Changes, is.change)
		}
	}
	out.NoRow = !s.a.has && !s.b.has
	if s.a.has && s.b.has && s.a.row != s.b.row {
		if err := c.compareRows(ctx, s, out); err != nil {
			return err
		}
	}
	for _, of := range []struct {
		side *side
		k    *known
	}{{&c.a, &s.a}, {&c.b, &s.b}} {
		if !of.k.has {
			continue
		}
		row, err := c.row(ctx, of.side, of.k.rowid)
		if err != nil {
			return err
		}
		if i := c.rows.at("source"); i >= 0 {
			out.Source = row[i].String()
		}
		if i := c.rows.at("session_key"); i >= 0 {
			out.Key = row[i].String()
		}
	}
	if len(out.Changes) == 0 {
		out.Changes = append(out.Changes, Changed)
	}
	return nil
}

func (c *comparison) compareRows(ctx context.Context, s *session, out *Session) error {
	before, err := c.row(ctx, &c.a, s.a.rowid)
	if err != nil {
		return err
	}
	after, err := c.row(ctx, &c.b, s.b.rowid)
	if err != nil {
		return err
	}
	h := newHasher(c.salt)
	for i, name := range c.rows.columns {
		h.cell(before[i])
		x := h.end()
		if h.cell(after[i]); h.end() == x {
			continue
		}
		change, shown := kindOf(name)
		if strings.EqualFold(name, "ended_at") {
			shown = true
			switch blank := func(v evidence.Value) bool {
				return v.Kind == evidence.Null || v.Kind == evidence.Text && len(v.Bytes) == 0
			}; {
			case blank(before[i]) && !blank(after[i]):
				change = Ended
			case blank(after[i]) && !blank(before[i]):
				change = Reopened
			default:
				change = ReStamped
			}
		}
		out.Changes = append(out.Changes, change)
		cell := Cell{Column: name, Hidden: !shown}
		if shown {
			cell.Before, cell.After = literal(before[i]), literal(after[i])
		}
		out.Cells = append(out.Cells, cell)
	}
	return nil
}

// row reads one session row, and keeps it beyond the query.
func (c *comparison) row(ctx context.Context, s *side, rowid int64) (row []evidence.Value, err error) {
	t := s.table("sessions")
	names := make([]string, len(c.rows.columns))
	for i, n := range c.rows.columns {
		names[i] = evidence.QuoteName(n)
	}
	query := fmt.Sprintf("SELECT %s FROM %s NOT INDEXED WHERE %s = ?", strings.Join(names, ", "), evidence.QuoteName(t.Name), t.RowID())
	err = s.store.DB.Query(ctx, query, []any{rowid}, func(r []evidence.Value) error {
		for _, v := range r {
			v.Bytes = bytes.Clone(v.Bytes)
			row = append(row, v)
		}
		return nil
	})
	if err == nil && row == nil {
		err = fmt.Errorf("it is not found again")
	}
	if err != nil {
		return nil, fmt.Errorf("read the session row with rowid %d: %w", rowid, err)
	}
	return row, nil
}

// literal spells a value as SQL would show it, texts without quotes.
func literal(v evidence.Value) string {
	switch v.Kind {
	case evidence.Null:
		return "NULL"
	case evidence.Blob:
		return fmt.Sprintf("X'%x'", v.Bytes)
	}
	if s := v.String(); s != "" {
		return s
	}
	return "''"
}
