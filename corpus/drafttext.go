package corpus

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/rows"
)

// live says that a message is on, and the session that it names is not off.
func (st *draftStore) live() (messages []*draftRow) {
	off := map[any]bool{}
	for _, s := range st.sessions {
		if !s.on {
			off[s.get("id")] = true
		}
	}
	for _, m := range st.messages {
		if m.on && !off[m.get("session_id")] {
			messages = append(messages, m)
		}
	}
	return messages
}

// rows counts what the case would have.
func (d *draft) rows() int {
	sessions, messages := d.count()
	for _, st := range d.stores {
		for _, r := range st.others {
			if r.on {
				sessions++
			}
		}
	}
	return sessions + messages
}

func (d *draft) count() (sessions, messages int) {
	for _, st := range d.stores {
		for _, s := range st.sessions {
			if s.on {
				sessions++
			}
		}
		messages += len(st.live())
	}
	return sessions, messages
}

// The units of shrink: switches of sessions (with their messages), other rows, messages, and columns of a table.

func (d *draft) sessionUnits() (units []*bool) {
	for _, st := range d.stores {
		units = append(units, switches(st.sessions)...)
	}
	return units
}

func (d *draft) otherUnits() (units []*bool) {
	for _, st := range d.stores {
		units = append(units, switches(st.others)...)
	}
	return units
}

func (d *draft) messageUnits() (units []*bool) {
	for _, st := range d.stores {
		units = append(units, switches(st.live())...)
	}
	return units
}

func (d *draft) columnUnits() (units []*bool) {
	needed := []string{"sessions.id", "sessions.source", "sessions.started_at", "messages.session_id", "messages.role", "messages.timestamp"}
	for _, name := range slices.Sorted(maps.Keys(d.columns)) {
		if !slices.Contains(needed, name) && *d.columns[name] {
			units = append(units, d.columns[name])
		}
	}
	return units
}

func switches(list []*draftRow) (units []*bool) {
	for _, r := range list {
		if r.on {
			units = append(units, &r.on)
		}
	}
	return units
}

// files are the sections of the case but for what it wants.
func (d *draft) files() (files []txtar.File) {
	for _, st := range d.stores {
		files = append(files, txtar.File{Name: path.Join(st.folder, "rows.txt"), Data: []byte(d.text(st))})
	}
	return files
}

// short are the names that rows.txt has for columns.
func short(column string) string {
	name, ok := map[string]string{"session_key": "key", "user_id": "user", "last_activity_at": "last", "ended_at": "ended", "end_reason": "reason",
		"parent_session_id": "parent", "model_config": "config", "origin_json": "origin", "started_at": "start"}[column]
	if ok {
		return name
	}
	return column
}

func (d *draft) text(st *draftStore) string {
	var b strings.Builder
	names := map[any]string{}
	on := func(r *draftRow, column string) bool { return *d.columns[r.table+"."+column] }
	loose := map[any]bool{} // sessions with messages that rows cannot count
	for _, m := range st.live() {
		if !m.chatty {
			loose[m.get("session_id")] = true
		}
	}
	for _, s := range st.sessions {
		if !s.on {
			continue
		}
		name := fmt.Sprintf("s%d", len(names)+1)
		names[s.get("id")] = name
		fmt.Fprintf(&b, "session %s", name)
		for i, c := range s.columns {
			if !on(s, c) || c == "message_count" && s.counted && !loose[s.get("id")] {
				continue
			}
			fmt.Fprintf(&b, " %s=%s", short(c), rows.Word(s.values[i]))
		}
		b.WriteByte('\n')
	}
	for _, m := range st.live() {
		id := m.get("session_id")
		name, known := names[id]
		if !m.chatty {
			b.WriteString("row messages")
			for i, c := range m.columns {
				if on(m, c) {
					fmt.Fprintf(&b, " %s=%s", c, rows.Word(m.values[i]))
				}
			}
			b.WriteByte('\n')
			continue
		}
		if !known {
			name = rows.Word(id)
			if text, ok := id.(string); ok && name == text {
				name = strconv.Quote(text) // no name of a session above
			}
		}
		fmt.Fprintf(&b, "messages %s 1 %s roles=%s", name, rows.Word(m.get("timestamp")), m.get("role"))
		for i, c := range m.columns {
			if c != "session_id" && c != "role" && c != "timestamp" && on(m, c) {
				fmt.Fprintf(&b, " %s=%s", c, rows.Word(m.values[i]))
			}
		}
		b.WriteByte('\n')
	}
	for _, r := range st.others {
		if !r.on {
			continue
		}
		fmt.Fprintf(&b, "row %s", r.table)
		for i, c := range r.columns {
			fmt.Fprintf(&b, " %s=%s", c, rows.Word(r.values[i]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
