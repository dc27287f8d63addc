package backups

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// digest is half a SHA-256 of a message's session, time, role, text and tool calls.
type digest [16]byte

// identity are the columns by which a message is known. A column that a file does not have is blank in it, as it is in a
// newer file for the messages from before the column.
func identity() []string {
	return []string{"session_id", "timestamp", "role", "content", "tool_call_id", "tool_calls", "tool_name"}
}

// digestOf feeds cells to a hash so that no two rows give the same bytes. ” counts as NULL, and a number by its value.
func digestOf(row []evidence.Value) digest {
	h := sha256.New()
	var buf [9]byte
	for _, v := range row {
		buf[0] = byte(v.Kind)
		n := uint64(len(v.Bytes))
		switch v.Kind {
		case evidence.Int:
			buf[0], n = byte(evidence.Float), math.Float64bits(float64(v.Int))
		case evidence.Float:
			n = math.Float64bits(v.Float)
		case evidence.Text, evidence.Blob:
			if n == 0 {
				buf[0] = byte(evidence.Null)
			}
		}
		binary.LittleEndian.PutUint64(buf[1:], n)
		_, _ = h.Write(buf[:]) // documented never to fail
		_, _ = h.Write(v.Bytes)
	}
	var d digest
	copy(d[:], h.Sum(nil))
	return d
}

// take reads every session and message of a store once. What cannot be read is a flaw of the candidate.
func (c *comparing) take(ctx context.Context, s *evidence.Store, x *Candidate) error {
	if x.digest != "" {
		if i, ok := c.first[x.digest]; ok {
			f := &c.out.Candidates[i]
			x.Why = f.Why // a copy of what was not read is not read either
			x.Same, x.Sessions, x.Messages, x.Newest, x.Flaws = f.Path, f.Sessions, f.Messages, f.Newest, slices.Clone(f.Flaws)
			return nil
		}
		c.first[x.digest] = len(c.out.Candidates)
	}
	if len(c.read) == candidatesRead {
		c.out.Limited = true
		x.Why = fmt.Sprintf("only the first %d different copies are read: name it by itself", candidatesRead)
		return nil
	}
	bit := uint64(1) << len(c.read)
	c.read = append(c.read, len(c.out.Candidates))
	flaw := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			x.Flaws = append(x.Flaws, err.Error())
		}
		return nil
	}
	for _, table := range []string{"sessions", "messages"} {
		if s.DB.Table(table) == nil {
			continue
		}
		err := s.DB.Query(ctx, "PRAGMA integrity_check("+table+")", nil, func(row []evidence.Value) error {
			if text := row[0].String(); text != "ok" {
				return fmt.Errorf("SQLite finds the table %s at fault: %s", table, text)
			}
			return nil
		})
		if err := flaw(err); err != nil {
			return err
		}
	}
	err := s.DB.Rows(ctx, "sessions", []string{"id"}, func(_ int64, row []evidence.Value) error {
		x.Sessions++
		c.rows[row[0].String()] |= bit
		return ctx.Err()
	})
	if err := flaw(err); err != nil {
		return err
	}
	last := ""
	err = s.DB.Rows(ctx, "messages", identity(), func(_ int64, row []evidence.Value) error {
		if x.Messages++; x.Messages%1024 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if c.options.Progress != nil {
				c.options.Progress("read messages of copies", x.Messages, x.Messages)
			}
		}
		if at, ok := trusted(row[1]); ok && !(at <= x.Newest) {
			x.Newest = at
		}
		d := digestOf(row)
		had := c.held[d]
		c.held[d] = had | bit
		if had == 0 {
			if id := row[0].String(); id != last {
				last = id
			}
			c.of[d] = last
		}
		return nil
	})
	return flaw(err)
}

// trusted reads a time that counts: finite and within 1 … 4 200 000 000.
func trusted(v evidence.Value) (at float64, ok bool) {
	switch v.Kind {
	case evidence.Int:
		at = float64(v.Int)
	case evidence.Float:
		at = v.Float
	default:
		return 0, false
	}
	return at, at >= 1 && at <= 4.2e9
}

// count says what each candidate alone holds, and what it holds beyond the database in use of its profile.
func (c *comparing) count() {
	own := map[string]uint64{}
	for at := range c.out.Candidates {
		x := &c.out.Candidates[at]
		if x.Same != "" { // its rows were counted under the first with these bytes
			at = c.first[x.digest]
		}
		if i := slices.Index(c.read, at); x.own() && i >= 0 && own[x.Profile] == 0 {
			own[x.Profile] = 1 << i
		}
	}
	beyond := func(mask uint64, count func(x *Candidate)) {
		for rest := mask; rest != 0; rest &= rest - 1 {
			x := &c.out.Candidates[c.read[bits.TrailingZeros64(rest)]]
			if mask&own[x.Profile] == 0 {
				count(x)
			}
		}
	}
	sessions := make([]map[string]bool, len(c.read))
	for i := range sessions {
		sessions[i] = map[string]bool{}
	}
	for d, mask := range c.held {
		beyond(mask, func(x *Candidate) { x.Beyond.Messages++ })
		if bits.OnesCount64(mask) == 1 {
			i := bits.TrailingZeros64(mask)
			c.out.Candidates[c.read[i]].Alone.Messages++
			sessions[i][c.of[d]] = true
		}
	}
	for id, mask := range c.rows {
		beyond(mask, func(x *Candidate) { x.Beyond.Sessions++ })
		if bits.OnesCount64(mask) == 1 {
			i := bits.TrailingZeros64(mask)
			c.out.Candidates[c.read[i]].Alone.Sessions++
			sessions[i][id] = true
		}
	}
	for i, at := range c.read {
		ids := make([]string, 0, len(sessions[i]))
		for id := range sessions[i] {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		c.out.Candidates[at].Alone.IDs = ids[:min(len(ids), aloneShown)]
	}
	for i := range c.out.Candidates {
		if x := &c.out.Candidates[i]; x.Same != "" {
			first := &c.out.Candidates[c.first[x.digest]]
			x.Alone, x.Beyond = first.Alone, first.Beyond
		}
	}
}
