package salvage

import (
	"context"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/ddl"
)

// prepare lists the tables of the new file, gives them the columns that only the source has, and makes those tables of the
// source that the schema of the version lacks because the product makes them when they are first needed.
func (r *run) prepare(ctx context.Context) error {
	for _, t := range parsed(r.version) {
		r.begin(t.Name, t.Columns)
	}
	for _, i := range r.wreck.Images {
		tables, _ := i.Schema()
		for _, t := range tables {
			low := strings.ToLower(t.Name)
			if derived(low) {
				continue
			}
			if t.WithoutRowID {
				r.note("the table %s has no rowids and is not taken over", t.Name)
				continue
			}
			if r.tables[low] == nil {
				if i != r.newest {
					continue
				}
				if err := r.makeTable(ctx, &t); err != nil {
					return err
				}
			}
			to := r.tables[low]
			for _, c := range t.Columns {
				if to.columns[strings.ToLower(c.Name)] != "" {
					continue
				}
				if err := r.db.AddColumn(ctx, t.Name, c.Name, c.Type); err != nil {
					return err
				}
				to.columns[strings.ToLower(c.Name)] = c.Name
			}
		}
	}
	return nil
}

// derived are tables whose content is made anew, or belongs to the file and not to the product.
func derived(low string) bool {
	return strings.HasPrefix(low, "sqlite_") || strings.HasPrefix(low, "messages_fts") || strings.HasPrefix(low, "fts_v22_trash_") ||
		strings.HasPrefix(low, "lost_and_found") || low == "schema_version"
}

func (r *run) begin(name string, columns []evidence.DeclaredColumn) {
	to := &target{line: &Table{Name: name}, columns: map[string]string{}, maps: map[*evidence.DeclaredTable]*mapping{}}
	for _, c := range columns {
		to.columns[strings.ToLower(c.Name)] = c.Name
	}
	r.tables[strings.ToLower(name)] = to
}

// makeTable makes a table by the names and types of its columns, and by a key of one column: none of the text of the source is
// run.
func (r *run) makeTable(ctx context.Context, t *evidence.DeclaredTable) error {
	var parts []string
	for _, c := range t.Columns {
		text := evidence.QuoteName(c.Name)
		switch c.Type {
		case "TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC":
			text += " " + c.Type
		}
		if c.Key {
			text += " PRIMARY KEY"
		}
		parts = append(parts, text)
	}
	if err := r.db.Run(ctx, []string{"CREATE TABLE " + evidence.QuoteName(t.Name) + " (" + strings.Join(parts, ", ") + ")"}); err != nil {
		return err
	}
	r.begin(t.Name, t.Columns)
	r.note("the table %s is none of version %d: it is taken over by the names of its columns, without its own rules", t.Name, ddl.Number(r.version))
	return nil
}

// route says where the columns of a row go.
func (to *target) route(t *evidence.DeclaredTable) *mapping {
	m := to.maps[t]
	if m == nil {
		m = &mapping{alias: t.RowIDColumn() >= 0}
		for k, c := range t.Columns {
			if own := to.columns[strings.ToLower(c.Name)]; own != "" {
				m.from, m.columns = append(m.from, k), append(m.columns, own)
			}
		}
		to.maps[t] = m
	}
	return m
}
