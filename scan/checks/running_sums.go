package checks

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

type sum [sha256.Size]byte

// runningSums gives for each row the hash over its first message, its first two, and so on.
func runningSums(ctx context.Context, p *scan.Pass, rows []int32) (map[int32][]sum, error) {
	ids := make([]int64, len(rows))
	for k, i := range rows {
		ids[k] = p.Facts.Sessions[i].RowID
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("spell the rows: %w", err)
	}
	out := map[int32][]sum{}
	var buffer []byte
	err = p.Store.DB.Query(ctx, `SELECT r.key, m.role, m.content FROM json_each(?) r JOIN sessions s ON s.rowid = r.value
		JOIN messages m ON m.session_id = s.id ORDER BY r.key, m.id`, []any{string(text)}, func(v []evidence.Value) error {
		i := rows[v[0].Int]
		buffer = buffer[:0]
		if have := out[i]; len(have) > 0 {
			buffer = append(buffer, have[len(have)-1][:]...)
		}
		buffer = append(append(append(buffer, v[1].String()...), 0, byte(v[2].Kind)), v[2].String()...)
		out[i] = append(out[i], sha256.Sum256(buffer))
		return nil
	})
	return out, err
}
