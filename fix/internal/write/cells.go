package write

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Cells gives what the cells of changes hold in a read-only database: nil, a string (of text; a blob's bytes too) or a
// float64 (of any number). A cell that is not there, or there twice, is missing from the answer.
func Cells(ctx context.Context, db *evidence.DB, changes []Change) (map[Change]any, error) {
	return cells(ctx, db.Query, changes)
}

// Cells is the same within the connection's transaction.
func (c *Conn) Cells(ctx context.Context, changes []Change) (map[Change]any, error) {
	return cells(ctx, c.query, changes)
}

func cells(ctx context.Context, read reader, changes []Change) (map[Change]any, error) {
	out := map[Change]any{}
	columns := map[string]map[string]bool{}
	for _, ch := range changes {
		key, err := keyOf(ch.Table)
		if err != nil {
			return nil, err
		}
		if columns[ch.Table] == nil {
			list, _, err := columnsOf(ctx, read, ch.Table)
			if err != nil {
				return nil, err
			}
			columns[ch.Table] = map[string]bool{}
			for _, c := range list {
				columns[ch.Table][c] = true
			}
		}
		if !columns[ch.Table][key] || !columns[ch.Table][ch.Column] {
			continue
		}
		rows := 0
		query := "SELECT " + evidence.QuoteName(ch.Column) + " FROM " + evidence.QuoteName(ch.Table) + " WHERE " + evidence.QuoteName(key) + " = ?"
		err = read(ctx, query, []any{ch.Key}, func(row []evidence.Value) error {
			rows++
			out[ch] = plain(row[0])
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s.%s of %q: %w", ch.Table, ch.Column, ch.Key, err)
		}
		if rows != 1 {
			delete(out, ch)
		}
	}
	return out, nil
}

// plain gives a cell as a Change spells it.
func plain(v evidence.Value) any {
	switch v.Kind {
	case evidence.Null:
		return nil
	case evidence.Int, evidence.Float:
		return v.Number()
	}
	return v.String()
}
