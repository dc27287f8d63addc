package evidence

import (
	"strings"
)

// DeclaredColumn is one column of a table as the text of its CREATE TABLE says.
type DeclaredColumn struct {
	Name    string
	Type    string // upper case, without what stands in brackets; "" = none
	NotNull bool
	Key     bool // it is the primary key by itself

	layout layout
}

// DeclaredTable is a table as the text of its CREATE TABLE says: read without SQLite, so that nothing of a file from a
// stranger is run.
type DeclaredTable struct {
	Name         string
	Columns      []DeclaredColumn
	WithoutRowID bool
}

// RowIDColumn is the place of the column that is another name for the rowid; -1 = none.
func (t *DeclaredTable) RowIDColumn() int {
	for i := range t.Columns {
		if t.Columns[i].layout.alias {
			return i
		}
	}
	return -1
}

// ParseTable reads the text of a CREATE TABLE; ok is false for one that makes no ordinary table or that it does not
// understand.
func ParseTable(sql string) (t DeclaredTable, ok bool) {
	words := sqlWords(sql)
	i := 0
	next := func(want ...string) bool {
		for k, w := range want {
			if i+k >= len(words) || !strings.EqualFold(words[i+k], w) {
				return false
			}
		}
		i += len(want)
		return true
	}
	if !next("CREATE") {
		return t, false
	}
	if !next("TABLE") && !next("TEMP", "TABLE") {
		return t, false
	}
	_ = next("IF", "NOT", "EXISTS")
	if i+1 >= len(words) || words[i+1] != "(" {
		return t, false
	}
	t.Name = words[i]
	parts, rest := split(words[i+2:])
	for _, w := range rest {
		if strings.EqualFold(w, "WITHOUT") {
			t.WithoutRowID = true
		}
	}
	for _, p := range parts {
		if len(p) == 0 || len(t.Columns) > 2000 {
			return t, false
		}
		switch strings.ToUpper(p[0]) {
		case "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT":
			if len(p) > 1 && len(t.Columns) > 0 {
				continue
			}
		}
		t.Columns = append(t.Columns, declared(p, len(t.Columns)))
	}
	return t, len(t.Columns) > 0
}

// split cuts what stands between brackets at its commas, and gives the words behind the bracket that closes.
func split(words []string) (parts [][]string, rest []string) {
	depth, from := 0, 0
	for i, w := range words {
		switch {
		case w == "(":
			depth++
		case w == ")" && depth == 0:
			return append(parts, words[from:i]), words[i+1:]
		case w == ")":
			depth--
		case w == "," && depth == 0:
			parts = append(parts, words[from:i])
			from = i + 1
		}
	}
	return append(parts, words[from:]), nil
}

// declared reads the definition of one column.
func declared(words []string, at int) DeclaredColumn {
	c := DeclaredColumn{Name: words[0], layout: layout{at: at, known: true}}
	constraint := func(w string) bool {
		switch strings.ToUpper(w) {
		case "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS":
			return true
		}
		return false
	}
	i := 1
	var kind []string
	for ; i < len(words) && !constraint(words[i]) && words[i] != "("; i++ {
		kind = append(kind, strings.ToUpper(words[i]))
	}
	c.Type = strings.Join(kind, " ")
	for ; i < len(words); i++ {
		up := strings.ToUpper(words[i])
		then := ""
		if i+1 < len(words) {
			then = strings.ToUpper(words[i+1])
		}
		switch {
		case up == "PRIMARY" && then == "KEY":
			c.Key = true
		case up == "NOT" && then == "NULL":
			c.NotNull = true
		case up == "DEFAULT" && then != "":
			text := words[i+1]
			if text == "" {
				text = "''" // a text in quotes, of which only the empty one is known
			}
			c.layout.blank, c.layout.known = literal(Value{Kind: Text, Bytes: []byte(text)})
		}
	}
	c.layout.alias = c.Key && c.Type == "INTEGER"
	c.layout.real = !strings.Contains(c.Type, "INT") && !strings.Contains(c.Type, "CHAR") && !strings.Contains(c.Type, "CLOB") &&
		!strings.Contains(c.Type, "TEXT") && !strings.Contains(c.Type, "BLOB") &&
		(strings.Contains(c.Type, "REAL") || strings.Contains(c.Type, "FLOA") || strings.Contains(c.Type, "DOUB"))
	return c
}

// indexColumns reads the columns of a CREATE INDEX, in order; nil where they are not plain names.
func indexColumns(sql string) []string {
	words := sqlWords(sql)
	for i, w := range words {
		if !strings.EqualFold(w, "ON") || i+2 >= len(words) || words[i+2] != "(" {
			continue
		}
		parts, _ := split(words[i+3:])
		var out []string
		for _, p := range parts {
			if len(p) == 0 || len(p) > 1 && p[1] == "(" {
				return nil
			}
			out = append(out, p[0])
		}
		return out
	}
	return nil
}

// fits says whether the stored values of a row can be one of this table: as many as it has or fewer, since columns are added at
// the end, and each of a class that its column takes. The place of the rowid's own column is NULL.
func (t *DeclaredTable) fits(values []Value) bool {
	if len(values) > len(t.Columns) || len(values) == 0 {
		return false
	}
	for i, c := range t.Columns {
		if i >= len(values) {
			if c.NotNull && c.layout.known && c.layout.blank.Kind == Null {
				return false
			}
			continue
		}
		v := values[i]
		switch {
		case c.layout.alias:
			if v.Kind != Null {
				return false
			}
		case v.Kind == Null:
			if c.NotNull {
				return false
			}
		case c.layout.real || strings.Contains(c.Type, "INT"):
			if v.Kind != Int && v.Kind != Float {
				return false
			}
		case strings.Contains(c.Type, "TEXT"):
			if v.Kind == Int || v.Kind == Float {
				return false
			}
		}
	}
	return true
}
