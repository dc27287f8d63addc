package ddl

import "strings"

// object is an index, a view, a trigger or a virtual table of one statement.
type object struct {
	span
	sql string
}

func index(since level, name, on string) object {
	return object{span{since: since}, "CREATE INDEX " + name + " ON " + on}
}

// indexes lists the indexes and the triggers that stand among them, in the order of a fresh file.
func indexes() []object {
	list := []object{
		index(0, "idx_sessions_source", "sessions(source)"),
		index(150, "idx_sessions_source_id", "sessions(source, id)"),
		index(0, "idx_sessions_parent", "sessions(parent_session_id)"),
		index(0, "idx_sessions_started", "sessions(started_at DESC)"),
		index(0, "idx_messages_session", "messages(session_id, timestamp)"),
		index(250, "idx_messages_session_id", "messages(session_id, id)"),
		index(250, "idx_messages_assistant_calls_by_session",
			"messages(session_id) WHERE role = 'assistant' AND tool_calls IS NOT NULL"),
		index(140, "idx_compression_locks_expires", "compression_locks(expires_at)"),
		index(260, "idx_session_turn_leases_expires", "session_turn_leases(expires_at)"),
		index(220, "idx_session_model_usage_session", "session_model_usage(session_id)"),
		index(220, "idx_session_model_usage_model", "session_model_usage(model)"),
		index(220, "idx_async_delegations_delivery", "async_delegations(delivery_state, completed_at)"),
		index(120, "idx_messages_platform_msg_id",
			"messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL"),
		index(150, "idx_messages_session_active", "messages(session_id, active, timestamp)"),
		index(310, "idx_messages_display_page",
			"messages(session_id, display_order, active DESC, id DESC) WHERE active = 1 OR compacted = 1"),
		index(310, "idx_messages_display_backfill",
			"messages(session_id) WHERE (display_order IS NULL OR display_identity IS NULL) AND (active = 1 OR compacted = 1)"),
		index(310, "idx_messages_display_identity",
			"messages(session_id, display_identity, display_order) WHERE display_identity IS NOT NULL AND (active = 1 OR compacted = 1)"),
	}
	list = append(list, displayTriggers()...)
	return append(list,
		index(220, "idx_messages_active_null", "messages(active) WHERE active IS NULL"),
		index(310, "idx_messages_session_uid", "messages(session_id, message_uid) WHERE active = 1"),
		index(170, "idx_sessions_session_key", "sessions(session_key, started_at DESC)"),
		index(170, "idx_sessions_gateway_peer",
			"sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC)"),
		index(171, "idx_sessions_handoff_state", "sessions(handoff_state, started_at)"),
		index(250, "idx_sessions_system_prompt_hash", "sessions(system_prompt_hash)"),
		index(310, "idx_sessions_tool_names", "sessions(tool_names)"),
		index(310, "idx_sessions_effective_activity",
			"sessions(COALESCE(last_activity_at, started_at) DESC, started_at DESC)"),
		object{span{since: 40}, "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL"},
	)
}

// displayTriggers keep uid, display_order and display_identity of the messages in step. Rows that show the same
// thing (equal display_identity in one session) share the order of the earliest of them.
func displayTriggers() []object {
	trigger := func(name, event, body string) object {
		body = strings.NewReplacer(
			"$EARLIEST", `(SELECT p.display_order FROM messages AS p
    WHERE p.session_id = new.session_id AND p.id <> new.id AND (p.active = 1 OR p.compacted = 1)
      AND p.display_identity = new.display_identity AND p.display_order IS NOT NULL
    ORDER BY p.display_order LIMIT 1)`,
			"$LEFT", `(SELECT MIN(p.id) FROM messages AS p
    WHERE p.session_id = old.session_id AND (p.active = 1 OR p.compacted = 1)
      AND p.display_identity = old.display_identity)
  WHERE session_id = old.session_id AND (active = 1 OR compacted = 1) AND display_identity = old.display_identity`,
		).Replace(body)
		return object{span{since: 310}, "CREATE TRIGGER " + name + " AFTER " + event + "\nBEGIN\n  " + body + ";\nEND"}
	}
	return []object{
		trigger("messages_message_uid_insert", "INSERT ON messages WHEN new.message_uid IS NULL",
			"UPDATE messages SET message_uid = lower(hex(randomblob(16))) WHERE id = new.id"),
		trigger("messages_display_order_insert", "INSERT ON messages WHEN new.display_order IS NULL",
			"UPDATE messages SET display_order = COALESCE($EARLIEST, new.id) WHERE id = new.id"),
		trigger("messages_display_visibility_update",
			`UPDATE OF active, compacted ON messages
WHEN (new.active = 1 OR new.compacted = 1) <> (old.active = 1 OR old.compacted = 1)`,
			`UPDATE messages SET display_order = MIN(new.id, COALESCE($EARLIEST, new.id))
  WHERE id = new.id AND (new.active = 1 OR new.compacted = 1);
  UPDATE messages SET display_order = (SELECT p.display_order FROM messages AS p WHERE p.id = new.id)
  WHERE session_id = new.session_id AND id <> new.id AND (active = 1 OR compacted = 1)
    AND display_identity = new.display_identity AND (new.active = 1 OR new.compacted = 1);
  UPDATE messages SET display_order = $LEFT AND NOT (new.active = 1 OR new.compacted = 1)`),
		trigger("messages_display_identity_update",
			`UPDATE OF role, content, timestamp, tool_call_id, tool_calls, tool_name, display_kind ON messages
WHEN new.role IS NOT old.role OR new.content IS NOT old.content OR new.timestamp IS NOT old.timestamp
  OR new.tool_call_id IS NOT old.tool_call_id OR new.tool_calls IS NOT old.tool_calls
  OR new.tool_name IS NOT old.tool_name OR new.display_kind IS NOT old.display_kind`,
			`UPDATE messages SET display_identity = NULL, display_order = NULL
  WHERE id = new.id OR (session_id = old.session_id AND display_identity = old.display_identity
    AND (active = 1 OR compacted = 1))`),
		trigger("messages_display_identity_delete",
			"DELETE ON messages WHEN old.active = 1 OR old.compacted = 1",
			"UPDATE messages SET display_order = $LEFT"),
	}
}
