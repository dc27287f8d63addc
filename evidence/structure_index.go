package evidence

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// indexComparison compares every plain index with its table: a sum over hashes of what each row should have in the index
// and of what the index has. Equal sums and counts mean equal content, whatever the order; different ones are looked into.
type indexComparison struct {
	db     *DB
	plans  []*indexPlan
	tables map[int][]*indexPlan // by tree of the survey
	trees  map[int]*indexPlan
}

// indexPlan is one index.
type indexPlan struct {
	name, table         string
	root, tableRoot     uint32
	columns             []layout
	rows, entries       int64
	rowsSum, entriesSum uint64
}

func newIndexComparison(db *DB) *indexComparison {
	return &indexComparison{db: db, tables: map[int][]*indexPlan{}, trees: map[int]*indexPlan{}}
}

// plan pairs the trees of a survey, which are those of the schema's rows with a root, in order and behind the schema itself.
func (c *indexComparison) plan(entries []pages.Entry) {
	at := map[string]int{}
	tree := 0
	for _, e := range entries {
		if e.Root == 0 {
			continue
		}
		tree++
		at[e.Type+" "+strings.ToLower(e.Name)] = tree
	}
	for _, e := range entries {
		if e.Type != "table" || e.Root == 0 {
			continue
		}
		t := c.db.Table(e.Name)
		if t == nil || t.rowid == "" || t.root != e.Root {
			continue
		}
		for i := range t.Indexes {
			p, ok := planOf(t, &t.Indexes[i])
			if !ok {
				continue
			}
			tableTree, indexTree := at["table "+strings.ToLower(e.Name)], at["index "+strings.ToLower(p.name)]
			if tableTree == 0 || indexTree == 0 {
				continue
			}
			c.plans = append(c.plans, p)
			c.tables[tableTree] = append(c.tables[tableTree], p)
			c.trees[indexTree] = p
		}
	}
}

// planOf says how the entries of an index follow from rows; ok is false where only SQLite knows: partial indexes, expressions
// and columns whose default it would have to evaluate.
func planOf(t *Table, ix *Index) (*indexPlan, bool) {
	p := &indexPlan{name: ix.Name, table: t.Name, root: ix.root, tableRoot: t.root}
	if ix.Partial || ix.root == 0 {
		return nil, false
	}
	for _, name := range ix.Columns {
		k := slices.IndexFunc(t.Columns, func(c string) bool { return strings.EqualFold(c, name) })
		if k < 0 || t.layout[k].at < 0 || !t.layout[k].known {
			return nil, false
		}
		p.columns = append(p.columns, t.layout[k])
	}
	return p, true
}

func (c *indexComparison) row(tree int, _ uint32, rowid int64, rec *pages.Record) error {
	for _, p := range c.tables[tree] {
		if sum, ok := p.ofRow(rowid, rec); ok {
			p.rows++
			p.rowsSum += sum
		}
	}
	return nil
}

func (c *indexComparison) entry(tree int, rec *pages.Record) error {
	if p := c.trees[tree]; p != nil {
		if sum, _, ok := p.ofEntry(rec); ok {
			p.entries++
			p.entriesSum += sum
		}
	}
	return nil
}

func (p *indexPlan) ofRow(rowid int64, rec *pages.Record) (sum uint64, ok bool) {
	h := fnvBasis
	var v Value
	for i := range p.columns {
		p.columns[i].read(rowid, rec, &v)
		h = hashCell(h, &v)
	}
	h = hashCell(h, &Value{Kind: Int, Int: rowid})
	return mix(h), rec.Err() == nil
}

func (p *indexPlan) ofEntry(rec *pages.Record) (sum uint64, rowid int64, ok bool) {
	h := fnvBasis
	var v Value
	for i := range p.columns {
		rec.ColumnTo(i, &v)
		h = hashCell(h, &v)
	}
	rec.ColumnTo(len(p.columns), &v)
	h = hashCell(h, &v)
	return mix(h), v.Int, rec.Err() == nil
}

