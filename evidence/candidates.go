package evidence

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Candidate is an older copy of a database as something to restore from.
type Candidate struct {
	Path               string // as evidence spells it
	Bytes              int64
	Sessions, Messages int64
	Newest             float64 // epoch seconds of the newest trusted message; NaN = none
	View               string  // how it was read: ViewMain, or with the file beside it that it needs
	Sound              bool    // SQLite finds no fault in the tables sessions and messages
	Same               string  // the path of an earlier candidate with the same bytes, each read alone; "" = none
	sum                string
}

// Candidates verifies the copies of the home's database and ranks them by what they hold: sound ones first, then by their
// newest message, then by how many they have. Dates of files count for nothing. What cannot be read is among the notes.
func (h *Home) Candidates(ctx context.Context) ([]Candidate, *Copies, error) {
	var out []Candidate
	read, err := h.EachCopy(ctx, func(s *Store) error {
		v := look(ctx, s.View, s.DB.conn, nil)
		c := Candidate{Path: s.Name, Bytes: s.Pages * int64(s.PageSize), View: s.View, Sessions: v.Sessions, Messages: v.Messages, Newest: v.Newest, Sound: v.Err == nil && sound(ctx, s.DB.conn)}
		for _, t := range h.custody.list() {
			if t.role != RoleBackup || t.path != pathOf(h, s.Name) {
				continue
			}
			if c.Bytes = t.was.size; s.View == ViewMain { // else what it holds is more than the file itself
				c.sum = t.sum
			}
		}
		out = append(out, c)
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(BetterCopy(a.Holding(), b.Holding()), cmp.Compare(a.Path, b.Path))
	})
	first := map[string]string{}
	for i := range out {
		if c := &out[i]; c.sum != "" {
			if first[c.sum] == "" {
				first[c.sum] = c.Path
			} else {
				c.Same = first[c.sum]
			}
		}
	}
	read.Notes = append(read.Notes, h.emptySnapshots()...)
	return out, read, nil
}

// Holding is what copies of a database are ranked by.
type Holding struct {
	Sound              bool // nothing of what the caller looked at is damaged
	Sessions, Messages int64
	Newest             float64 // epoch seconds of the newest trusted message; NaN = none
}

// Holding is what the candidate is ranked by.
func (c *Candidate) Holding() Holding { return Holding{c.Sound, c.Sessions, c.Messages, c.Newest} }

// BetterCopy is the one order of copies to restore from, negative where a comes first: sound ones, then by their newest message, then
// by how much they hold. Dates of files count for nothing. Only what is taken for sound differs between its callers: a check that
// stands beside a lost database asks SQLite about two tables, and the comparison of all copies examines each one whole.
func BetterCopy(a, b Holding) int {
	newest := func(h Holding) float64 {
		if math.IsNaN(h.Newest) {
			return 0
		}
		return h.Newest
	}
	switch {
	case a.Sound && !b.Sound:
		return -1
	case b.Sound && !a.Sound:
		return 1
	}
	return cmp.Or(cmp.Compare(newest(b), newest(a)), cmp.Compare(b.Messages, a.Messages), cmp.Compare(b.Sessions, a.Sessions))
}

// pathOf is the path under which custody knows a copy.
func pathOf(h *Home, shown string) string {
	return filepath.Join(h.Name, filepath.FromSlash(strings.TrimPrefix(shown, strings.TrimSuffix(h.Path("x"), "x"))))
}

// manifestBytes bounds the list of files of a snapshot.
const manifestBytes = 1 << 20

// emptySnapshots names the snapshots that hold no database, and what their manifest says of that.
func (h *Home) emptySnapshots() []string {
	var out []string
	entries, err := h.ReadDir("state-snapshots")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		dir := path.Join("state-snapshots", e.Name())
		if !e.IsDir() {
			continue
		}
		if _, err := h.root.Stat(path.Join(dir, stateDB)); err == nil {
			continue
		}
		note := "the snapshot " + h.Path(dir) + " holds no database"
		for _, name := range []string{"manifest.json", "MANIFEST.json"} {
			if text, err := h.Read(path.Join(dir, name), RoleBackup, manifestBytes); err == nil {
				var m struct {
					Failed  json.RawMessage `json:"failed"`
					Skipped json.RawMessage `json:"skipped"`
				}
				if json.Unmarshal(text, &m) == nil && strings.Contains(string(m.Failed)+string(m.Skipped), stateDB) {
					note += ", and its manifest says that the copy failed"
				}
				break
			}
		}
		out = append(out, note)
	}
	return out
}

// Zeros tells how many NUL bytes a file of the store begins with and how many bytes it has. It is one pass over those bytes.
func (s *Store) Zeros(ctx context.Context) (zeros, size int64, err error) {
	f, info, err := openRegular(s.real)
	if err != nil {
		return 0, 0, fmt.Errorf("read %q: %w", s.Name, bare(err))
	}
	defer func() { _ = f.Close() }() // opened for reading
	buf := make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := f.ReadAt(buf, zeros)
		for i, c := range buf[:n] {
			if c != 0 {
				return zeros + int64(i), info.Size(), nil
			}
		}
		zeros += int64(n)
		if err == io.EOF {
			return zeros, info.Size(), nil
		}
		if err != nil {
			return 0, 0, fmt.Errorf("read %q: %w", s.Name, bare(err))
		}
	}
	return 0, 0, ctx.Err()
}
