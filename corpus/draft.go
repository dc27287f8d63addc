package corpus

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// draft is what becomes a case: rows that are on or off.
type draft struct {
	stores  []*draftStore
	home    bool
	columns map[string]*bool // "table.column"
}

type draftStore struct {
	folder, schema string
	sessions       []*draftRow
	messages       []*draftRow // in the order of their ids
	others         []*draftRow
}

type draftRow struct {
	on      bool
	table   string
	columns []string
	values  []any
	counted bool // of a session: its counter is the number of its messages
	chatty  bool // of a message: rows can count it
}

func (r *draftRow) get(column string) any {
	if i := slices.Index(r.columns, column); i >= 0 {
		return r.values[i]
	}
	return nil
}

// sessionColumns and messageColumns are what a case takes over: what checks read, and nothing that people wrote.
func sessionColumns() []string {
	return []string{"id", "source", "started_at", "session_key", "chat_id", "chat_type", "thread_id", "user_id", "origin_json", "profile_name",
		"parent_session_id", "model_config", "last_activity_at", "ended_at", "end_reason", "message_count", "handoff_state", "archived", "expiry_finalized"}
}

func messageColumns() []string {
	return []string{"session_id", "role", "timestamp", "content", "active", "compacted", "_compressed_summary"}
}

// otherTables are small ones with the columns that are read.
func otherTables() map[string][]string {
	return map[string][]string{
		"gateway_routing": {"scope", "session_key", "entry_json", "updated_at"},
		"async_delegations": {"delegation_id", "origin_session", "parent_session_id", "dispatched_at", "completed_at", "updated_at", "state",
			"delivery_state", "event_json"},
		"telegram_dm_topic_bindings": {"chat_id", "thread_id", "session_key", "session_id", "user_id", "updated_at"},
	}
}

func readDraft(ctx context.Context, b *evidence.Bundle) (*draft, error) {
	d := &draft{columns: map[string]*bool{}}
	for _, s := range b.Stores {
		if s.Fault != nil {
			return nil, &CannotReduce{fmt.Sprintf("%s cannot be read: %v", s.Name, s.Fault)}
		}
		st := &draftStore{folder: strings.Trim(strings.TrimSuffix(s.Name, "state.db"), "/")}
		if len(b.Stores) == 1 {
			st.folder = ""
		}
		d.home = d.home || s.Home != nil
		if err := st.read(ctx, s.DB); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.Name, err)
		}
		d.stores = append(d.stores, st)
	}
	if len(d.stores) == 0 {
		return nil, &CannotReduce{"there is no database: a case is made of rows"}
	}
	for _, st := range d.stores {
		for _, list := range [][]*draftRow{st.sessions, st.messages, st.others} {
			for _, r := range list {
				for _, c := range r.columns {
					if d.columns[r.table+"."+c] == nil {
						on := true
						d.columns[r.table+"."+c] = &on
					}
				}
			}
		}
	}
	return d, nil
}

func (st *draftStore) read(ctx context.Context, db *evidence.DB) error {
	version := 0
	if t := db.Table("schema_version"); t != nil && t.Has("version") {
		err := db.Query(ctx, "SELECT version FROM schema_version", nil, func(row []evidence.Value) error {
			version = max(version, int(row[0].Int))
			return nil
		})
		if err != nil {
			return err
		}
	}
	st.schema = nearestSchema(version)
	texts := map[string]string{}
	take := func(table string, columns []string, to *[]*draftRow) error {
		t := db.Table(table)
		if t == nil {
			return nil
		}
		own := columns
		if table != "messages" { // a text that is not UTF-8 counts wherever it is
			columns = slices.Concat(columns, slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool { return slices.Contains(own, c) }))
		}
		columns = slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return !t.Has(c) || !build.HasColumn(st.schema, table, c) })
		if len(columns) == 0 {
			return nil
		}
		return db.Rows(ctx, table, columns, func(_ int64, row []evidence.Value) error {
			r := &draftRow{on: true, table: table}
			for i, v := range row {
				if !slices.Contains(own, columns[i]) {
					if v.Kind == evidence.Text && !utf8.Valid(v.Bytes) {
						r.columns, r.values = append(r.columns, columns[i]), append(r.values, "\xff")
					}
					continue
				}
				if x, keep := plain(columns[i], v, texts); keep {
					r.columns, r.values = append(r.columns, columns[i]), append(r.values, x)
				}
			}
			*to = append(*to, r)
			return ctx.Err()
		})
	}
	if err := take("sessions", sessionColumns(), &st.sessions); err != nil {
		return err
	}
	if err := take("messages", messageColumns(), &st.messages); err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(otherTables())) {
		if err := take(table, otherTables()[table], &st.others); err != nil {
			return err
		}
	}
	st.tally()
	return nil
}

// tally notes which counters follow from the messages, and which messages rows can spell.
func (st *draftStore) tally() {
	count := map[any]int64{}
	for _, m := range st.messages {
		if id, ok := m.get("session_id").(string); ok {
			count[id]++
		}
	}
	for _, s := range st.sessions {
		n, ok := s.get("message_count").(int64)
		id, isText := s.get("id").(string)
		s.counted = ok && isText && n == count[id]
	}
	for _, m := range st.messages {
		role, isText := m.get("role").(string)
		_, hasID := m.get("session_id").(string)
		at := m.get("timestamp")
		_, isInt := at.(int64)
		_, isFloat := at.(float64)
		m.chatty = isText && role != "" && !strings.ContainsAny(role, ", \t\n\"'") && hasID && (isInt || isFloat)
	}
}

