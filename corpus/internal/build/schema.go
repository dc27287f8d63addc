package build

import "fmt"

// generation pairs a G3 file with itself: the header's application id is the first half word of it.
const generation = "0d0c7042000040008000000000000001"

// schema lists the statements that make the empty database.
func schema(s Store, fts bool) ([]string, error) {
	at, err := lookup(s.Schema)
	if err != nil {
		return nil, err
	}
	born := at
	if s.Born != "" {
		if born, err = lookup(s.Born); err != nil {
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
