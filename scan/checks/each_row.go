package checks

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// asking bounds how many rows one statement asks for.
const asking = 2000

// eachRow selects expressions over some session rows, which are called s, in a few statements.
func eachRow(ctx context.Context, p *scan.Pass, rows []int32, expressions string, visit func(i int32, v []evidence.Value)) error {
	for len(rows) > 0 {
		part := rows[:min(asking, len(rows))]
		rows = rows[len(part):]
		ids := make([]int64, len(part))
		for k, i := range part {
			ids[k] = p.Facts.Sessions[i].RowID
		}
		text, err := json.Marshal(ids)
		if err != nil {
			return fmt.Errorf("spell the rows: %w", err)
		}
		err = p.Store.DB.Query(ctx, "SELECT r.key, "+expressions+" FROM json_each(?) r JOIN sessions s ON s.rowid = r.value",
			[]any{string(text)}, func(v []evidence.Value) error {
				visit(part[v[0].Int], v[1:])
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}
