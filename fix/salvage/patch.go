package salvage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

// tornRow is a row of which only the beginning could be read.
type tornRow struct {
	table  *evidence.DeclaredTable
	image  *evidence.Image
	rowid  int64
	values []evidence.Value
}

// maxTorn bounds the rows that are kept for the end.
const maxTorn = 100_000

func (r *run) keepTorn(i *evidence.Image, row *evidence.WreckRow) {
	if len(r.tornRows) >= maxTorn || derived(strings.ToLower(row.Table.Name)) {
		return
	}
	t := tornRow{table: row.Table, image: i, rowid: row.RowID}
	for k, v := range row.Values {
		if k >= row.Known {
			v = evidence.Value{}
		}
		v.Bytes = append([]byte(nil), v.Bytes...)
		t.values = append(t.values, v)
	}
	r.tornRows = append(r.tornRows, t)
}

// patch puts in what no image has whole: rows of which a part is left, and sessions of which the indexes still speak.
func (r *run) patch(ctx context.Context) error {
	line := &r.m.Images[0]
	said := map[int64]map[string]evidence.Value{} // of messages, by rowid: what indexes say
	want := map[int64]bool{}
	for _, t := range r.tornRows {
		if strings.EqualFold(t.table.Name, "messages") && !r.ids.has(t.rowid) {
			want[t.rowid] = true
		}
	}
	if len(want) > 0 {
		_, err := r.newest.Indexes(ctx, "messages", func(_ string, e *evidence.IndexRow) error {
			if want[e.RowID] {
				say(said, e)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, t := range r.tornRows {
		low := strings.ToLower(t.table.Name)
		if low == "messages" && r.ids.has(t.rowid) {
			continue
		}
		if low == "messages" {
			for k, c := range t.table.Columns {
				if v, ok := said[t.rowid][strings.ToLower(c.Name)]; ok && t.values[k].Kind == evidence.Null {
					t.values[k] = v
				}
			}
		}
		row := evidence.WreckRow{Table: t.table, RowID: t.rowid, Found: evidence.FoundTorn, Values: t.values, Known: len(t.values)}
		before := r.m.LeftAll
		if err := r.put(ctx, t.image, line, &row); err != nil {
			return err
		}
		if r.m.LeftAll == before && r.tables[low] != nil {
			r.m.leave(Left{t.table.Name, t.rowid, t.image.Name, "torn", "only a part of the row could be read: the new file has that part"})
		}
	}
	return r.sessionsByIndex(ctx, line)
}

// say takes down what an index says of a row.
func say(said map[int64]map[string]evidence.Value, e *evidence.IndexRow) {
	if said[e.RowID] == nil {
		said[e.RowID] = map[string]evidence.Value{}
	}
	for k, c := range e.Columns {
		v := e.Values[k]
		v.Bytes = append([]byte(nil), v.Bytes...)
		said[e.RowID][strings.ToLower(c)] = v
	}
}

// maxSaid bounds how many sessions are put together out of indexes.
const maxSaid = 200_000

// sessionsByIndex puts sessions together whose rows are gone and that the indexes over sessions still know: id, source, key,
// peer, start, title and parent stand there.
func (r *run) sessionsByIndex(ctx context.Context, line *Image) error {
	if r.loss["sessions"] == nil {
		return nil
	}
	there := map[int64]bool{}
	err := r.db.Query(ctx, "SELECT rowid FROM sessions", nil, func(row []evidence.Value) error { there[row[0].Int] = true; return nil })
	if err != nil {
		return err
	}
	said := map[int64]map[string]evidence.Value{}
	_, err = r.newest.Indexes(ctx, "sessions", func(_ string, e *evidence.IndexRow) error {
		if !there[e.RowID] && (said[e.RowID] != nil || len(said) < maxSaid) {
			say(said, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	to := r.tables["sessions"]
	for _, rowid := range sortedKeys(said) {
		cells := said[rowid]
		id := cells["id"]
		if id.Kind != evidence.Text || r.have[id.String()] {
			continue
		}
		var columns []string
		var values []evidence.Value
		for _, low := range sortedKeys(cells) {
			own := to.columns[low]
			if own == "" || cells[low].Kind == evidence.Null || low == "title" && r.titles[cells[low].String()] {
				continue
			}
			columns, values = append(columns, own), append(values, cells[low])
		}
		err := r.db.Insert(ctx, "sessions", columns, values, &rowid)
		if errors.Is(err, write.ErrRule) {
			r.m.leave(Left{"sessions", rowid, line.Name, "index", "the indexes say too little of the row: " + err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		to.line.Rows++
		to.line.Index++
		line.Taken++
		to.filled = true
		r.have[id.String()] = true
		if t := cells["title"]; t.Kind == evidence.Text {
			r.titles[t.String()] = true
		}
		r.m.leave(Left{"sessions", rowid, line.Name, "index", "the row is gone: the new file has of it what the indexes say (" + strings.Join(columns, ", ") + ")"})
	}
	return nil
}

// relate makes the rows fit each other, as foreign keys ask: a session for messages that have lost theirs, and nothing where a
// row names another that is gone.
func (r *run) relate(ctx context.Context) error {
	type stray struct {
		id    string
		first evidence.Value
	}
	var strays []stray
	err := r.db.Query(ctx, "SELECT session_id, min(timestamp) FROM messages WHERE session_id NOT IN (SELECT id FROM sessions WHERE id IS NOT NULL) GROUP BY session_id", nil, func(row []evidence.Value) error {
		strays = append(strays, stray{id: row[0].String(), first: row[1]})
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range strays {
		if s.first.Kind != evidence.Int && s.first.Kind != evidence.Float {
			s.first = evidence.Value{Kind: evidence.Float}
		}
		text := func(t string) evidence.Value { return evidence.Value{Kind: evidence.Text, Bytes: []byte(t)} }
		columns := []string{"id", "source", "started_at"}
		values := []evidence.Value{text(s.id), text("recovered"), s.first}
		if title := "[recovered " + s.id + "]"; r.tables["sessions"].columns["title"] != "" && !r.titles[title] {
			columns, values = append(columns, "title"), append(values, text(title))
			r.titles[title] = true
		}
		if err := r.db.Insert(ctx, "sessions", columns, values, nil); err != nil {
			return fmt.Errorf("make a session row for %q: %w", s.id, err)
		}
		to := r.tables["sessions"]
		to.line.Rows++
		to.filled = true
		r.have[s.id] = true
		r.m.Made = append(r.m.Made, Made{"sessions", s.id, "its messages are there and its row is not: the source is called recovered, and nothing else of it is known"})
	}
	for _, link := range []struct{ column, of string }{{"parent_session_id", "sessions"}, {"system_prompt_hash", "system_prompts"}} {
		if r.tables["sessions"].columns[link.column] == "" || r.tables[link.of] == nil {
			continue
		}
		key := "id"
		if link.of == "system_prompts" {
			key = "hash"
		}
		if err := r.unlink(ctx, link.column, link.of, key); err != nil {
			return err
		}
	}
	return r.dropStrays(ctx)
}

// unlink makes a column of sessions NULL where it names a row that is gone.
func (r *run) unlink(ctx context.Context, column, of, key string) error {
	where := fmt.Sprintf("%[1]s IS NOT NULL AND %[1]s NOT IN (SELECT %[3]s FROM %[2]s WHERE %[3]s IS NOT NULL)", column, of, key)
	err := r.db.Query(ctx, "SELECT rowid, "+column+" FROM sessions WHERE "+where+" ORDER BY rowid", nil, func(row []evidence.Value) error {
		r.m.leave(Left{"sessions", row[0].Int, r.m.Images[0].Name, "table", fmt.Sprintf("its %s names %q, which is in no file: the new file has NULL there", column, row[1].String())})
		return nil
	})
	if err != nil {
		return err
	}
	n, err := r.db.Change(ctx, "UPDATE sessions SET "+column+" = NULL WHERE "+where)
	r.tables["sessions"].filled = r.tables["sessions"].filled || n > 0
	return err
}

// dropStrays takes rows of other tables out again whose parent is gone.
func (r *run) dropStrays(ctx context.Context) error {
	type bad struct {
		table string
		rowid int64
	}
	var list []bad
	err := r.db.Query(ctx, "PRAGMA foreign_key_check", nil, func(row []evidence.Value) error {
		list = append(list, bad{row[0].String(), row[1].Int})
		return nil
	})
	if err != nil {
		return err
	}
	seen := map[bad]bool{}
	for _, b := range list {
		to := r.tables[strings.ToLower(b.table)]
		if seen[b] || to == nil {
			continue
		}
		seen[b] = true
		if _, err := r.db.Change(ctx, "DELETE FROM "+evidence.QuoteName(b.table)+" WHERE rowid = ?", b.rowid); err != nil {
			return err
		}
		to.line.Rows--
		to.filled = true
		r.m.leave(Left{b.table, b.rowid, r.m.Images[0].Name, "table", "it belongs to a row that is in no file, and the table does not allow it without"})
	}
	return nil
}
