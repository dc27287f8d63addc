package evidence

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// SchemaFault is something wrong with a row of sqlite_schema.
type SchemaFault struct {
	Type, Name string
	RowIDs     []int64 // rows of sqlite_schema
	Reason     string
	Opens      bool // SQLite opens the file all the same
}

// maxSchemaFaults bounds the list.
const maxSchemaFaults = 100

// schemaFaults reads the list of objects as rows, without SQLite, which refuses the whole file for some of these.
func schemaFaults(entries []pages.Entry, count uint32) []SchemaFault {
	var out []SchemaFault
	report := func(f SchemaFault) {
		if len(out) < maxSchemaFaults {
			out = append(out, f)
		}
	}
	first, byRoot := map[string]*pages.Entry{}, map[uint32]*pages.Entry{}
	holds := map[string]bool{"sqlite_schema": true, "sqlite_master": true}
	for i := range entries {
		e := &entries[i]
		name := strings.ToLower(e.Name)
		kind := e.Type
		if kind == "view" {
			kind = "table" // they share their names
		}
		if e.Type == "table" || e.Type == "view" {
			holds[name] = true
		}
		if had := first[kind+" "+name]; had != nil {
			report(SchemaFault{e.Type, e.Name, []int64{had.Rowid, e.Rowid}, fmt.Sprintf("two rows of the schema name the %s %s", e.Type, e.Name), false})
		} else {
			first[kind+" "+name] = e
		}
		if !utf8.ValidString(e.SQL) || !utf8.ValidString(e.Name) || !utf8.ValidString(e.Table) {
			report(SchemaFault{e.Type, e.Name, []int64{e.Rowid}, fmt.Sprintf("the text that declares the %s %q is not UTF-8: a column or a name in it is not what it was", e.Type, oneLine(fmt.Errorf("%s", e.Name))), true})
		}
		switch e.Type {
		case "table", "index":
			virtual := strings.HasPrefix(strings.ToUpper(strings.TrimSpace(e.SQL)), "CREATE VIRTUAL")
			switch {
			case e.Root == 0 && !virtual, e.Root > count:
				report(SchemaFault{e.Type, e.Name, []int64{e.Rowid}, fmt.Sprintf("the %s %s should begin on page %d, and the file has %d pages", e.Type, e.Name, e.Root, count), false})
			case e.Root > 0 && byRoot[e.Root] != nil:
				report(SchemaFault{e.Type, e.Name, []int64{byRoot[e.Root].Rowid, e.Rowid}, fmt.Sprintf("%s %s and %s %s begin on the same page %d", byRoot[e.Root].Type, byRoot[e.Root].Name, e.Type, e.Name, e.Root), false})
			case e.Root > 0:
				byRoot[e.Root] = e
			}
		case "view", "trigger":
		default:
			report(SchemaFault{e.Type, e.Name, []int64{e.Rowid}, fmt.Sprintf("a row of the schema is of no kind that SQLite knows: %q", oneLine(fmt.Errorf("%s", e.Type))), false})
		}
	}
	for i := range entries {
		e := &entries[i]
		switch {
		case (e.Type == "index" || e.Type == "trigger") && !holds[strings.ToLower(e.Table)]:
			report(SchemaFault{e.Type, e.Name, []int64{e.Rowid}, fmt.Sprintf("the %s %s belongs to the table %s, which is not there", e.Type, e.Name, e.Table), false})
		case e.Type == "trigger":
			for _, name := range named(e.SQL) {
				if !holds[strings.ToLower(name)] {
					report(SchemaFault{e.Type, e.Name, []int64{e.Rowid}, fmt.Sprintf("the trigger %s on %s works on the table %s, which is not there: every change of %s that runs it fails", e.Name, e.Table, name, e.Table), true})
				}
			}
		case e.Type == "table" && strings.HasSuffix(strings.ToLower(e.Name), "_docsize"):
			base := e.Name[:len(e.Name)-len("_docsize")]
			if low := strings.ToLower(base); !holds[low] && holds[low+"_data"] && holds[low+"_idx"] && holds[low+"_config"] {
				report(SchemaFault{e.Type, base, []int64{e.Rowid}, fmt.Sprintf("the tables of the full-text index %s are there and it is not: it cannot be made again as long as they are", base), true})
			}
		}
	}
	return out
}

// named gives the tables that the statements of a trigger's body work on, each once: the names behind INTO, FROM, JOIN and a
// leading UPDATE. It is told in plain words that a table is missing, so that only plain names count.
func named(sql string) []string {
	words := sqlWords(sql)
	for i, w := range words {
		if strings.EqualFold(w, "BEGIN") {
			words = words[i+1:]
			break
		}
	}
	var out []string
	seen := map[string]bool{}
	for i := 0; i+1 < len(words); i++ {
		switch w := strings.ToUpper(words[i]); {
		case w == "INTO", w == "FROM", w == "JOIN", w == "UPDATE" && (i == 0 || words[i-1] == ";"):
		default:
			continue
		}
		name := words[i+1]
		if name == "(" || i+2 < len(words) && (words[i+2] == "(" && !strings.EqualFold(words[i], "INTO") || words[i+2] == ".") {
			continue // a query, a table that a function makes, or one of another schema
		}
		if !seen[name] && name != "" && name != ";" {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// sqlWords splits SQL into names, keywords and single signs; quotes are taken off names, and texts and comments are left out.
func sqlWords(sql string) []string {
	var out []string
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case strings.HasPrefix(sql[i:], "--"):
			i = behind(sql, i, "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			i = behind(sql, i+2, "*/")
		case c == '\'':
			i = behind(sql, i+1, "'")
			out = append(out, "")
		case c == '"' || c == '`':
			end := behind(sql, i+1, string(c))
			out = append(out, strings.TrimSuffix(sql[i+1:end], string(c)))
			i = end
		case c == '[':
			end := behind(sql, i+1, "]")
			out = append(out, strings.TrimSuffix(sql[i+1:end], "]"))
			i = end
		case wordByte(c):
			end := i
			for end < len(sql) && wordByte(sql[end]) {
				end++
			}
			out = append(out, sql[i:end])
			i = end
		default:
			if c > ' ' {
				out = append(out, string(c))
			}
			i++
		}
	}
	return out
}

// behind gives the place behind the next stop, or the end.
func behind(sql string, from int, stop string) int {
	if k := strings.Index(sql[from:], stop); k >= 0 {
		return from + k + len(stop)
	}
	return len(sql)
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