const (
	fnvBasis uint64 = 14695981039346656037
	fnvPrime uint64 = 1099511628211
)

// hashCell goes on with a hash over one cell. Numbers that are equal hash equal, whatever they are stored as.
func hashCell(h uint64, v *Value) uint64 {
	var b [9]byte
	kind, content := byte(v.Kind), v.Bytes
	switch v.Kind {
	case Int, Float:
		f := v.Float
		if kind = byte(Float); v.Kind == Int {
			if f = float64(v.Int); v.Int > 1<<53 || v.Int < -1<<53 {
				kind, f = byte(Int), math.Float64frombits(uint64(v.Int))
			}
		}
		if f == 0 {
			f = 0 // the negative one too
		}
		content = binary.BigEndian.AppendUint64(b[:0], math.Float64bits(f))
	}
	h = (h ^ uint64(kind)) * fnvPrime
	for _, c := range content {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return (h ^ uint64(len(content))) * fnvPrime
}

// mix spreads a hash, so that a sum of many tells one set from another.
func mix(h uint64) uint64 {
	h ^= h >> 31
	h *= 0x7fb5d329728ea185
	h ^= h >> 27
	h *= 0x81dadef4bc2dd44d
	return h ^ h>>33
}

// maxCompared bounds how many rows are held to name those that differ.
const maxCompared = 2 << 20

// differences names the rows that only one side has, of each index whose sums differ.
func (c *indexComparison) differences(ctx context.Context, f *pages.File) ([]IndexDifference, error) {
	var out []IndexDifference
	for _, p := range c.plans {
		if p.rows == p.entries && p.rowsSum == p.entriesSum {
			continue
		}
		d := IndexDifference{Index: p.name, Table: p.table, Rows: p.rows, Entries: p.entries, OnlyTable: -1, OnlyIndex: -1}
		if p.rows <= maxCompared && p.entries <= maxCompared {
			if err := p.compare(ctx, f, &d); err != nil {
				return nil, err
			}
			if d.OnlyTable == 0 && d.OnlyIndex == 0 {
				continue
			}
		}
		out = append(out, d)
	}
	return out, nil
}

func (p *indexPlan) compare(ctx context.Context, f *pages.File, d *IndexDifference) error {
	in := map[uint64]int64{} // of the table: rowid by hash
	ignore := func(err error) error {
		if errors.Is(err, pages.ErrCorrupt) || errors.Is(err, pages.ErrWithoutRowid) || errors.Is(err, pages.ErrNotIndex) {
			return nil
		}
		return err
	}
	err := f.Scavenge(ctx, p.tableRoot, func(_ uint32, rowid int64, rec *pages.Record) error {
		if sum, ok := p.ofRow(rowid, rec); ok {
			in[sum] = rowid
		}
		return nil
	})
	if err := ignore(err); err != nil {
		return err
	}
	d.OnlyTable, d.OnlyIndex = 0, 0
	met := map[uint64]bool{}
	err = f.ScavengeIndex(ctx, p.root, func(_ uint32, rec *pages.Record) error {
		sum, rowid, ok := p.ofEntry(rec)
		if !ok {
			return nil
		}
		if _, there := in[sum]; there {
			met[sum] = true
			return nil
		}
		if d.OnlyIndex++; len(d.IndexRowIDs) < 20 {
			d.IndexRowIDs = append(d.IndexRowIDs, rowid)
		}
		return nil
	})
	if err := ignore(err); err != nil {
		return err
	}
	for sum, rowid := range in {
		if !met[sum] {
			d.OnlyTable++
			d.TableRows = append(d.TableRows, rowid)
		}
	}
	slices.Sort(d.TableRows)
	d.TableRows = d.TableRows[:min(len(d.TableRows), 20)]
	return nil
}
