package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// hearCopies looks the rows up in older copies of the database, where they may still have had their key, and in the
// copies' routing tables; of lacking, which no row of the file has, it finds the copies that have one.
func (f *Facts) hearCopies(ctx context.Context, own *evidence.Store, asked map[string]bool, lacking []string) error {
	h := &f.Heard
	ids := make([]string, 0, len(asked))
	for id := range asked {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	read, err := own.Home.EachCopy(ctx, func(s *evidence.Store) error {
		err := f.keyedCopies(ctx, s, own, ids)
		if err == nil {
			err = f.oldRoutes(ctx, s, asked)
		}
		if err == nil {
			err = f.heldBy(ctx, s, lacking)
		}
		if err != nil && ctx.Err() == nil {
			h.Limited = true // what it would have said may contradict the rest
			h.Notes = append(h.Notes, fmt.Sprintf("the copy %s was not read to its end: %v", s.Name, err))
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	h.Notes, h.Limited = append(h.Notes, read.Notes...), h.Limited || read.Limited
	return nil
}

// keyedCopies finds the rows that have a key in a copy. A repair may have guessed that key: a copy that is not older than
// the file is passed over, and so is a row with a sign of repair, which here is its lineage that the file lacks, or a row
// of its chat that was ended by a repair.
func (f *Facts) keyedCopies(ctx context.Context, s, own *evidence.Store, ids []string) error {
	t := s.DB.Table("sessions")
	if t == nil || !t.Has("session_key") || !t.Has("id") {
		return nil
	}
	column := func(name string) string {
		if t.Has(name) {
			return "s." + name
		}
		return "NULL"
	}
	repaired := "0"
	if t.Has("end_reason") {
		repaired = "EXISTS (SELECT 1 FROM sessions p WHERE p.session_key = s.session_key AND p.end_reason = 'superseded_by_repair')"
	}
	q := "SELECT s.id, s.session_key, " + column("parent_session_id") + ", " + column("model_config") + ", " + repaired +
		" FROM json_each(?) r JOIN sessions s ON s.id = r.value WHERE s.session_key <> ''"
	later, err := asNew(ctx, s, own)
	if err != nil {
		return err
	}
	guessed := 0
	for part := range slices.Chunk(ids, batch) {
		text, err := json.Marshal(part)
		if err != nil {
			return fmt.Errorf("spell the ids: %w", err)
		}
		err = s.DB.Query(ctx, q, []any{string(text)}, func(v []evidence.Value) error {
			id, key := v[0].String(), v[1].String()
			i, _ := f.byID.find(id) // it was asked for
			row := &f.Sessions[i]
			lineage := row.ParentID == "" && v[2].String() != "" || row.Blank && v[3].String() != ""
			if later || lineage || v[4].Int != 0 {
				guessed++
				return nil
			}
			f.Heard.copies[id] = append(f.Heard.copies[id], Witness{
				Key: key, At: evidence.Ref{Path: s.Name, Key: "sessions[" + id + "].session_key"}, Saw: "session_key " + key + " in an older copy of this row",
				How: showRow(s.Name, "SELECT session_key FROM sessions WHERE id = "+evidence.Quote(id)),
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	if guessed > 0 {
		f.Heard.Notes = append(f.Heard.Notes, fmt.Sprintf("the copy %s has keys where the file has none (%d), but it is not older, or a repair made them: they are no evidence", s.Name, guessed))
	}
	return nil
}

// lacking lists the sessions that the logs or a routing entry name and that no row of the file has, each once.
func (f *Facts) lacking() []string {
	var out []string
	for k := range f.Heard.Unknown {
		out = append(out, f.Heard.Unknown[k].Session)
	}
	for _, list := range [][]Route{f.Routes.Table, f.Routes.File} {
		for k := range list {
			id := list[k].SessionID
			if _, ok := f.byID.find(id); !ok && id != "" {
				out = append(out, id)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// heldBy finds the rows of sessions that the file lacks.
func (f *Facts) heldBy(ctx context.Context, s *evidence.Store, lacking []string) error {
	if t := s.DB.Table("sessions"); t == nil || !t.Has("id") {
		return nil
	}
	for part := range slices.Chunk(lacking, batch) {
		text, err := json.Marshal(part)
		if err != nil {
			return fmt.Errorf("spell the ids: %w", err)
		}
		err = s.DB.Query(ctx, "SELECT s.id FROM json_each(?) r JOIN sessions s ON s.id = r.value", []any{string(text)}, func(v []evidence.Value) error {
			if id := v[0].String(); f.Heard.Held[id] == "" { // the latest copy comes first
				f.Heard.Held[id] = s.Name
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// asNew says that a copy which people made holds the same newest message as the file: it is no older state of it. The
// copies that the product itself makes come from before any repair.
func asNew(ctx context.Context, s, own *evidence.Store) (bool, error) {
	base := path.Base(s.Name)
	if strings.Contains(s.Name, "state-snapshots/") || strings.HasPrefix(base, "state.db.malformed-backup-") || strings.Contains(s.Name, "state.db.retired-wal-") {
		return false, nil
	}
	var newest [2]int64
	for k, store := range []*evidence.Store{s, own} {
		if t := store.DB.Table("messages"); t == nil || !t.Has("id") {
			return false, nil
		}
		err := store.DB.Query(ctx, "SELECT max(id) FROM messages", nil, func(v []evidence.Value) error {
			newest[k] = v[0].Int
			return nil
		})
		if err != nil {
			return false, fmt.Errorf("read the newest message: %w", err)
		}
	}
	return newest[0] >= newest[1], nil
}

// oldRoutes takes the entries of a copy's routing table that name one of the sessions.
func (f *Facts) oldRoutes(ctx context.Context, s *evidence.Store, asked map[string]bool) error {
	t := s.DB.Table("gateway_routing")
	if t == nil || !t.Has("session_key") || !t.Has("entry_json") {
		return nil
	}
	return s.DB.Rows(ctx, "gateway_routing", []string{"session_key", "entry_json"}, func(_ int64, v []evidence.Value) error {
		r := f.parseRoute(v[0].String(), []byte(v[1].String()))
		for _, named := range []struct{ field, id string }{{"session_id", r.SessionID}, {"prev_session_id", r.Previous}} {
			if asked[named.id] && r.Key != "" {
				f.Heard.copies[named.id] = append(f.Heard.copies[named.id], Witness{
					Key: r.Key, At: evidence.Ref{Path: s.Name, Key: "gateway_routing[" + r.Key + "].entry_json"},
					Saw: named.field + " " + named.id + " in an older routing table",
					How: showRow(s.Name, "SELECT entry_json FROM gateway_routing WHERE session_key = "+evidence.Quote(r.Key)),
				})
			}
		}
		return nil
	})
}

// showRow is the command that asks a copy one question.
func showRow(path, query string) string {
	return "sqlite3 -readonly " + evidence.ShellQuote(path) + " " + evidence.ShellQuote(query)
}

// SeekInCopies finds the older copies that have a row of one of the sessions, as Held tells afterwards. A copy that cannot be read
// is no error: Hear has told it, or will.
func (f *Facts) SeekInCopies(ctx context.Context, store *evidence.Store, ids []string) error {
	if store.Home == nil || len(ids) == 0 {
		return nil
	}
	_, err := store.Home.EachCopy(ctx, func(s *evidence.Store) error {
		if err := f.heldBy(ctx, s, ids); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for sessions in older copies: %w", err)
	}
	return nil
}
