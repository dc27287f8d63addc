package facts

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// closeInTime is how far a delivery may lie from the message whose text it carries, in seconds: deliveries are made
// at the end of the turn, and retried within the hour.
const closeInTime = 3600

// Delivered finds, for each row, the deliveries whose text equals an assistant message of it, close in time
// (rank 2 of spec/state-db.md 7.0). The key is the delivery's session_key.
func (f *Facts) Delivered(ctx context.Context, db *evidence.DB, rows []int32) (map[int32][]Witness, error) {
	out := map[int32][]Witness{}
	t, m := db.Table("delivery_obligations"), db.Table("messages")
	if t == nil || m == nil || !t.Has("session_key") || !t.Has("content") || !t.Has("created_at") || len(rows) == 0 {
		return out, nil
	}
	present := false
	if err := db.Query(ctx, "SELECT EXISTS (SELECT 1 FROM delivery_obligations)", nil, func(v []evidence.Value) error {
		present = v[0].Int != 0
		return nil
	}); err != nil || !present {
		return out, err
	}
	q := `SELECT r.key, o.obligation_id, o.session_key, m.id FROM json_each(?) r
		JOIN sessions s ON s.` + db.Table("sessions").RowID() + ` = r.value
		JOIN messages m ON m.session_id = s.id AND m.role = 'assistant'
		JOIN delivery_obligations o ON o.content = m.content AND o.content <> '' AND abs(o.created_at - m.timestamp) <= ?`
	for len(rows) > 0 {
		part := rows[:min(batch, len(rows))]
		rows = rows[len(part):]
		ids := make([]int64, len(part))
		for k, i := range part {
			ids[k] = f.Sessions[i].RowID
		}
		text, err := json.Marshal(ids)
		if err != nil {
			return nil, fmt.Errorf("spell the rows: %w", err)
		}
		err = db.Query(ctx, q, []any{string(text), float64(closeInTime)}, func(v []evidence.Value) error {
			id, key := v[1].String(), v[2].String()
			at := evidence.Ref{Store: f.Store, Table: "delivery_obligations", Key: id}
			out[part[v[0].Int]] = append(out[part[v[0].Int]], Witness{
				Key: key, At: at, Saw: fmt.Sprintf("the delivered text equals message %d; session_key %s", v[3].Int, key),
				How: "SELECT session_key FROM delivery_obligations WHERE obligation_id = " + evidence.Quote(id),
			})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compare deliveries with messages: %w", err)
		}
	}
	return out, nil
}
