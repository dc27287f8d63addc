package ddl

import "fmt"

// generation pairs a G3 file with itself: the header's application id is the first half word of it.
const generation = "0d0c7042000040008000000000000001"

// Schema lists the statements that make an empty database of a version, in the order in which the product runs them. A
// database that was born at an older one was upgraded since, so that newer columns stand at the end; born "" = never.
func Schema(name, from string, fts bool) ([]string, error) {
	at, err := lookup(name)
	if err != nil {
		return nil, err
	}
	born := at
	if from != "" {
		if born, err = lookup(from); err != nil {
			return nil, err
		}
		if born.level > at.level {
			return nil, fmt.Errorf("born at schema %s, later than %s", born.name, at.name)
		}
	}
	list := create(born.level, fts)
	if born.level < at.level {
		list = append(list, upgrade(born.level, at.level)...)
	}
	list = append(list, fmt.Sprintf("INSERT INTO schema_version (version) VALUES (%d)", at.number))
	if at.level >= 310 {
		list = append(list, "PRAGMA application_id=0x"+generation[:8],
			`INSERT INTO state_meta (key, value) VALUES ('store_instance_id', '0d0c7042-0000-4000-8000-000000000002'),
  ('store_created_at_utc', '2026-01-01T00:00:00+00:00'), ('message_uid_backfill', '1'), ('db_file_generation', '`+generation+`')`)
	}
	return list, nil
}

func create(at level, fts bool) []string {
	var list []string
	for _, t := range tables() {
		if t.holds(at) {
			list = append(list, t.create(at))
		}
	}
	for _, o := range indexes() {
		if o.holds(at) {
			list = append(list, o.sql)
		}
	}
	if fts {
		list = append(list, search(at)...)
	}
	return list
}

// upgrade is what the product does to an older file on opening: new tables and indexes, new columns at the end
// of the old tables, and the full text index left as it was born.
func upgrade(born, at level) []string {
	var list []string
	for _, t := range tables() {
		switch {
		case t.holds(at) && !t.holds(born):
			list = append(list, t.create(at))
		case t.holds(at):
			for _, c := range t.missing(born, at) {
				list = append(list, "ALTER TABLE "+t.name+" ADD COLUMN "+c.text)
			}
		}
	}
	for _, o := range indexes() {
		if o.holds(at) && !o.holds(born) {
			list = append(list, o.sql)
		}
	}
	return list
}

// HasColumn says whether a table of that schema version has a column.
func HasColumn(schema, tableName, columnName string) bool {
	at, err := lookup(schema)
	if err != nil {
		return false
	}
	for _, t := range tables() {
		if t.name != tableName || !t.holds(at.level) {
			continue
		}
		for _, c := range t.columns {
			if c.since <= at.level && c.name() == columnName {
				return true
			}
		}
	}
	return false
}

// Parts lists the statements that make an empty database of a version for someone who puts rows in between: the tables, which
// must be there before the rows; and what is made of them or would only get in their way: the search index, filled, and its
// triggers, the other indexes, and triggers that fill in what the rows bring along.
func Parts(name string, fts bool) (before, behind []string, err error) {
	at, err := lookup(name)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range tables() {
		if t.holds(at.level) {
			before = append(before, t.create(at.level))
		}
	}
	if fts {
		behind = append(behind, search(at.level)...)
		behind = append(behind, fillSearch(at.level)...)
	}
	for _, o := range indexes() {
		if o.holds(at.level) {
			behind = append(behind, o.sql)
		}
	}
	return before, behind, nil
}

// fillSearch makes the search index of the messages that are there.
func fillSearch(at level) []string {
	names := []string{"messages_fts"}
	if at >= 100 {
		names = append(names, "messages_fts_trigram")
	}
	var list []string
	for _, name := range names {
		if at >= 110 && at < 250 { // the layout that keeps a text of its own
			list = append(list, "INSERT INTO "+name+"(rowid, content) SELECT id, COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '') FROM messages")
			continue
		}
		list = append(list, "INSERT INTO "+name+"("+name+") VALUES ('rebuild')")
	}
	return list
}

// Version is the shape to make for a file whose schema_version says number: that of the same number, else the newest
// older one, which the product upgrades when it opens the file. later says that the later of two shapes with one number is
// meant, whose mark is a column that only it has. "" = older than all that are known.
func Version(number int, later bool) string {
	best := ""
	for _, v := range versions() {
		if v.number < number || v.number == number && (v.level%10 == 0 || later) {
			best = v.name
		}
	}
	return best
}

// Number is what the schema_version of a version says; 0 for one that is not known.
func Number(name string) int {
	v, err := lookup(name)
	if err != nil {
		return 0
	}
	return v.number
}

// Columns lists the columns of a table of that version as they are declared, in the order of a fresh file; nil where it
// has no such table.
func Columns(name, tableName string) []string {
	at, err := lookup(name)
	if err != nil {
		return nil
	}
	for _, t := range tables() {
		if t.name != tableName || !t.holds(at.level) {
			continue
		}
		var list []string
		for _, c := range t.columns {
			if c.since <= at.level {
				list = append(list, c.text)
			}
		}
		return list
	}
	return nil
}
