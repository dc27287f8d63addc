package write

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Digest sums up every ordinary table of a database, row by row, and the schema.
type Digest struct {
	Tables []TableDigest // by name
}

// TableDigest is one table's part. The schema and the numbers of the header that a program sets stand under the name "".
type TableDigest struct {
	Name   string
	Rows   int64
	SHA256 string
}

// Sum is one hash over all tables.
func (d Digest) Sum() string {
	h := sha256.New()
	for _, t := range d.Tables {
		_, _ = fmt.Fprintf(h, "%q %d %s\n", t.Name, t.Rows, t.SHA256) // documented never to fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Differs names the tables whose rows are not the same, "" for the schema.
func (d Digest) Differs(o Digest) []string {
	a, b := map[string]TableDigest{}, map[string]TableDigest{}
	for _, t := range d.Tables {
		a[t.Name] = t
	}
	for _, t := range o.Tables {
		b[t.Name] = t
	}
	var out []string
	for name := range a {
		if a[name] != b[name] {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// reader is what the digest needs of a connection.
type reader func(ctx context.Context, query string, args []any, fn func(row []evidence.Value) error) error

// DigestOf sums up what a read-only database shows.
func DigestOf(ctx context.Context, db *evidence.DB) (Digest, error) {
	return digest(ctx, db.Query)
}

// Digest sums up what the connection sees, within its transaction.
func (c *Conn) Digest(ctx context.Context) (Digest, error) {
	return digest(ctx, c.query)
}

// DigestAround sums up the tables that the changes are in, without the cells that they change.
func (c *Conn) DigestAround(ctx context.Context, changes []Change) (Digest, error) {
	var d Digest
	for _, ch := range changes {
		if slices.ContainsFunc(d.Tables, func(t TableDigest) bool { return t.Name == ch.Table }) {
			continue
		}
		t, err := tableDigest(ctx, c.query, ch.Table, changes)
		if err != nil {
			return d, fmt.Errorf("read table %q: %w", ch.Table, err)
		}
		d.Tables = append(d.Tables, t)
	}
	return d, nil
}

func digest(ctx context.Context, read reader) (Digest, error) {
	head, err := schemaDigest(ctx, read)
	if err != nil {
		return Digest{}, fmt.Errorf("read schema: %w", err)
	}
	d := Digest{Tables: []TableDigest{head}}
	var names []string
	err = read(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name", nil, func(row []evidence.Value) error {
		names = append(names, row[0].String())
		return nil
	})
	if err != nil {
		return d, fmt.Errorf("list tables: %w", err)
	}
	for _, name := range names {
		t, err := tableDigest(ctx, read, name, nil)
		if err != nil {
			return d, fmt.Errorf("read table %q: %w", name, err)
		}
		d.Tables = append(d.Tables, t)
	}
	return d, nil
}

func schemaDigest(ctx context.Context, read reader) (TableDigest, error) {
	t := TableDigest{}
	h := sha256.New()
	take := func(row []evidence.Value) error {
		t.Rows++
		for _, v := range row {
			put(h, v)
		}
		return nil
	}
	for _, q := range []string{
		"SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name, tbl_name", "PRAGMA user_version", "PRAGMA application_id", "PRAGMA encoding",
	} {
		if err := read(ctx, q, nil, take); err != nil {
			return t, err
		}
	}
	t.SHA256 = hex.EncodeToString(h.Sum(nil))
	return t, nil
}

// tableDigest reads a table in the order of its rowid, or of its primary key where it has none.
func tableDigest(ctx context.Context, read reader, name string, except []Change) (TableDigest, error) {
	t := TableDigest{Name: name}
	columns, keys, err := columnsOf(ctx, read, name)
	if err != nil {
		return t, err
	}
	m, err := newMask(name, columns, except)
	if err != nil {
		return t, err
	}
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = evidence.QuoteName(c)
	}
	from := " FROM " + evidence.QuoteName(name) + " NOT INDEXED"
	query := "SELECT rowid, " + strings.Join(quoted, ", ") + from + " ORDER BY rowid"
	if read(ctx, "SELECT rowid"+from+" LIMIT 0", nil, func([]evidence.Value) error { return nil }) != nil {
		query = "SELECT 0, " + strings.Join(quoted, ", ") + " FROM " + evidence.QuoteName(name) + " ORDER BY " + strings.Join(keys, ", ")
	}
	h := sha256.New()
	err = read(ctx, query, nil, func(row []evidence.Value) error {
		t.Rows++
		put(h, row[0])
		m.put(h, row[1:])
		return ctx.Err()
	})
	t.SHA256 = hex.EncodeToString(h.Sum(nil))
	return t, err
}

// columnsOf lists the columns of a table, and those of its primary key quoted and in its order.
func columnsOf(ctx context.Context, read reader, table string) (columns, keys []string, err error) {
	order := map[int64]string{}
	err = read(ctx, "PRAGMA table_xinfo("+evidence.QuoteName(table)+")", nil, func(row []evidence.Value) error {
		columns = append(columns, row[1].String())
		if n := row[5].Int; n > 0 {
			order[n] = evidence.QuoteName(row[1].String())
		}
		return nil
	})
	for n := int64(1); n <= int64(len(order)); n++ {
		keys = append(keys, order[n])
	}
	return columns, keys, err
}

// mask hides the cells that a plan may change.
type mask struct {
	key   int                     // place of the key's column; -1 = nothing is hidden
	cells map[string]map[int]bool // places by key
}

func newMask(table string, columns []string, except []Change) (mask, error) {
	m := mask{key: -1, cells: map[string]map[int]bool{}}
	for _, c := range except {
		if c.Table != table {
			continue
		}
		key, err := keyOf(table)
		if err != nil {
			return m, err
		}
		m.key = slices.IndexFunc(columns, func(name string) bool { return strings.EqualFold(name, key) })
		at := slices.IndexFunc(columns, func(name string) bool { return strings.EqualFold(name, c.Column) })
		if m.key < 0 || at < 0 {
			return m, fmt.Errorf("it has no column %q or %q", key, c.Column)
		}
		if m.cells[c.Key] == nil {
			m.cells[c.Key] = map[int]bool{}
		}
		m.cells[c.Key][at] = true
	}
	return m, nil
}

func (m mask) put(h hash.Hash, row []evidence.Value) {
	var hidden map[int]bool
	if m.key >= 0 {
		hidden = m.cells[string(row[m.key].Bytes)]
	}
	for i, v := range row {
		if hidden[i] {
			_, _ = h.Write([]byte{0xff}) // no storage class
			continue
		}
		put(h, v)
	}
}

// put hashes a cell so that no two different rows hash alike: class, length, bytes.
func put(h hash.Hash, v evidence.Value) {
	var buf [9]byte
	buf[0] = byte(v.Kind)
	switch v.Kind {
	case evidence.Int:
		binary.BigEndian.PutUint64(buf[1:], uint64(v.Int))
	case evidence.Float:
		binary.BigEndian.PutUint64(buf[1:], math.Float64bits(v.Float))
	case evidence.Text, evidence.Blob:
		binary.BigEndian.PutUint64(buf[1:], uint64(len(v.Bytes)))
	}
	_, _ = h.Write(buf[:]) // documented never to fail
	if v.Kind == evidence.Text || v.Kind == evidence.Blob {
		_, _ = h.Write(v.Bytes)
	}
}
