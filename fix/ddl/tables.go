package ddl

import "strings"

type table struct {
	span
	name    string
	columns []column
	tail    []column // constraints, spelled as the end of the definition
}

// column is one column, or in a table's tail one constraint, with the level that brought it.
type column struct {
	since level
	text  string
}

func (c column) name() string { name, _, _ := strings.Cut(c.text, " "); return name }

// create spells the table as a file born at that level has it.
func (t table) create(at level) string {
	var parts []string
	for _, list := range [][]column{t.columns, t.tail} {
		for _, c := range list {
			if at >= c.since {
				parts = append(parts, c.text)
			}
		}
	}
	return "CREATE TABLE " + t.name + " (\n  " + strings.Join(parts, ",\n  ") + "\n)"
}

// missing lists the columns that reconciling a table born at one level adds to reach another, in the order of
// the newer definition; they land at the table's end.
func (t table) missing(born, at level) []column {
	var list []column
	for _, c := range t.columns {
		if c.since > born && c.since <= at {
			list = append(list, c)
		}
	}
	return list
}

func columns(since level, texts ...string) []column {
	var list []column
	for _, text := range texts {
		list = append(list, column{since, text})
	}
	return list
}

// tables lists all tables but the search index, in the order in which a fresh file makes them.
func tables() []table {
	return []table{
		{name: "schema_version", columns: columns(0, "version INTEGER NOT NULL")},
		{name: "system_prompts", span: span{since: 250}, columns: columns(0,
			"hash TEXT PRIMARY KEY", "prompt TEXT NOT NULL")},
		sessionsTable(),
		messagesTable(),
		usageTable(),
		{name: "state_meta", span: span{since: 80}, columns: columns(0, "key TEXT PRIMARY KEY", "value TEXT")},
		{name: "session_working_state", span: span{220, 250}, columns: columns(0,
			"session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE", "state_json TEXT NOT NULL",
			"revision INTEGER NOT NULL DEFAULT 0", "updated_at REAL NOT NULL", "source TEXT")},
		{name: "gateway_routing", span: span{since: 220}, columns: columns(0,
			"scope TEXT NOT NULL DEFAULT ''", "session_key TEXT NOT NULL", "entry_json TEXT NOT NULL",
			"updated_at REAL NOT NULL"), tail: columns(0, "PRIMARY KEY (scope, session_key)")},
		{name: "gateway_hygiene_state", span: span{since: 260}, columns: columns(0,
			"session_key TEXT PRIMARY KEY", "failure_streak INTEGER NOT NULL DEFAULT 0")},
		{name: "conversation_generations", span: span{since: 310}, columns: columns(0,
			"source TEXT NOT NULL", "session_key TEXT NOT NULL", "generation INTEGER NOT NULL DEFAULT 0"),
			tail: columns(0, "PRIMARY KEY (source, session_key)")},
		{name: "gateway_heartbeats", span: span{since: 310}, columns: columns(0,
			"backend_id TEXT PRIMARY KEY", "pid INTEGER NOT NULL", "started_at REAL NOT NULL",
			"last_heartbeat REAL NOT NULL", "profile TEXT NOT NULL DEFAULT ''", "host TEXT NOT NULL DEFAULT ''")},
		{name: "compression_locks", span: span{since: 140}, columns: columns(0,
			"session_id TEXT PRIMARY KEY", "holder TEXT NOT NULL", "acquired_at REAL NOT NULL",
			"expires_at REAL NOT NULL")},
		{name: "session_turn_leases", span: span{since: 260}, columns: columns(0,
			"conversation_id TEXT PRIMARY KEY", "holder TEXT NOT NULL", "acquired_at REAL NOT NULL",
			"expires_at REAL NOT NULL")},
		delegationsTable(),
	}
}

func usageTable() table {
	key := "session_id, model, billing_provider, billing_base_url, billing_mode, task"
	return table{name: "session_model_usage", span: span{since: 220}, columns: columns(0,
		"session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE", "model TEXT NOT NULL",
		"billing_provider TEXT NOT NULL DEFAULT ''", "billing_base_url TEXT NOT NULL DEFAULT ''",
		"billing_mode TEXT NOT NULL DEFAULT ''", "task TEXT NOT NULL DEFAULT ''",
		"api_call_count INTEGER NOT NULL DEFAULT 0", "input_tokens INTEGER NOT NULL DEFAULT 0",
		"output_tokens INTEGER NOT NULL DEFAULT 0", "cache_read_tokens INTEGER NOT NULL DEFAULT 0",
		"cache_write_tokens INTEGER NOT NULL DEFAULT 0", "reasoning_tokens INTEGER NOT NULL DEFAULT 0",
		"estimated_cost_usd REAL NOT NULL DEFAULT 0", "actual_cost_usd REAL NOT NULL DEFAULT 0",
		"cost_status TEXT", "cost_source TEXT", "first_seen REAL", "last_seen REAL"),
		tail: columns(0, "PRIMARY KEY ("+key+")")}
}

func delegationsTable() table {
	list := columns(0,
		"delegation_id TEXT PRIMARY KEY", "origin_session TEXT NOT NULL",
		"origin_ui_session_id TEXT NOT NULL DEFAULT ''", "parent_session_id TEXT", "state TEXT NOT NULL",
		"dispatched_at REAL NOT NULL", "completed_at REAL", "updated_at REAL NOT NULL", "event_json TEXT",
		"result_json TEXT", "delivery_state TEXT NOT NULL DEFAULT 'pending'",
		"delivery_attempts INTEGER NOT NULL DEFAULT 0", "delivered_at REAL", "owner_pid INTEGER",
		"owner_started_at INTEGER", "task_json TEXT", "delivery_claim TEXT", "delivery_claimed_at REAL")
	list = append(list, column{310, "origin_session_id TEXT NOT NULL DEFAULT ''"})
	return table{name: "async_delegations", span: span{since: 220}, columns: list}
}
