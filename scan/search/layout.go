package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Rule says which messages an index holds.
type Rule uint8

// The rules of the variants of spec 3.5.
const (
	Unknown  Rule = iota // an index that this program does not know: it cannot be compared
	All                  // every message
	NotTools             // every message but those of tools
	People               // those of NotTools whose session was not started by a machine
)

// Index is one full-text index over the messages.
type Index struct {
	Name      string
	Tokenizer string // "" = FTS5's own
	Content   string // the table or view that holds the texts; "" = the index has its own copy
	Rule      Rule
	Missing   []string // triggers that keep it in step and are not there
	Lost      []string // tables that it is made of and that are not there
	Sizes     string   // the table with one row for each message that it holds; "" = it has none
}

// Markers are what the product notes about its index in state_meta.
type Markers struct {
	Stale, StaleCJK bool // the triggers were taken away on purpose (#82719)
	// A rebuild is under way, or was: rows up to Done, and those above High, are in the index.
	Rebuild    bool
	High, Done int64
}

// Layout is all that a database has for searching its messages.
type Layout struct {
	Indexes []Index
	Trash   []string // tables of indexes that were replaced and wait to be deleted
	Markers
}

// shadows are the tables that FTS5 keeps an index in; an index without its own copy of the text has no content.
func shadows(content string, sizes bool) []string {
	list := []string{"config", "data", "idx"}
	if sizes {
		list = append(list, "docsize")
	}
	if content == "" {
		list = append(list, "content")
	}
	return list
}

// Read reads the layout of a database. A file without any index gives one without indexes.
func Read(ctx context.Context, db *evidence.DB) (*Layout, error) {
	objects, sql := map[string]bool{}, map[string]string{}
	var names []string
	l := &Layout{}
	err := db.Query(ctx, `SELECT type, name, sql FROM sqlite_schema WHERE name LIKE 'messages_fts%' OR name LIKE 'fts_v22_trash_%' ORDER BY name`, nil,
		func(row []evidence.Value) error {
			kind, name, text := row[0].String(), row[1].String(), row[2].String()
			objects[kind+" "+name], sql[name] = true, text
			switch {
			case strings.HasPrefix(name, "fts_v22_trash_"):
				if kind == "table" {
					l.Trash = append(l.Trash, name)
				}
			case kind == "table" && strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text)), "CREATE VIRTUAL"):
				names = append(names, name)
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("list the objects of the search index: %w", err)
	}
	for _, name := range names {
		l.Indexes = append(l.Indexes, describe(name, sql, objects))
	}
	return l, l.readMarkers(ctx, db)
}

func describe(name string, sql map[string]string, objects map[string]bool) Index {
	options := arguments(sql[name])
	x := Index{Name: name, Tokenizer: options["tokenize"], Content: options["content"]}
	sizes := options["columnsize"] != "0"
	if sizes {
		x.Sizes = name + "_docsize"
	}
	for _, s := range shadows(x.Content, sizes) {
		if !objects["table "+name+"_"+s] {
			x.Lost = append(x.Lost, name+"_"+s)
		}
	}
	for _, when := range []string{"insert", "delete", "update"} {
		if !objects["trigger "+name+"_"+when] {
			x.Missing = append(x.Missing, name+"_"+when)
		}
	}
	view := strings.ToLower(strings.Join(strings.Fields(sql[x.Content]), " "))
	switch {
	case name == "messages_fts" && (x.Content == "" || x.Content == "messages" || x.Content == "messages_fts_src"):
		x.Rule = All
	case name != "messages_fts_trigram":
	case x.Content == "" || x.Content == "messages":
		x.Rule = All
	case !strings.Contains(view, "role"): // a view of another kind, or none
	case strings.Contains(view, "_delegate_from"):
		x.Rule = People
	default:
		x.Rule = NotTools
	}
	return x
}

// arguments reads the options of a CREATE VIRTUAL TABLE … USING fts5(…).
func arguments(sql string) map[string]string {
	out := map[string]string{}
	_, list, found := strings.Cut(sql, "(")
	if !found {
		return out
	}
	if end := strings.LastIndexByte(list, ')'); end >= 0 {
		list = list[:end]
	}
	var quote byte
	from := 0
	add := func(word string) {
		if name, value, ok := strings.Cut(word, "="); ok {
			out[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `'"`+"`")
		}
	}
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ',':
			add(list[from:i])
			from = i + 1
		}
	}
	add(list[from:])
	return out
}

func (l *Layout) readMarkers(ctx context.Context, db *evidence.DB) error {
	if db.Table("state_meta") == nil {
		return nil
	}
	var high, done *int64
	err := db.Query(ctx, `SELECT key, CAST(value AS TEXT), CAST(value AS INTEGER) FROM state_meta WHERE key IN
		('fts_stale', 'fts_cjk_stale', 'fts_rebuild_high_water', 'fts_rebuild_progress')`, nil, func(row []evidence.Value) error {
		set := !slices.Contains([]string{"", "0"}, row[1].String())
		number := row[2].Int
		switch row[0].String() {
		case "fts_stale":
			l.Stale = set
		case "fts_cjk_stale":
			l.StaleCJK = set
		case "fts_rebuild_high_water":
			high = &number
		case "fts_rebuild_progress":
			done = &number
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the marks of the search index: %w", err)
	}
	if high != nil {
		l.Rebuild, l.High = true, *high
		if done != nil {
			l.Done = *done
		}
	}
	return nil
}

// Cut says whether the triggers of x were taken away on purpose.
func (l *Layout) Cut(x *Index) bool {
	return len(x.Missing) > 0 && (l.Stale || x.Tokenizer == "cjk_unicode61" && l.StaleCJK)
}

// Empty says that an index holds nothing although there are messages for it. One whose rule is not known is not asked.
func (l *Layout) Empty(ctx context.Context, db *evidence.DB, x *Index) (bool, error) {
	if x.Rule == Unknown || x.Sizes == "" || db.Table(x.Sizes) == nil {
		return false, nil
	}
	where := ""
	if x.Rule != All {
		where = " WHERE role <> 'tool'"
	}
	if x.Rule == People { // such sessions may be all that there are
		where += " AND session_id IN (SELECT id FROM sessions WHERE source NOT IN ('cron', 'subagent') AND coalesce(model_config, '') NOT LIKE '%\"_delegate_from\"%')"
	}
	empty := false
	err := db.Query(ctx, "SELECT NOT EXISTS (SELECT 1 FROM "+evidence.QuoteName(x.Sizes)+") AND EXISTS (SELECT 1 FROM messages"+where+")", nil,
		func(row []evidence.Value) error { empty = row[0].Int != 0; return nil })
	if err != nil {
		return false, fmt.Errorf("ask whether the search index %s is empty: %w", x.Name, err)
	}
	return empty, nil
}

// Uncheckable says why an index cannot be compared with the messages; "" where it can.
func (x *Index) Uncheckable() string {
	switch {
	case x.Tokenizer == "cjk_unicode61":
		return "its tokenizer " + x.Tokenizer + " is a library of its own: without it the index cannot be read, and as long as its triggers are there no message can be appended"
	case x.Rule == Unknown:
		return "which messages belong in it is not known"
	case x.Sizes == "":
		return "it keeps no list of the messages that it holds"
	}
	return ""
}
