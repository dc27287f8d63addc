package salvage

import (
	"context"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// foreign reads a -wal that does not belong to the file beside it. It may be of an older state of this file, and then its
// frames hold rows that the file has lost; or of another install, and then they hold somebody else's talk under the same ids.
// So a row is only taken where an index of the newest image still has its rowid with the very cells of that row.
func (r *run) foreign(ctx context.Context, i *evidence.Image, line *Image) error {
	r.strange = true
	said := map[string]map[int64]map[string]evidence.Value{} // by table and rowid: what indexes say of lost rows
	for _, table := range []string{"messages", "sessions"} {
		said[table] = map[int64]map[string]evidence.Value{}
		if r.loss[table] == nil {
			continue
		}
		cells := said[table]
		_, err := r.newest.Indexes(ctx, table, func(_ string, e *evidence.IndexRow) error {
			if (table != "messages" || !r.ids.has(e.RowID)) && (cells[e.RowID] != nil || len(cells) < maxSaid) {
				say(cells, e)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	left := int64(0)
	_, err := i.Walk(ctx, func(done, total int64) { r.tell("read "+i.Name, done, total) }, func(row *evidence.WreckRow) error {
		if !agrees(row, said[strings.ToLower(row.Table.Name)][row.RowID]) {
			line.Rows++
			left++
			return nil
		}
		return r.takeOlder(ctx, i, line, row)
	})
	if err != nil {
		return err
	}
	if left > 0 {
		line.Notes = append(line.Notes, "of its rows only those are taken that an index of the file names; where it is known to be of this file all the same, name the -wal as a capture")
	}
	return nil
}

// agrees says that a row has every cell that indexes name, of at least two columns: one alone, such as the source of a session,
// is the same in many rows.
func agrees(row *evidence.WreckRow, said map[string]evidence.Value) bool {
	if len(said) < 2 {
		return false
	}
	for column, v := range said {
		if !equal(cell(row, column), v) {
			return false
		}
	}
	return true
}
