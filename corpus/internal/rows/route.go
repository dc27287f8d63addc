package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// scope is the sessions directory of the machine that a case's routing rows come from, unless they say another.
const scope = "/home/u/.hermes/sessions"

type member struct {
	name  string
	value json.RawMessage
}

// object spells JSON with its members in the given order; encoding/json would sort a map.
func object(members []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteString(", ")
		}
		b.Write(spell(m.name))
		b.WriteString(": ")
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// spell is a text as JSON; a text always has a spelling.
func spell(text string) json.RawMessage {
	data, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return data
}

func (p *parser) route(s *statement) error {
	if err := s.shape(2, true); err != nil {
		return err
	}
	e, err := p.entry(s)
	if err != nil {
		return err
	}
	row := &build.Row{Table: "gateway_routing"}
	set(row, "scope", e.scope)
	set(row, "session_key", e.key)
	set(row, "entry_json", e.json)
	set(row, "updated_at", e.updated)
	p.rows = append(p.rows, row)
	return nil
}

func (p *parser) mirrored(s *statement) error {
	if err := s.shape(2, true); err != nil {
		return err
	}
	e, err := p.entry(s)
	if err != nil {
		return err
	}
	key, isText := e.key.(string)
	text, isJSON := e.json.(string)
	if !isText || !isJSON || !json.Valid([]byte(text)) {
		return fmt.Errorf("key and entry must be text and JSON: write a broken file out in full")
	}
	p.mirror = append(p.mirror, member{key, json.RawMessage(text)})
	return nil
}

// routing is one entry of the routing index; its fields are cells.
type routing struct{ scope, key, json, updated any }

func (p *parser) entry(s *statement) (routing, error) {
	key, err := p.value(s.words[0], math.NaN())
	if err != nil {
		return routing{}, err
	}
	to := p.sessions[s.words[1]]
	if to == nil {
		id, err := p.value(s.words[1], math.NaN())
		if err != nil {
			return routing{}, err
		}
		to = &session{id: identifier(id, s.words[1]), row: &build.Row{}, start: math.NaN()}
	}
	e := routing{scope: scope, key: cell(key)}
	w := entryWriter{p: p, to: to}
	if err := w.read(s, &e); err != nil {
		return routing{}, err
	}
	return e, nil
}

// entryWriter gathers the members of one entry.
type entryWriter struct {
	p                *parser
	to               *session
	created, updated any
	own              map[string]json.RawMessage // what the text sets
	order            []string
}

func (w *entryWriter) read(s *statement, e *routing) error {
	w.own = map[string]json.RawMessage{}
	w.created = moment(w.to.start)
	w.updated = w.created
	if last, ok := get(w.to.row, "last_activity_at").(float64); ok {
		w.updated = moment(last)
	}
	for _, o := range s.options {
		v, err := w.p.value(o.value, w.to.start)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		switch o.name {
		case "scope":
			e.scope = cell(v)
		case "entry":
			e.json = cell(v)
		case "created":
			w.created = v
		case "updated":
			w.updated = v
			w.p.seen(v)
		default:
			value, err := w.member(v)
			if err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			w.own[o.name] = value
			w.order = append(w.order, o.name)
		}
	}
	if m, ok := w.updated.(moment); ok && math.IsNaN(float64(m)) {
		return fmt.Errorf("needs updated=: its session has no start")
	}
	e.updated = cell(w.updated)
	if e.json == nil {
		text, err := w.spell(e.key)
		if err != nil {
			return err
		}
		e.json = string(text)
	}
	return nil
}

// member is a value as JSON; a time becomes the naive local time that the product writes.
func (w *entryWriter) member(v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case moment:
		if math.IsNaN(float64(v)) {
			return nil, fmt.Errorf("its session has no start")
		}
		return spell(w.p.env.iso(float64(v))), nil
	case rawJSON:
		return json.RawMessage(v), nil
	case []byte:
		return spell(string(v)), nil
	case string:
		if v == "true" || v == "false" {
			return json.RawMessage(v), nil
		}
	}
	return json.Marshal(v)
}

// spell writes the entry: the members that the product always writes, taken from the session where the text does
// not set them, then the others in the order of the text, then the origin.
func (w *entryWriter) spell(key any) (json.RawMessage, error) {
	text, _ := key.(string)
	platform, kind := "", "dm"
	if parts := strings.Split(text, ":"); len(parts) > 3 {
		platform, kind = parts[2], parts[3]
	}
	if t, ok := get(w.to.row, "chat_type").(string); ok {
		kind = t
	}
	var list []member
	for _, m := range []struct {
		name  string
		value any
	}{{"session_key", key}, {"session_id", w.to.id}, {"created_at", w.created}, {"updated_at", w.updated},
		{"platform", platform}, {"chat_type", kind}} {
		value, err := w.member(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		if own, ok := w.own[m.name]; ok {
			value = own
		}
		list = append(list, member{m.name, value})
	}
	for _, name := range w.order {
		switch name {
		case "session_key", "session_id", "created_at", "updated_at", "platform", "chat_type", "origin":
		default:
			list = append(list, member{name, w.own[name]})
		}
	}
	own, given := w.own["origin"]
	switch {
	case given && string(own) != `"none"`:
		list = append(list, member{"origin", own})
	case !given && get(w.to.row, "chat_id") != nil:
		origin, err := w.origin(platform, kind)
		if err != nil {
			return nil, err
		}
		list = append(list, member{"origin", origin})
	}
	return object(list), nil
}

func (w *entryWriter) origin(platform, kind string) (json.RawMessage, error) {
	column := func(name string) any {
		// Ids are text in an origin, whatever they look like.
		if v := get(w.to.row, name); v != nil {
			return fmt.Sprint(v)
		}
		return nil
	}
	var list []member
	for _, m := range []struct {
		name  string
		value any
	}{{"platform", platform}, {"chat_id", column("chat_id")}, {"chat_name", nil}, {"chat_type", kind},
		{"user_id", column("user_id")}, {"user_name", nil}, {"thread_id", column("thread_id")}, {"chat_topic", nil}} {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("origin: %s: %w", m.name, err)
		}
		list = append(list, member{m.name, value})
	}
	return object(list), nil
}

// sessionsFile is sessions.json as the product writes it.
func sessionsFile(entries []member) []byte {
	all := append([]member{{"_README", spell("The gateway's routing index.")}}, entries...)
	var b bytes.Buffer
	if err := json.Indent(&b, object(all), "", "  "); err != nil {
		return object(all)
	}
	b.WriteByte('\n')
	return b.Bytes()
}
