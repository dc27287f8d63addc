package ddl

import "strings"

// search lists the full text index of a file born at that level: its tables, views and triggers, each trigger
// behind the table that it feeds.
func search(at level) []string {
	switch {
	case at < 110:
		return searchExternal(at)
	case at < 250:
		return searchInline()
	case at < 310:
		return searchGated("messages", "new.content", "old.content", "", searchTrigram{
			columns: []string{"content", "tool_name", "tool_calls"},
			view:    "SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool'"})
	}
	// Tool output is cut to its head, and machine-made sessions stay out of the trigram index.
	head := func(row string) string {
		return "CASE WHEN " + row + "role = 'tool' THEN substr(COALESCE(" + row + "content, ''), 1, 8192) ELSE " + row + "content END"
	}
	person := func(row string) string {
		return row + "source NOT IN ('cron', 'subagent') AND json_extract((CASE WHEN json_valid(" + row +
			"model_config) THEN " + row + "model_config ELSE json_object() END), '$._delegate_from') IS NULL"
	}
	view := "SELECT m.id, m.role, m.content, m.tool_name FROM messages AS m JOIN sessions AS s ON s.id = m.session_id\n" +
		"  WHERE m.role <> 'tool' AND " + person("s.")
	list := []string{"CREATE VIEW messages_fts_src AS\n  SELECT id, " + head("") + " AS content, tool_name, tool_calls FROM messages"}
	return append(list, searchGated("messages_fts_src", head("new."), head("old."), "role", searchTrigram{
		columns: []string{"content", "tool_name"}, view: view,
		also: " AND EXISTS (SELECT 1 FROM sessions WHERE id = $ROW.session_id AND " + person("") + ")"})...)
}

// searchExternal is the first layout: content only, stored in messages.
func searchExternal(at level) []string {
	list := externalTable("messages_fts", "")
	if at >= 100 {
		list = append(list, externalTable("messages_fts_trigram", ", tokenize='trigram'")...)
	}
	return list
}

func externalTable(name, option string) []string {
	add := "INSERT INTO " + name + "(rowid, content) VALUES (new.id, new.content);"
	drop := "INSERT INTO " + name + "(" + name + ", rowid, content) VALUES ('delete', old.id, old.content);"
	return append([]string{
		"CREATE VIRTUAL TABLE " + name + " USING fts5(content, content=messages, content_rowid=id" + option + ")",
	}, plainTriggers(name, add, drop)...)
}

// searchInline is the layout with its own copy of the text: content, tool name and calls in one column.
func searchInline() []string {
	var list []string
	for _, t := range []struct{ name, option string }{{"messages_fts", ""}, {"messages_fts_trigram", ", tokenize='trigram'"}} {
		add := "INSERT INTO " + t.name + "(rowid, content) VALUES (new.id, COALESCE(new.content, '') || ' ' ||" +
			" COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''));"
		drop := "DELETE FROM " + t.name + " WHERE rowid = old.id;"
		list = append(list, "CREATE VIRTUAL TABLE "+t.name+" USING fts5(content"+t.option+")")
		list = append(list, plainTriggers(t.name, add, drop)...)
	}
	return list
}

func plainTriggers(name, add, drop string) []string {
	return []string{
		"CREATE TRIGGER " + name + "_insert AFTER INSERT ON messages BEGIN\n  " + add + "\nEND",
		"CREATE TRIGGER " + name + "_delete AFTER DELETE ON messages BEGIN\n  " + drop + "\nEND",
		"CREATE TRIGGER " + name + "_update AFTER UPDATE ON messages BEGIN\n  " + drop + "\n  " + add + "\nEND",
	}
}

// searchTrigram is the trigram half of a gated layout; also is a further condition on a row of messages.
type searchTrigram struct {
	columns []string
	view    string
	also    string
}

// searchGated is the layout since schema 23: external content, and triggers that hold still for rows that a
// pending rebuild has yet to reach. text and gone spell the indexed content of the new and the old row.
func searchGated(source, text, gone, watched string, t searchTrigram) []string {
	words := gatedTable{name: "messages_fts", columns: []string{"content", "tool_name", "tool_calls"},
		text: text, gone: gone, watched: []string{"content", "tool_name", "tool_calls"}}
	if watched != "" {
		words.watched = append(words.watched, watched)
	}
	grams := gatedTable{name: "messages_fts_trigram", columns: t.columns, text: "new.content", gone: "old.content",
		watched: append(append([]string{}, t.columns...), "role"), when: "$ROW.role <> 'tool'" + t.also}
	list := []string{words.create("content='" + source + "', content_rowid='id'")}
	list = append(list, words.triggers()...)
	list = append(list, "CREATE VIEW messages_fts_trigram_src AS\n  "+t.view,
		grams.create("content='messages_fts_trigram_src', content_rowid='id', tokenize='trigram'"))
	return append(list, grams.triggers()...)
}

type gatedTable struct {
	name       string
	columns    []string
	text, gone string
	watched    []string // columns whose change renews the index entry
	when       string   // which rows are indexed, with $ROW for new or old; "" = all
}

func (g gatedTable) create(options string) string {
	return "CREATE VIRTUAL TABLE " + g.name + " USING fts5(" + strings.Join(g.columns, ", ") + ", " + options + ")"
}

func (g gatedTable) triggers() []string {
	others := func(row string) string {
		var b strings.Builder
		for _, c := range g.columns[1:] {
			b.WriteString(", " + row + "." + c)
		}
		return b.String()
	}
	list := strings.Join(g.columns, ", ")
	add := "INSERT INTO " + g.name + "(rowid, " + list + ")\n  SELECT new.id, " + g.text + others("new")
	drop := "INSERT INTO " + g.name + "(" + g.name + ", rowid, " + list + ")\n  SELECT 'delete', old.id, " + g.gone + others("old")
	only := func(row, lead string) string {
		if g.when == "" {
			return ""
		}
		return lead + strings.ReplaceAll(g.when, "$ROW", row)
	}
	var changed []string
	for _, c := range g.watched {
		changed = append(changed, "old."+c+" IS NOT new."+c)
	}
	head := "CREATE TRIGGER " + g.name
	return []string{
		head + "_insert AFTER INSERT ON messages WHEN " + reached("new") + only("new", " AND ") + "\nBEGIN\n  " + add + ";\nEND",
		head + "_delete AFTER DELETE ON messages WHEN " + reached("old") + only("old", " AND ") + "\nBEGIN\n  " + drop + ";\nEND",
		head + "_update AFTER UPDATE OF " + strings.Join(g.watched, ", ") + " ON messages\nWHEN (" +
			strings.Join(changed, " OR ") + ") AND " + reached("old") + "\nBEGIN\n  " +
			drop + only("old", "\n  WHERE ") + ";\n  " + add + only("new", "\n  WHERE ") + ";\nEND",
	}
}

// reached is true of a row that is indexed at once: above the high water of a pending rebuild, or already passed
// by it.
func reached(row string) string {
	value := func(key string) string {
		return "COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '" + key + "'), -1)"
	}
	return "(" + row + ".id > " + value("fts_rebuild_high_water") + " OR " + row + ".id <= " + value("fts_rebuild_progress") + ")"
}