// nearestSchema is the version that can be built: the same, else the next older one.
func nearestSchema(version int) string {
	best, number := Versions()[0], 0
	for _, name := range Versions() {
		n, err := strconv.Atoi(strings.TrimRight(name, "b"))
		if err == nil && n <= version && n >= number && (n != number || name == best) {
			best, number = name, n
		}
	}
	return best
}

// plain is a cell as a case has it; keep is false for what is left out. A text of a message becomes another one, the same
// for the same; of JSON what is read stays.
func plain(column string, v evidence.Value, texts map[string]string) (x any, keep bool) {
	switch v.Kind {
	case evidence.Null:
		return nil, slices.Contains([]string{"session_id", "id", "content", "message_count"}, column)
	case evidence.Int:
		return v.Int, true
	case evidence.Float:
		return v.Float, true
	}
	s := string(v.Bytes)
	switch column {
	case "content":
		if s == "" {
			return "", true
		}
		if _, ok := texts[s]; !ok {
			texts[s] = fmt.Sprintf("text %d", len(texts)+1)
			if !utf8.ValidString(s) {
				texts[s] += "\xff"
			}
		}
		return texts[s], true
	case "model_config":
		return onlyMembers(s, func(name string) bool { return strings.HasPrefix(name, "_") }), true
	case "origin_json", "event_json":
		return onlyMembers(s, originMember), true
	case "entry_json":
		return onlyMembers(s, func(name string) bool {
			return originMember(name) || slices.Contains([]string{"session_key", "session_id", "created_at", "updated_at", "origin", "suspended", "resume_pending",
				"last_resume_marked_at", "active_turn_started_at", "prev_session_id"}, name)
		}), true
	}
	if v.Kind == evidence.Blob {
		return bytes.Clone(v.Bytes), true
	}
	return s, true
}

func originMember(name string) bool {
	return slices.Contains([]string{"platform", "chat_id", "chat_type", "user_id", "thread_id", "scope_id", "guild_id", "profile", "user_id_alt", "prospective_thread_id"}, name)
}

// onlyMembers keeps the members of a JSON object that are read, and of an object in it the same. What is not JSON stays broken.
func onlyMembers(s string, keep func(string) bool) string {
	if s = strings.TrimSpace(s); s == "" || s == "null" || s == "true" || s == "false" {
		return s
	}
	var doc map[string]json.RawMessage
	if json.Unmarshal([]byte(s), &doc) != nil || doc == nil {
		if json.Valid([]byte(s)) {
			return "[]"
		}
		return "{"
	}
	for name, v := range doc {
		switch {
		case !keep(name):
			delete(doc, name)
		case bytes.HasPrefix(v, []byte("{")):
			doc[name] = json.RawMessage(onlyMembers(string(v), originMember))
		}
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return "{}"
	}
	return string(out)
}

func (d *draft) clone() *draft {
	out := &draft{home: d.home, columns: map[string]*bool{}}
	for name, on := range d.columns {
		v := *on
		out.columns[name] = &v
	}
	copied := func(list []*draftRow) []*draftRow {
		all := make([]*draftRow, len(list))
		for i, r := range list {
			c := *r
			all[i] = &c
		}
		return all
	}
	for _, st := range d.stores {
		out.stores = append(out.stores, &draftStore{folder: st.folder, schema: st.schema, sessions: copied(st.sessions), messages: copied(st.messages), others: copied(st.others)})
	}
	return out
}

// onlyNear switches off the sessions that no finding names, that are not of a chat which one names, and that are neither
// parent nor child of one.
func (d *draft) onlyNear(near map[string]bool) {
	is := func(v any) bool { s, ok := v.(string); return ok && near[s] }
	wanted := map[any]bool{}
	for _, st := range d.stores {
		for _, s := range st.sessions {
			if is(s.get("id")) || is(s.get("session_key")) || is(s.get("parent_session_id")) {
				wanted[s.get("id")] = true
				if p := s.get("parent_session_id"); p != nil {
					wanted[p] = true
				}
			}
		}
	}
	for _, st := range d.stores {
		for _, s := range st.sessions {
			s.on = wanted[s.get("id")]
		}
	}
}

// thin leaves few messages to each session: the first and last three by order, and those of the earliest and latest time.
func (d *draft) thin() {
	for _, st := range d.stores {
		of := map[any][]*draftRow{}
		for _, m := range st.messages {
			of[m.get("session_id")] = append(of[m.get("session_id")], m)
		}
		for _, list := range of {
			if len(list) <= 8 {
				continue
			}
			byTime := slices.Clone(list)
			slices.SortStableFunc(byTime, func(a, b *draftRow) int { return cmp.Compare(seconds(a), seconds(b)) })
			for _, m := range list {
				m.on = false
			}
			for _, m := range slices.Concat(list[:3], list[len(list)-3:], byTime[:1], byTime[len(byTime)-1:]) {
				m.on = true
			}
		}
	}
}

func seconds(m *draftRow) float64 {
	switch v := m.get("timestamp").(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}
