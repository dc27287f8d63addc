package evidence

import (
	"fmt"
	"strings"
)

// Ref says where an observation was made: a cell, a row, a file or a line of one. Fields that do not apply are blank.
type Ref struct {
	Store  string // the database's name in the report, such as "state.db" or "profiles/coder/state.db"
	Table  string
	Key    string // the row: its id, or "rowid 7" where it has none
	Column string
	Path   string // a file, relative to the home, where the observation is not in a database
	Line   int    // counted from 1; 0 where lines mean nothing
}

// String spells the place as people do: `state.db sessions["20260806_…"].session_key`, `sessions/sessions.json:12`.
func (r Ref) String() string {
	if r.Path != "" {
		s := r.Path
		if r.Line > 0 {
			s = fmt.Sprintf("%s:%d", s, r.Line)
		}
		if r.Key != "" {
			s += " " + r.Key
		}
		return s
	}
	var b strings.Builder
	b.WriteString(r.Store)
	if r.Table != "" {
		b.WriteString(" " + r.Table)
	}
	if r.Key != "" {
		b.WriteString("[" + r.Key + "]")
	}
	if r.Column != "" {
		b.WriteString("." + r.Column)
	}
	return b.String()
}

// Item is one piece of evidence: where it is, what was seen there, and the SQL or command that shows it again. That is
// How, or follows from At and Select: thousands of findings show the same columns of different rows.
type Item struct {
	At     Ref
	Saw    string
	How    string
	Select string // what to select from the session row, or from the messages of the session, that At names
}

// Command is the SQL or command that shows the item again; "" where it has none.
func (i Item) Command() string {
	if i.How != "" || i.Select == "" {
		return i.How
	}
	column := "id"
	if i.At.Table == "messages" {
		column = "session_id"
	}
	return "SELECT " + i.Select + " FROM " + i.At.Table + " WHERE " + column + " = " + Quote(i.At.Key)
}
