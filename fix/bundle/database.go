package bundle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	_ "github.com/mattn/go-sqlite3" // the driver

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// target is one skeleton database.
type target struct {
	*veil
	db    *sql.DB
	tx    *sql.Tx
	store *evidence.Store
	left  map[string]bool
}

// database writes the skeleton of a store into a new file.
func (v *veil) database(ctx context.Context, store *evidence.Store, path string, left map[string]bool) (err error) {
	db, err := sql.Open("sqlite3", "file:"+uri(path)+"?_synchronous=OFF&_journal_mode=MEMORY&_foreign_keys=0")
	if err != nil {
		return fmt.Errorf("make skeleton database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	t := &target{veil: v, db: db, store: store, left: left}
	if err := t.header(ctx); err != nil {
		return fmt.Errorf("make skeleton database: %w", err)
	}
	if t.tx, err = db.BeginTx(ctx, nil); err != nil {
		return fmt.Errorf("make skeleton database: %w", err)
	}
	for _, name := range tables {
		if table := store.DB.Table(name); table != nil {
			if err := t.table(ctx, table); err != nil {
				return errors.Join(fmt.Errorf("make skeleton of table %s: %w", name, err), t.tx.Rollback())
			}
		}
	}
	if err := t.tx.Commit(); err != nil {
		return fmt.Errorf("make skeleton database: %w", err)
	}
	if store.JournalMode == "wal" { // the header says so; there is nothing in the log
		if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
			return fmt.Errorf("make skeleton database: %w", err)
		}
	}
	return nil
}

// uri spells a path for SQLite.
func uri(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// header carries what the file's header says.
func (t *target) header(ctx context.Context) error {
	list := []string{fmt.Sprintf("PRAGMA page_size = %d", t.store.PageSize)}
	for _, name := range []string{"application_id", "user_version"} {
		err := t.store.DB.Query(ctx, "PRAGMA "+name, nil, func(row []evidence.Value) error {
			list = append(list, fmt.Sprintf("PRAGMA %s = %d", name, row[0].Int))
			return nil
		})
		if err != nil {
			list = append(list, fmt.Sprintf("PRAGMA %s = 0", name))
		}
	}
	for _, q := range list {
		if _, err := t.db.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// column is one carried column.
type column struct {
	name, kind string
	key        int64 // place in the primary key, from 1; 0 = not in it
}

// columnsOf lists the columns of a table that are carried.
func (t *target) columnsOf(ctx context.Context, table *evidence.Table) ([]column, error) {
	var list []column
	err := t.store.DB.Query(ctx, "PRAGMA table_xinfo("+evidence.QuoteName(table.Name)+")", nil, func(row []evidence.Value) error {
		name := strings.ToLower(row[1].String())
		if row[6].Int != 0 || !columns[name] {
			t.left["columns that the product does not have"] = true
			return nil
		}
		list = append(list, column{name, affinity(row[2].String()), row[5].Int})
		return nil
	})
	return list, err
}

// affinity is a declared type by SQLite's rules, in the words of the product.
func affinity(declared string) string {
	d := strings.ToUpper(declared)
	switch {
	case strings.Contains(d, "INT"):
		return "INTEGER"
	case strings.Contains(d, "CHAR"), strings.Contains(d, "CLOB"), strings.Contains(d, "TEXT"):
		return "TEXT"
	case d == "", strings.Contains(d, "BLOB"):
		return "BLOB"
	case strings.Contains(d, "REAL"), strings.Contains(d, "FLOA"), strings.Contains(d, "DOUB"):
		return "REAL"
	}
	return "NUMERIC"
}

func (t *target) table(ctx context.Context, table *evidence.Table) error {
	list, err := t.columnsOf(ctx, table)
	if err != nil || len(list) == 0 {
		return err
	}
	if table.RowID() == "" {
		t.left["the table "+table.Name+", which has no rowid"] = true
		return nil
	}
	for _, whole := range []bool{true, false} { // the second time without the constraint that damaged rows break
		if err := t.create(ctx, table.Name, list, whole); err != nil {
			return err
		}
		err = t.rows(ctx, table, list)
		if err == nil || ctx.Err() != nil {
			break
		}
		if _, derr := t.tx.ExecContext(ctx, "DROP TABLE "+table.Name); derr != nil {
			return errors.Join(err, derr)
		}
	}
	if err != nil {
		return err
	}
	t.indexes(ctx, table, list)
	return nil
}

// create spells the table ourselves: a declaration of the source may hold anything.
func (t *target) create(ctx context.Context, name string, list []column, whole bool) error {
	var parts, key []string
	byPlace := slices.Clone(list)
	slices.SortStableFunc(byPlace, func(a, b column) int { return int(a.key - b.key) })
	for _, c := range byPlace {
		if c.key > 0 {
			key = append(key, c.name)
		}
	}
	alias := len(key) == 1
	for _, c := range list {
		part := c.name + " " + c.kind
		if alias && c.key > 0 && c.kind == "INTEGER" {
			part, key = c.name+" INTEGER PRIMARY KEY AUTOINCREMENT", nil
		}
		parts = append(parts, part)
	}
	if len(key) > 0 && whole {
		parts = append(parts, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	}
	_, err := t.tx.ExecContext(ctx, "CREATE TABLE "+name+" (\n  "+strings.Join(parts, ",\n  ")+"\n)")
	return err
}

// rows carries every row under its rowid.
func (t *target) rows(ctx context.Context, table *evidence.Table, list []column) error {
	names, marks := make([]string, len(list)), "?"
	for i, c := range list {
		names[i] = c.name
		marks += ", ?"
	}
	insert, err := t.tx.PrepareContext(ctx, "INSERT INTO "+table.Name+" (rowid, "+strings.Join(names, ", ")+") VALUES ("+marks+")")
	if err != nil {
		return err
	}
	values := make([]any, len(list)+1)
	err = t.store.DB.Rows(ctx, table.Name, names, func(rowid int64, row []evidence.Value) error {
		values[0] = rowid
		if table.Name == "state_meta" && strings.HasPrefix(row[slices.Index(names, "key")].String(), "fts_") {
			return nil // what they tell about is not carried
		}
		for i := range list {
			values[i+1] = t.cell(list[i], row[i])
		}
		_, err := insert.ExecContext(ctx, values...)
		return err
	})
	return errors.Join(err, insert.Close())
}

// times are the columns of epoch seconds whose names do not end in _at.
var times = set("timestamp first_seen last_seen last_heartbeat compression_failure_cooldown_until compression_recovery_deadline")

func (t *target) cell(c column, v evidence.Value) any {
	switch v.Kind {
	case evidence.Int:
		if t.shift != 0 && (strings.HasSuffix(c.name, "_at") || times[c.name]) {
			return int64(t.epoch(float64(v.Int)))
		}
		if strings.HasSuffix(c.name, "_id") && c.kind != "INTEGER" { // an id that was stored as a number
			return t.name(v.String())
		}
		return v.Int
	case evidence.Float:
		if strings.HasSuffix(c.name, "_at") || times[c.name] {
			return t.epoch(v.Float)
		}
		return v.Float
	case evidence.Text, evidence.Blob:
		s := t.veiled(c.name, string(v.Bytes))
		if v.Kind == evidence.Blob {
			return []byte(s)
		}
		return s
	}
	return nil
}

func (t *target) veiled(name, s string) string {
	switch {
	case texts[name] || !utf8.ValidString(s) && documents[name]:
		return t.text(s)
	case documents[name]:
		return t.document(s)
	}
	return t.name(s)
}

// indexes makes the plain indexes again under names of ours; one that cannot be made is left out, as a damaged one would
// be passed over.
func (t *target) indexes(ctx context.Context, table *evidence.Table, list []column) {
	for n, ix := range table.Indexes {
		carried := !ix.Partial && !strings.HasPrefix(ix.Name, "sqlite_")
		names := make([]string, len(ix.Columns))
		for i, name := range ix.Columns {
			names[i] = strings.ToLower(name)
			carried = carried && slices.ContainsFunc(list, func(c column) bool { return c.name == names[i] })
		}
		if !carried {
			continue
		}
		unique := ""
		if ix.Unique {
			unique = "UNIQUE "
		}
		_, err := t.tx.ExecContext(ctx, fmt.Sprintf("CREATE %sINDEX idx_%s_%d ON %s (%s)", unique, table.Name, n, table.Name, strings.Join(names, ", ")))
		if err != nil {
			t.left["an index that its rows contradict"] = true
		}
	}
}
