package build

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// largeWriter inserts the rows of a large store.
type largeWriter struct {
	script
	rnd      *rand.Rand
	prose    *prose
	unit     float64 // bytes
	prompts  []string
	sessions *sql.Stmt
	usage    *sql.Stmt
	messages *sql.Stmt
	written  int
}

const (
	sessionFields = "id, source, user_id, session_key, chat_id, chat_type, thread_id, display_name, origin_json, model, model_config, " +
		"system_prompt_hash, parent_session_id, started_at, ended_at, end_reason, message_count, tool_call_count, input_tokens, " +
		"output_tokens, cwd, billing_provider, title, last_activity_at, api_call_count"
	usageFields   = "session_id, model, billing_provider, api_call_count, input_tokens, output_tokens, first_seen, last_seen"
	messageFields = "session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason, reasoning, platform_message_id"
	model         = "hermes-4"
	scope         = "/home/u/.hermes/sessions"
)

// event is the insertion of a session (n < 0) or of its message number n.
type event struct {
	at   float64
	talk int32
	n    int32
}

// write inserts everything in the order of time.
func (w *largeWriter) write(ctx context.Context, p *population) error {
	if err := w.prepare(ctx); err != nil {
		return err
	}
	var events []event
	for i, t := range p.talks {
		events = append(events, event{t.start, int32(i), -1})
		for n := range t.messages {
			events = append(events, event{t.start + 1 + t.length*float64(n+1)/float64(t.messages+1), int32(i), int32(n)})
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.talk, b.talk), cmp.Compare(a.n, b.n))
	})
	// The driver starts a goroutine for each statement whose context can end.
	each := context.WithoutCancel(ctx)
	for _, e := range events {
		var err error
		if t := p.talks[e.talk]; e.n < 0 {
			err = w.session(each, t, int(e.talk))
		} else {
			err = w.message(each, t, e)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return w.routes(ctx, p)
}

func (w *largeWriter) prepare(ctx context.Context) error {
	for range 24 {
		hash := fmt.Sprintf("%016x%016x%016x%016x", w.rnd.Uint64(), w.rnd.Uint64(), w.rnd.Uint64(), w.rnd.Uint64())
		w.prompts = append(w.prompts, hash)
		if _, err := w.conn.ExecContext(ctx, "INSERT INTO system_prompts VALUES (?, ?)", hash, w.prose.cut(20_000)); err != nil {
			return fmt.Errorf("insert into system_prompts: %w", err)
		}
	}
	for _, s := range []struct {
		to            **sql.Stmt
		table, fields string
	}{{&w.sessions, "sessions", sessionFields}, {&w.usage, "session_model_usage", usageFields}, {&w.messages, "messages", messageFields}} {
		marks := strings.Repeat(", ?", 1+strings.Count(s.fields, ","))[2:]
		made, err := w.conn.PrepareContext(ctx, "INSERT INTO "+s.table+" ("+s.fields+") VALUES ("+marks+")")
		if err != nil {
			return fmt.Errorf("prepare insert into %s: %w", s.table, err)
		}
		*s.to = made
	}
	return nil
}

// close ends the statements.
func (w *largeWriter) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{w.sessions, w.usage, w.messages} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// blank is NULL for an empty text.
func blank(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (w *largeWriter) session(ctx context.Context, t *talk, i int) error {
	c := t.peer
	origin := any(nil)
	if c == nil {
		c = &peer{user: t.user}
	} else {
		origin = c.origin()
	}
	config := `{"max_iterations": 90, "reasoning_config": {"enabled": true, "effort": "medium"}, "max_tokens": null, ` +
		`"toolsets": ["web", "terminal", "file", "memory", "skills"]`
	if t.marker != "" {
		config += `, "` + t.marker + `": "` + t.parent.id + `"`
	}
	parent, ended, active, title := any(nil), any(nil), any(nil), any(nil)
	if t.parent != nil {
		parent = t.parent.id
	}
	if t.reason != "" {
		ended = t.end() + 5
	}
	if w.rnd.Float64() < 0.65 {
		active = t.end() - 50 + 70*w.rnd.Float64()
	}
	if w.rnd.Float64() < 0.6 {
		title = fmt.Sprintf("Talk %d %s", i, w.prose.cut(20))
	}
	n := t.messages
	_, err := w.sessions.ExecContext(ctx, t.id, t.source, blank(c.user), blank(c.key), blank(c.chat), blank(c.kind), blank(c.thread), blank(c.name),
		origin, model, config+"}", w.prompts[i%len(w.prompts)], parent, t.start, ended, blank(t.reason), n, n/3, 900*n, 150*n,
		fmt.Sprintf("/home/u/project%d", i%40), "openrouter", title, active, n/2)
	if err != nil {
		return fmt.Errorf("insert session %q: %w", t.id, err)
	}
	if _, err := w.usage.ExecContext(ctx, t.id, model, "openrouter", n/2, 900*n, 150*n, t.start, t.end()); err != nil {
		return fmt.Errorf("insert usage of %q: %w", t.id, err)
	}
	return nil
}

func (c *peer) origin() string {
	thread := "null"
	if c.thread != "" {
		thread = `"` + c.thread + `"`
	}
	return fmt.Sprintf(`{"platform": %q, "chat_id": %q, "chat_type": %q, "user_id": %q, "user_name": %q, "thread_id": %s, "chat_name": "chat %s"}`,
		c.platform, c.chat, c.kind, c.user, c.name, thread, c.chat)
}

// message inserts one step of a turn: a question, a call of a tool, its output, and the answer. A gateway leaves one row
// session_meta behind the first turn.
func (w *largeWriter) message(ctx context.Context, t *talk, e event) error {
	w.written++
	// The lengths of texts are skewed: many short, few long.
	text := func(share float64) string { return w.prose.cut(8 + int(w.unit*share*(w.rnd.ExpFloat64()+0.05))) }
	call := fmt.Sprintf("call_%016x%08x", w.rnd.Uint64(), w.rnd.Uint32())
	var role string
	var content, callID, calls, tool, tokens, finish, reasoning, platformID any
	switch {
	case t.peer != nil && e.n == 4:
		role = "session_meta"
	case e.n%4 == 0:
		role, content = "user", text(0.5)
		if t.peer != nil {
			platformID = fmt.Sprint(90_000 + w.written)
		}
	case e.n%4 == 1:
		role, content, tokens, finish, reasoning = "assistant", "", 40, "tool_calls", text(0.6)
		calls = `[{"id": "` + call + `", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\": \"` + w.prose.cut(40) + `\"}"}}]`
	case e.n%4 == 2:
		role, callID, tool = "tool", call, "terminal"
		content = `{"output": "` + text(3) + `", "exit_code": 0}`
	default:
		role, content, tokens, finish = "assistant", text(1), 200, "stop"
	}
	if _, err := w.messages.ExecContext(ctx, t.id, role, content, callID, calls, tool, e.at, tokens, finish, reasoning, platformID); err != nil {
		return fmt.Errorf("insert message %d: %w", w.written, err)
	}
	return nil
}

// routes gives each chat the entry that its newest row would have.
func (w *largeWriter) routes(ctx context.Context, p *population) error {
	newest := map[*peer]*talk{}
	for _, t := range p.talks {
		if t.peer != nil {
			newest[t.peer] = t
		}
	}
	for _, c := range p.peers {
		t := newest[c]
		if t == nil {
			continue
		}
		local := time.Unix(int64(t.start), 0).UTC().Format("2006-01-02T15:04:05")
		entry := fmt.Sprintf(`{"session_id": %q, "session_key": %q, "created_at": %q, "updated_at": %[3]q, "platform": %[4]q, "chat_type": %[5]q, "origin": %[6]s}`,
			t.id, c.key, local, c.platform, c.kind, c.origin())
		const insert = "INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, ?)"
		if _, err := w.conn.ExecContext(ctx, insert, scope, c.key, entry, t.start); err != nil {
			return fmt.Errorf("insert route of %q: %w", c.key, err)
		}
	}
	return nil
}
