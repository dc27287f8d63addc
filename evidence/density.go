package evidence

import (
	"context"
	"fmt"
)

// Bucket is a stretch of time with the messages in it.
type Bucket struct {
	N        int // counted from 0 at the beginning of the first
	Messages int64
}

// Density counts the messages of one session in n equal stretches of the time from one moment to another, in epoch
// seconds, both of which belong to it; stretches without a message are left out. Only trusted times count, as in Spans.
// It reads the messages of this session alone where an index leads to them, and gives nothing where there is no such
// table or column. What holds for Query holds here.
func (d *DB) Density(ctx context.Context, session string, from, to float64, n int) ([]Bucket, error) {
	t := d.Table("messages")
	if t == nil || !t.Has("session_id") || !t.Has("timestamp") || !(to >= from) || n < 1 {
		return nil, nil
	}
	width := max((to-from)/float64(n), 1e-6) // of no time at all, everything is in the first
	var out []Bucket
	err := d.Query(ctx, "SELECT min(CAST((timestamp - ?1) / ?2 AS INTEGER), ?3) AS n, count(*) FROM messages"+
		" WHERE session_id = ?4 AND timestamp BETWEEN ?1 AND ?5 AND "+trusted+" GROUP BY n ORDER BY n",
		[]any{from, width, n - 1, session, to}, func(row []Value) error {
			out = append(out, Bucket{int(row[0].Int), row[1].Int})
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("count the messages of %q by time: %w", session, err)
	}
	return out, nil
}
