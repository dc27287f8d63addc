package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// BadText is one row whose text is not UTF-8.
type BadText struct {
	Table   string
	Key     string // a session id, a routing key, or "" for a message
	Session string // the session that a message belongs to
	RowID   int64
	Columns []string
}

// Texts is what reading the texts showed.
type Texts struct {
	Bad      []BadText
	Messages map[int32]bool // orphans with a message whose text is not UTF-8
	All      bool           // every message was read, not only the orphans'
}

// ReadTexts looks for text that is not UTF-8 in the session rows, the routing table and the messages of orphans; with
// all, in every message. System prompts are left out: the product reads them through their hash. It completes
// Garbled, on which the resolver's lookups fail.
func (f *Facts) ReadTexts(ctx context.Context, db *evidence.DB, orphans []int32, all bool) (*Texts, error) {
	t := &Texts{Messages: map[int32]bool{}, All: all}
	if err := f.sessionTexts(ctx, db, t); err != nil {
		return nil, fmt.Errorf("read the texts of sessions: %w", err)
	}
	if err := f.routeTexts(ctx, db, t); err != nil {
		return nil, fmt.Errorf("read the texts of gateway_routing: %w", err)
	}
	m := db.Table("messages")
	if m == nil {
		return t, nil
	}
	columns := append([]string{"session_id", "role"}, without(m.Columns, "id", "session_id", "role", "timestamp")...)
	note := func(rowid int64, row []evidence.Value) error {
		if bad := garbled(columns, row); len(bad) > 0 {
			id := row[0].String()
			t.Bad = append(t.Bad, BadText{Table: "messages", Session: id, RowID: rowid, Columns: bad})
			if i, ok := f.byID[id]; ok {
				t.Messages[i] = true
			}
		}
		return nil
	}
	if all {
		if err := db.Rows(ctx, "messages", columns, note); err != nil {
			return nil, fmt.Errorf("read the texts of messages: %w", err)
		}
		return t, nil
	}
	return t, f.orphanTexts(ctx, db, columns, orphans, note)
}

func (f *Facts) sessionTexts(ctx context.Context, db *evidence.DB, t *Texts) error {
	columns := without(db.Table("sessions").Columns, slices.Concat(sessionColumns[:], []string{"system_prompt"})...)
	i := int32(0)
	err := db.Rows(ctx, "sessions", columns, func(rowid int64, row []evidence.Value) error {
		if int(i) >= len(f.Sessions) || f.Sessions[i].RowID != rowid {
			return fmt.Errorf("row %d was not there when the rows were first read", rowid)
		}
		if bad := garbled(columns, row); len(bad) > 0 {
			f.Garbled[i] = append(f.Garbled[i], bad...)
		}
		i++
		return nil
	})
	if err != nil {
		return err
	}
	for i := range f.Sessions {
		if bad := f.Garbled[int32(i)]; len(bad) > 0 {
			t.Bad = append(t.Bad, BadText{Table: "sessions", Key: f.Sessions[i].ID, RowID: f.Sessions[i].RowID, Columns: bad})
		}
	}
	return nil
}

func (f *Facts) routeTexts(ctx context.Context, db *evidence.DB, t *Texts) error {
	table := db.Table("gateway_routing")
	if table == nil {
		return nil
	}
	columns := []string{"session_key", "scope", "entry_json"}
	return db.Rows(ctx, table.Name, columns, func(rowid int64, row []evidence.Value) error {
		if bad := garbled(columns, row); len(bad) > 0 {
			t.Bad = append(t.Bad, BadText{Table: table.Name, Key: row[0].String(), RowID: rowid, Columns: bad})
		}
		return nil
	})
}

func (f *Facts) orphanTexts(ctx context.Context, db *evidence.DB, columns []string, orphans []int32, note func(int64, []evidence.Value) error) error {
	q := "SELECT m.rowid"
	for _, c := range columns {
		q += ", m." + evidence.QuoteName(c)
	}
	q += " FROM json_each(?) r JOIN sessions s ON s.rowid = r.value JOIN messages m ON m.session_id = s.id"
	for len(orphans) > 0 {
		part := orphans[:min(batch, len(orphans))]
		orphans = orphans[len(part):]
		ids := make([]int64, len(part))
		for k, i := range part {
			ids[k] = f.Sessions[i].RowID
		}
		text, err := json.Marshal(ids)
		if err != nil {
			return fmt.Errorf("spell the rows: %w", err)
		}
		if err := db.Query(ctx, q, []any{string(text)}, func(row []evidence.Value) error { return note(row[0].Int, row[1:]) }); err != nil {
			return fmt.Errorf("read the texts of the orphans' messages: %w", err)
		}
	}
	return nil
}

func garbled(columns []string, row []evidence.Value) []string {
	var bad []string
	for c, v := range row {
		if v.Kind == evidence.Text && !utf8.Valid(v.Bytes) {
			bad = append(bad, columns[c])
		}
	}
	return bad
}

func without(columns []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return slices.Contains(names, c) })
}
