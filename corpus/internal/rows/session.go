package rows

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// limit bounds the rows of one store, so that a stranger's case cannot fill the memory with one line.
const limit = 1_000_000

type session struct {
	id       any
	row      *build.Row
	start    float64 // epoch seconds; NaN where started_at is no number
	messages int64
}

// count fills message_count where the text leaves it out.
func (s *session) count() {
	for _, c := range s.row.Columns {
		if c == "message_count" {
			return
		}
	}
	set(s.row, "message_count", s.messages)
}

func (p *parser) session(s *statement) error {
	if err := s.shape(1, true); err != nil {
		return err
	}
	name := s.words[0]
	if p.sessions[name] != nil {
		return fmt.Errorf("%s is given twice", name)
	}
	text, given := s.get("id")
	if !given {
		text = name
	}
	id, err := p.value(text, math.NaN())
	if err != nil {
		return err
	}
	made := &session{id: identifier(id, text), row: &build.Row{Table: "sessions"}, start: math.NaN()}
	set(made.row, "id", made.id)
	text, given = s.get("start")
	if !given {
		text = "@0"
	}
	start, err := p.value(text, math.NaN())
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	p.seen(start)
	made.start = epoch(start)
	set(made.row, "started_at", cell(start))
	for _, o := range s.options {
		if o.name == "id" || o.name == "start" {
			continue
		}
		if err := p.column(made, o); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	p.sessions[name] = made
	p.rows = append(p.rows, made.row)
	return nil
}

// identifier keeps an id that is spelled like a number as the text that it is in the file.
func identifier(v any, word string) any {
	switch v.(type) {
	case int64, float64, moment:
		return word
	}
	return cell(v)
}

func epoch(v any) float64 {
	switch v := v.(type) {
	case moment:
		return float64(v)
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return math.NaN()
}

func (p *parser) column(s *session, o option) error {
	if o.name == "chat" {
		parts := strings.Split(o.value, "/")
		if len(parts) < 2 || len(parts) > 3 {
			return fmt.Errorf("%q is not ID/TYPE or ID/TYPE/THREAD", o.value)
		}
		for i, name := range []string{"chat_id", "chat_type", "thread_id"}[:len(parts)] {
			set(s.row, name, parts[i])
		}
		return nil
	}
	long := map[string]string{"key": "session_key", "user": "user_id", "last": "last_activity_at",
		"ended": "ended_at", "reason": "end_reason", "parent": "parent_session_id", "config": "model_config",
		"origin": "origin_json"}[o.name]
	if long == "" {
		long = o.name
	}
	if long == "parent_session_id" && p.sessions[o.value] != nil {
		set(s.row, long, p.sessions[o.value].id)
		return nil
	}
	v, err := p.value(o.value, s.start)
	if err != nil {
		return err
	}
	p.seen(v)
	set(s.row, long, cell(v))
	return nil
}

func (p *parser) messages(s *statement) error {
	if err := s.shape(3, true); err != nil {
		return err
	}
	name := s.words[0]
	in := p.sessions[name]
	if in == nil {
		// A case may hold messages whose session is gone.
		id, err := p.value(name, math.NaN())
		if err != nil {
			return err
		}
		in = &session{id: identifier(id, name), row: &build.Row{}, start: math.NaN()}
		p.sessions[name] = in
	}
	count, err := strconv.Atoi(s.words[1])
	if err != nil || count < 1 || count > limit-len(p.rows) {
		return fmt.Errorf("%q is no number of messages, or they make more than %d rows", s.words[1], limit)
	}
	from, to, err := p.during(s.words[2], in.start)
	if err != nil {
		return err
	}
	roles := []string{"user", "assistant"}
	if text, ok := s.get("roles"); ok {
		roles = strings.Split(text, ",")
	}
	var others []option
	for _, o := range s.options {
		if o.name != "roles" {
			others = append(others, o)
		}
	}
	for i := range count {
		at := from
		if i > 0 {
			at = round(from + (to-from)*float64(i)/float64(count-1))
		}
		if err := p.message(in, name, roles[i%len(roles)], at, others); err != nil {
			return err
		}
	}
	return nil
}

// during reads FROM..TO, or one time for all messages.
func (p *parser) during(text string, start float64) (from, to float64, err error) {
	first, last, two := strings.Cut(text, "..")
	if !two {
		last = first
	}
	var ends [2]float64
	for i, word := range []string{first, last} {
		v, err := p.value(word, start)
		if err != nil {
			return 0, 0, err
		}
		ends[i] = epoch(v)
		if math.IsNaN(ends[i]) {
			return 0, 0, fmt.Errorf("%q is no time", word)
		}
		p.seen(v)
	}
	return ends[0], ends[1], nil
}

func (p *parser) message(in *session, name, role string, at float64, others []option) error {
	in.messages++
	row := &build.Row{Table: "messages"}
	set(row, "session_id", in.id)
	set(row, "role", role)
	set(row, "timestamp", at)
	if role != "session_meta" {
		set(row, "content", fmt.Sprintf("%s %d of %s", role, in.messages, name))
	}
	if p.hasUIDs {
		p.uids++
		set(row, "message_uid", fmt.Sprintf("%032x", p.uids))
	}
	for _, o := range others {
		v, err := p.value(o.value, in.start)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		column := o.name
		if column == "text" {
			column = "content"
		}
		set(row, column, cell(v))
	}
	p.rows = append(p.rows, row)
	return nil
}
