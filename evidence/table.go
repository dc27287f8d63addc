package evidence

import (
	"context"
	"fmt"
	"strings"
)

// Table is an ordinary table as the file declares it.
type Table struct {
	Name    string
	Columns []string // in the file's order, generated ones included
	Indexes []Index  // in SQLite's order
	rowid   string   // the name by which the rowid can be asked for; "" = all are taken by columns, or there is none

	layout []layout // of Columns: how each is stored; nil = not known
	root   uint32   // page of the b-tree
}

// Index is one index of a table. An expression among its columns has the name "".
type Index struct {
	Name            string
	Columns         []string
	Partial, Unique bool

	plain bool   // every column ascends and compares bytes
	root  uint32 // page of the b-tree
}

// Has says whether the table has the column; names are compared as SQLite does, without case.
func (t *Table) Has(column string) bool { return t.column(column) != "" }

// column gives the file's own spelling of a column, "" when there is none.
func (t *Table) column(name string) string {
	if t == nil {
		return ""
	}
	for _, c := range t.Columns {
		if strings.EqualFold(c, name) {
			return c
		}
	}
	return ""
}

// Table describes an ordinary table; nil when the file has none of that name, or when it is a view or a
// virtual table. It may be called from several goroutines.
func (d *DB) Table(name string) *Table {
	if d.conn == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strings.ToLower(name)
	if d.kinds[key] != "table" {
		return nil
	}
	if t, ok := d.tables[key]; ok {
		return t
	}
	t, err := d.introspect(context.Background(), name)
	if err != nil {
		return nil
	}
	d.tables[key] = t
	return t
}

// introspect asks SQLite, which has the schema in memory, for columns and indexes.
func (d *DB) introspect(ctx context.Context, name string) (*Table, error) {
	t := &Table{Name: name}
	t.root = d.roots[strings.ToLower(name)]
	stored := 0
	err := d.Query(ctx, "PRAGMA table_xinfo("+QuoteName(name)+")", nil, func(row []Value) error {
		if row[6].Int != 1 { // 1 = hidden column of a virtual table
			t.Columns = append(t.Columns, row[1].String())
			t.layout = append(t.layout, layoutOf(row, &stored))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list columns of %q: %w", name, err)
	}
	err = d.Query(ctx, "PRAGMA index_list("+QuoteName(name)+")", nil, func(row []Value) error {
		t.Indexes = append(t.Indexes, Index{Name: row[1].String(), Unique: row[2].Int != 0, Partial: row[4].Int != 0})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list indexes of %q: %w", name, err)
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		ix.plain, ix.root = true, d.roots[strings.ToLower(ix.Name)]
		err := d.Query(ctx, "PRAGMA index_xinfo("+QuoteName(ix.Name)+")", nil, func(row []Value) error {
			if row[5].Int == 0 { // the rowid that ends every entry
				return nil
			}
			ix.Columns = append(ix.Columns, row[2].String())
			ix.plain = ix.plain && row[3].Int == 0 && row[4].String() == "BINARY"
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list columns of index %q: %w", ix.Name, err)
		}
	}
	for _, alias := range []string{"rowid", "_rowid_", "oid"} {
		if t.Has(alias) {
			continue
		}
		// A table WITHOUT ROWID does not know the name.
		if d.Query(ctx, "SELECT "+alias+" FROM "+QuoteName(name)+" LIMIT 0", nil, func([]Value) error { return nil }) == nil {
			t.rowid = alias
		}
		break
	}
	return t, nil
}

// RowID is the name by which the rowid can be asked for in SQL, since a column may take the usual one; "" where there
// is none.
func (t *Table) RowID() string { return t.rowid }
