package facts

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Probe asks for the messages of a row around a moment.
type Probe struct {
	Row int32
	At  Time
}

// Around is a probe's answer: the newest message at or before the moment, and the oldest after it; Never = none.
type Around struct{ Before, After Time }

// batch bounds how many questions one statement carries.
const batch = 2000

// Around answers all probes in a few statements.
func (f *Facts) Around(ctx context.Context, db *evidence.DB, probes []Probe) (map[Probe]Around, error) {
	out := make(map[Probe]Around, len(probes))
	if t := db.Table("messages"); t == nil || len(probes) == 0 {
		return out, nil
	}
	const q = `SELECT p.key,
		(SELECT max(m.timestamp) FROM messages m WHERE m.session_id = p.value ->> 0 AND m.timestamp <= p.value ->> 1 AND m.timestamp >= 1),
		(SELECT min(m.timestamp) FROM messages m WHERE m.session_id = p.value ->> 0 AND m.timestamp > p.value ->> 1 AND m.timestamp <= 4200000000)
		FROM json_each(?) p`
	for len(probes) > 0 {
		part := probes[:min(batch, len(probes))]
		probes = probes[len(part):]
		args := make([][2]any, len(part))
		for i, p := range part {
			args[i] = [2]any{f.Sessions[p.Row].ID, float64(p.At)}
		}
		text, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("spell the probes: %w", err)
		}
		err = db.Query(ctx, q, []any{string(text)}, func(row []evidence.Value) error {
			out[part[row[0].Int]] = Around{Time(row[1].Number()), Time(row[2].Number())}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read messages around a moment: %w", err)
		}
	}
	return out, nil
}

// Detail is what is read for few rows only: identity that is not compared, and what kinds of messages there are.
type Detail struct {
	Visible     bool // a user or assistant message with active other than 0
	SessionMeta bool // a session_meta message, which only the gateway writes
	LastUser    Time // the newest active user message whose time is trusted; Never = none
	OriginJSON  string
	DisplayName string
}

// Want chooses what Details reads: a message's role costs a look into the table, so nothing is read unasked.
type Want uint8

// What Details can read.
const (
	WantVisible Want = 1 << iota
	WantSessionMeta
	WantLastUser
	WantIdentity // OriginJSON and DisplayName
)

// Details reads some details of some rows in a few statements; what was not wanted stays zero.
func (f *Facts) Details(ctx context.Context, db *evidence.DB, rows []int32, want Want) (map[int32]*Detail, error) {
	out := make(map[int32]*Detail, len(rows))
	q := f.detailQuery(db, want)
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
		err = db.Query(ctx, q, []any{string(text)}, func(v []evidence.Value) error {
			out[part[v[0].Int]] = &Detail{v[1].Int != 0, v[2].Int != 0, Time(v[3].Number()), v[4].String(), v[5].String()}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the details of %d rows: %w", len(part), err)
		}
		for _, i := range part {
			if out[i] == nil {
				return nil, fmt.Errorf("read the details of row %q: it is not there any more", f.Sessions[i].ID)
			}
		}
	}
	return out, nil
}

// detailQuery leaves out what the file's version does not have.
func (f *Facts) detailQuery(db *evidence.DB, want Want) string {
	s, m := db.Table("sessions"), db.Table("messages")
	column := func(name string) string {
		if want&WantIdentity != 0 && s.Has(name) {
			return "s." + name
		}
		return "NULL"
	}
	visible, meta, user := "0", "0", "NULL"
	if m != nil {
		active := ""
		if m.Has("active") {
			active = " AND coalesce(m.active, 1) <> 0"
		}
		of := "FROM messages m WHERE m.session_id = s.id"
		if want&WantVisible != 0 {
			visible = "EXISTS (SELECT 1 " + of + active + " AND m.role IN ('user', 'assistant'))"
		}
		if want&WantSessionMeta != 0 {
			meta = "EXISTS (SELECT 1 " + of + " AND m.role = 'session_meta')"
		}
		if want&WantLastUser != 0 {
			user = "(SELECT max(m.timestamp) " + of + active + " AND m.role = 'user' AND m.timestamp BETWEEN 1 AND 4200000000)"
		}
	}
	return "SELECT r.key, " + visible + ", " + meta + ", " + user + ", " + column("origin_json") + ", " + column("display_name") +
		" FROM json_each(?) r JOIN sessions s ON s." + s.RowID() + " = r.value"
}
