package facts

import (
	"cmp"
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
// all, in every message. System prompts are left out: the product reads them through their hash. It fills
// Garbled, on which the resolver's lookups fail.
func (f *Facts) ReadTexts(ctx context.Context, db *evidence.DB, orphans []int32, all bool) (*Texts, error) {
	t := &Texts{Messages: map[int32]bool{}, All: all}
	if err := f.sessionTexts(ctx, db, t); err != nil {
		return nil, fmt.Errorf("read the texts of sessions: %w", err)
	}
	if err := f.routeTexts(ctx, db, t); err != nil {
		return nil, err
	}
	m := db.Table("messages")
	if m == nil {
		return t, nil
	}
	if all {
		return t, f.messageTexts(ctx, db, t)
	}
	return t, f.orphanTexts(ctx, db, t, orphans)
}

func (f *Facts) sessionTexts(ctx context.Context, db *evidence.DB, t *Texts) error {
	return db.BadText(ctx, "sessions", []string{"system_prompt"}, func(rowid int64, columns []string) error {
		i, ok := slices.BinarySearchFunc(f.Sessions, rowid, func(s Session, id int64) int { return cmp.Compare(s.RowID, id) })
		if !ok {
			return fmt.Errorf("row %d was not there when the rows were first read", rowid)
		}
		f.Garbled[int32(i)] = columns
		t.Bad = append(t.Bad, BadText{Table: "sessions", Key: f.Sessions[i].ID, RowID: rowid, Columns: columns})
		return nil
	})
}

// messageTexts looks at every message.
func (f *Facts) messageTexts(ctx context.Context, db *evidence.DB, t *Texts) error {
	return eachBad(ctx, db, "messages", "session_id", func(b BadText, session string) { f.noteMessage(t, b, session) })
}

func (f *Facts) routeTexts(ctx context.Context, db *evidence.DB, t *Texts) error {
	if db.Table("gateway_routing") == nil {
		return nil
	}
	return eachBad(ctx, db, "gateway_routing", "session_key", func(b BadText, key string) {
		b.Key = key
		t.Bad = append(t.Bad, b)
	})
}

// eachBad gives the bad rows of a table, each with its cell of one column, which is asked for only there.
func eachBad(ctx context.Context, db *evidence.DB, table, column string, note func(b BadText, cell string)) error {
	var bad []BadText
	err := db.BadText(ctx, table, nil, func(rowid int64, columns []string) error {
		bad = append(bad, BadText{Table: table, RowID: rowid, Columns: columns})
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the texts of %s: %w", table, err)
	}
	q := "SELECT " + evidence.QuoteName(column) + " FROM " + evidence.QuoteName(table) + " WHERE " + db.Table(table).RowID() + " = ?"
	for _, b := range bad {
		err := db.Query(ctx, q, []any{b.RowID}, func(v []evidence.Value) error { note(b, v[0].String()); return nil })
		if err != nil {
			return fmt.Errorf("read row %d of %s: %w", b.RowID, table, err)
		}
	}
	return nil
}

func (f *Facts) noteMessage(t *Texts, b BadText, session string) {
	b.Session = session
	t.Bad = append(t.Bad, b)
	if i, ok := f.byID.find(session); ok {
		t.Messages[i] = true
	}
}

func (f *Facts) orphanTexts(ctx context.Context, db *evidence.DB, t *Texts, orphans []int32) error {
	columns := without(db.Table("messages").Columns, "id", "timestamp")
	note := func(row []evidence.Value) error {
		if bad := garbled(columns, row[2:]); len(bad) > 0 {
			f.noteMessage(t, BadText{Table: "messages", RowID: row[0].Int, Columns: bad}, row[1].String())
		}
		return nil
	}
	m, s := db.Table("messages").RowID(), db.Table("sessions").RowID()
	q := "SELECT m." + m + ", m.session_id"
	for _, c := range columns {
		q += ", m." + evidence.QuoteName(c)
	}
	q += " FROM json_each(?) r JOIN sessions s ON s." + s + " = r.value JOIN messages m ON m.session_id = s.id"
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
		if err := db.Query(ctx, q, []any{string(text)}, note); err != nil {
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
