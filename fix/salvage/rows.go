package salvage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// images takes the rows of every image, the best first.
func (r *run) images(ctx context.Context) error {
	r.titles = map[string]bool{}
	// The newest first, whatever its place: what it has wins.
	list := []*evidence.Image{r.newest}
	for _, i := range r.wreck.Images {
		if i != r.newest {
			list = append(list, i)
		}
	}
	shapes, _ := r.newest.Schema()
	if r.blind {
		shapes = parsed(r.version)
	}
	for k, i := range list {
		if known, _ := i.Schema(); len(known) == 0 {
			i.Assume(shapes)
		}
		r.m.Images = append(r.m.Images, Image{Name: i.Name, Notes: append([]string{}, i.Notes...)})
		line := &r.m.Images[k]
		if i == r.newest {
			if err := r.index(ctx, i); err != nil {
				return err
			}
			// Rows told by their shape come behind all others, so that what they may be is known by then.
			loss, err := i.Walk(ctx, func(done, total int64) { r.tell("read "+i.Name, done, total) }, func(row *evidence.WreckRow) error {
				return r.take(ctx, i, line, row)
			})
			if err != nil {
				return err
			}
			r.loss = loss
			if r.loss == nil {
				r.loss = map[string]*evidence.Loss{}
			}
			continue
		}
		if i.Foreign != nil {
			if err := r.foreign(ctx, i, line); err != nil {
				return err
			}
			continue
		}
		if i.Name != "" && len(i.Notes) == 0 && r.whole() && !strings.HasPrefix(i.Name, "capture") {
			line.Notes = append(line.Notes, "not read: nothing of the newest state is missing")
			continue
		}
		// Messages first: which sessions are wanted follows from them.
		for _, pass := range []bool{true, false} {
			_, err := i.Walk(ctx, func(done, total int64) { r.tell("read "+i.Name, done, total) }, func(row *evidence.WreckRow) error {
				if strings.EqualFold(row.Table.Name, "messages") != pass {
					return nil
				}
				return r.takeOlder(ctx, i, line, row)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// whole says that nothing of the newest image could not be read.
func (r *run) whole() bool { return !r.blind && len(r.loss) == 0 && len(r.tornRows) == 0 }

// index reads which ids the indexes over messages have.
func (r *run) index(ctx context.Context, i *evidence.Image) error {
	sets := map[string]*idSet{}
	sound, err := i.Indexes(ctx, "messages", func(index string, e *evidence.IndexRow) error {
		if sets[index] == nil {
			sets[index] = &idSet{}
		}
		sets[index].unsorted(e.RowID)
		return nil
	})
	if err != nil {
		return err
	}
	for name, set := range sets {
		set.settle()
		if sound[name] && (r.soundIndex == "" || set.count() > r.known.count() || set.count() == r.known.count() && name < r.soundIndex) {
			r.soundIndex, r.known = name, *set
		}
	}
	return nil
}

// take puts a row of the newest image in.
func (r *run) take(ctx context.Context, i *evidence.Image, line *Image, row *evidence.WreckRow) error {
	line.Rows++
	if row.Found == evidence.FoundTorn {
		r.keepTorn(i, row)
		return nil
	}
	if row.Found == evidence.FoundShape && !r.missing(row) {
		return nil // a leftover of deleted rows, or there already
	}
	return r.put(ctx, i, line, row)
}

// missing says that a row that was told by its shape can be one that the newest state has lost.
func (r *run) missing(row *evidence.WreckRow) bool {
	if r.blind {
		return true
	}
	if !strings.EqualFold(row.Table.Name, "messages") {
		return row.Lost
	}
	if r.soundIndex != "" {
		return r.known.has(row.RowID) && !r.ids.has(row.RowID)
	}
	return row.Lost && !r.ids.has(row.RowID)
}

// takeOlder puts a row of an older state or of a capture in, where the newest state has lost it or never had it.
func (r *run) takeOlder(ctx context.Context, i *evidence.Image, line *Image, row *evidence.WreckRow) error {
	line.Rows++
	low := strings.ToLower(row.Table.Name)
	capture := strings.HasPrefix(i.Name, "capture")
	switch low {
	case "messages":
		if r.ids.has(row.RowID) || row.Found == evidence.FoundTorn {
			return nil
		}
		lost := r.blind || r.soundIndex != "" && r.known.has(row.RowID) || r.soundIndex == "" && r.loss["messages"].Lost(row.RowID)
		beyond := capture && row.RowID > max(r.high, r.known.highest()) && r.high > 0
		if !lost && !beyond {
			if capture {
				r.m.leave(Left{row.Table.Name, row.RowID, i.Name, row.Found.String(), "the newest state has had this id and has it no longer: it was deleted there, or the capture is of another generation"})
			}
			return nil
		}
	case "sessions":
		id := cell(row, "id").String()
		if r.have[id] || row.Found == evidence.FoundTorn {
			return nil
		}
		wanted, err := r.hasMessages(ctx, id)
		if err != nil {
			return err
		}
		if !wanted && !r.blind && r.loss["sessions"] == nil {
			return nil
		}
	default:
		if !r.blind && r.loss[low] == nil || row.Found == evidence.FoundTorn {
			return nil
		}
	}
	return r.put(ctx, i, line, row)
}

func (r *run) hasMessages(ctx context.Context, session string) (has bool, err error) {
	err = r.db.Query(ctx, "SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", []any{session}, func([]evidence.Value) error { has = true; return nil })
	return has, err
}

// cell gives a column of a row; Null where it has none.
func cell(row *evidence.WreckRow, column string) evidence.Value {
	for k, c := range row.Table.Columns {
		if strings.EqualFold(c.Name, column) {
			return row.Values[k]
		}
	}
	return evidence.Value{}
}

// skipMeta are keys of state_meta that speak of the search index of the old file.
func skipMeta(key string) bool { return strings.HasPrefix(key, "fts_") }

// put puts one row in, once.
func (r *run) put(ctx context.Context, i *evidence.Image, line *Image, row *evidence.WreckRow) error {
	low := strings.ToLower(row.Table.Name)
	to := r.tables[low]
	if to == nil || derived(low) || low == "state_meta" && skipMeta(cell(row, "key").String()) {
		return nil
	}
	m := to.route(row.Table)
	values := make([]evidence.Value, len(m.from))
	for k, at := range m.from {
		values[k] = row.Values[at]
	}
	if low == "sessions" {
		r.uniqueTitle(i, row, m, values)
	}
	var rowid *int64
	if !m.alias {
		rowid = &row.RowID
	}
	err := r.db.Insert(ctx, to.line.Name, m.columns, values, rowid)
	if errors.Is(err, write.ErrRule) {
		return r.refused(ctx, i, row, to, m, values, err)
	}
	if err != nil {
		return err
	}
	r.count(i, line, row.Table.Name, row.RowID, row.Found, to, m, values)
	return nil
}

// uniqueTitle keeps a title for the first of several rows that have it.
func (r *run) uniqueTitle(i *evidence.Image, row *evidence.WreckRow, m *mapping, values []evidence.Value) {
	for k, c := range m.columns {
		if !strings.EqualFold(c, "title") || values[k].Kind == evidence.Null {
			continue
		}
		if t := values[k].String(); r.titles[t] {
			r.m.leave(Left{"sessions", row.RowID, i.Name, row.Found.String(), "its title is that of another row, which the table forbids: the row is taken over without it"})
			values[k] = evidence.Value{}
		} else {
			r.titles[t] = true
		}
	}
}

// count takes a row that is in into the manifest.
func (r *run) count(i *evidence.Image, line *Image, table string, id int64, by evidence.Found, to *target, m *mapping, values []evidence.Value) {
	to.line.Rows++
	line.Taken++
	switch by {
	case evidence.FoundTable:
		to.line.Tree++
	case evidence.FoundTorn:
		to.line.Torn++
	case evidence.FoundShape:
		to.line.Shape++
	case evidence.FoundFrame:
		to.line.Frame++
	}
	to.line.sum += rowSum(m.columns, values)
	to.filled = to.filled || len(m.columns) < len(to.columns)
	switch strings.ToLower(table) {
	case "messages":
		switch {
		case by == evidence.FoundTorn:
			r.torn.add(id)
		case i != r.newest || by != evidence.FoundTable:
			r.elsewhere.add(id)
		}
		r.ids.add(id)
	case "sessions":
		for k, c := range m.columns {
			if c == "id" {
				r.have[values[k].String()] = true
			}
		}
	}
}

// refused looks why a row was not taken: it is there already, another is there under its key, or it breaks a rule.
func (r *run) refused(ctx context.Context, i *evidence.Image, row *evidence.WreckRow, to *target, m *mapping, values []evidence.Value, why error) error {
	same, there := false, false
	names := make([]string, len(m.columns))
	for k, c := range m.columns {
		names[k] = evidence.QuoteName(c)
	}
	err := r.db.Query(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+evidence.QuoteName(to.line.Name)+" WHERE rowid = ?", []any{row.RowID}, func(had []evidence.Value) error {
		there, same = true, true
		for k := range had {
			same = same && equal(had[k], values[k])
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case same:
		return nil
	case there:
		r.m.leave(Left{row.Table.Name, row.RowID, i.Name, row.Found.String(), "another row has this rowid: the one that was found first is kept"})
	default:
		r.m.leave(Left{row.Table.Name, row.RowID, i.Name, row.Found.String(), why.Error()})
	}
	return nil
}

// equal compares cells as a column of the new file gives them back: numbers by value.
func equal(a, b evidence.Value) bool {
	number := func(v evidence.Value) bool { return v.Kind == evidence.Int || v.Kind == evidence.Float }
	if number(a) && number(b) {
		return a.Number() == b.Number()
	}
	return a.Kind == b.Kind && bytes.Equal(a.Bytes, b.Bytes)
}

const (
	fnvBasis uint64 = 14695981039346656037
	fnvPrime uint64 = 1099511628211
)

// rowSum is a hash over the cells of a row that are not NULL, by the names of their columns and in no order: columns that a
// row does not have count as NULL.
func rowSum(columns []string, values []evidence.Value) (sum uint64) {
	for k, v := range values {
		if v.Kind == evidence.Null {
			continue
		}
		h := fnvBasis
		add := func(b []byte) {
			for _, c := range b {
				h = (h ^ uint64(c)) * fnvPrime
			}
			h = (h ^ uint64(len(b))) * fnvPrime
		}
		add([]byte(columns[k]))
		switch v.Kind {
		case evidence.Int, evidence.Float:
			f := v.Number()
			if v.Kind == evidence.Int && (v.Int > 1<<53 || v.Int < -1<<53) {
				add(fmt.Appendf(nil, "i%d", v.Int))
			} else {
				add(fmt.Appendf(nil, "f%x", math.Float64bits(f+0)))
			}
		default:
			add([]byte{byte(v.Kind)})
			add(v.Bytes)
		}
		sum ^= h * 0x9e3779b97f4a7c15
	}
	// Spread, so that a sum over rows tells which cells belong together.
	sum ^= sum >> 29
	sum *= 0xbf58476d1ce4e5b9
	return sum ^ sum>>32
}
