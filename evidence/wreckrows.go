package evidence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// Found says by which way a row was come by, the most trustworthy first.
type Found int

// The ways to a row.
const (
	FoundTable Found = iota // in its table's tree
	FoundTorn               // there too, but a part of it lies on pages that cannot be followed
	FoundShape              // on a page that no tree leads to, or in the tree of another table: told by its shape
	FoundFrame              // on a page of an older frame of a write-ahead log, told by its shape
)

// String names the way for people.
func (f Found) String() string {
	return [...]string{"table", "torn", "shape", "frame"}[f]
}

// WreckRow is one row. It is only valid until the callback returns.
type WreckRow struct {
	Table  *DeclaredTable
	RowID  int64
	Page   uint32
	Found  Found
	Values []Value // of the table's columns, text as UTF-8; the rowid's own column holds it
	Known  int     // of a torn row: how many of the first columns could be read; else all
	Lost   bool    // of a row that was told by its shape: its table has lost rows, or the schema has
}

// Loss says what of a table cannot be read.
type Loss struct {
	Table  string
	Places int
	Keys   []pages.Keys // ranges of rowids among which some are lost; not all where there are many
}

// Lost says whether the row of a rowid may be among what cannot be read.
func (l *Loss) Lost(rowid int64) bool {
	if l == nil {
		return false
	}
	for _, k := range l.Keys {
		if k.Holds(rowid) {
			return true
		}
	}
	return l.Places > len(l.Keys)
}

// Walk gives fn every row that the trees of the image hold, table by table in the order of the schema, and then those on
// pages that no tree leads to, where a table or the schema has lost something: else such a page is a leftover of deleted
// rows. Pages of the freelist hold deleted rows and are not looked at. loss tells what could not be read, by lower-case name.
func (i *Image) Walk(ctx context.Context, progress func(done, total int64), fn func(r *WreckRow) error) (loss map[string]*Loss, err error) {
	if i.tree == nil {
		return nil, i.frames(ctx, fn)
	}
	var trees []int // of the survey: entry of the schema; the schema itself is -1
	trees = append(trees, -1)
	for k, e := range i.entries {
		if e.Root != 0 {
			trees = append(trees, k)
		}
	}
	g := &gatherer{image: i, fn: fn, enc: i.tree.Header().Encoding}
	q := pages.SurveyQuery{Leaves: true, Progress: progress,
		Row: func(tree int, page uint32, rowid int64, rec *pages.Record) error {
			if tree >= len(trees) || trees[tree] < 0 {
				return nil
			}
			return g.give(&i.tables[trees[tree]], FoundTable, page, rowid, rec)
		},
		Torn: func(tree int, page uint32, rowid int64, rec *pages.Record) error {
			if tree >= len(trees) || trees[tree] < 0 || i.tables[trees[tree]].Name == "" {
				return nil
			}
			return g.torn(&i.tables[trees[tree]], page, rowid, rec)
		},
	}
	s, err := i.tree.Survey(ctx, q)
	if err != nil {
		return nil, err
	}
	loss = map[string]*Loss{}
	any := len(i.entries) == 0
	for k, t := range s.Trees {
		any = any || t.LostAll > 0
		if t.LostAll == 0 || k >= len(trees) || trees[k] < 0 {
			continue
		}
		if name := strings.ToLower(i.tables[trees[k]].Name); name != "" {
			loss[name] = &Loss{Table: name, Places: t.LostAll, Keys: t.Lost}
		}
	}
	if !any {
		return loss, nil
	}
	g.loss = loss
	g.schema = len(i.entries) == 0 || len(s.Trees) > 0 && s.Trees[0].Troubles > 0
	for page := uint32(2); page != 0 && page <= i.tree.Pages(); page++ {
		if s.Used(page) {
			continue
		}
		if err := i.outside(ctx, g, page); err != nil {
			return nil, err
		}
	}
	return loss, nil
}

// outside takes the rows of a page that no tree leads to.
func (i *Image) outside(ctx context.Context, g *gatherer, page uint32) error {
	err := i.tree.ScavengePage(ctx, page, func(rowid int64, rec *pages.Record) error {
		return g.give(nil, FoundShape, page, rowid, rec)
	})
	if errors.Is(err, pages.ErrCorrupt) {
		return nil
	}
	return err
}

// frames takes the rows of every frame of a write-ahead log that is a leaf of a table, newest first, so that the newest state
// of a row comes first.
func (i *Image) frames(ctx context.Context, fn func(r *WreckRow) error) error {
	g := &gatherer{image: i, fn: fn, enc: pages.UTF8}
	for k := i.scan.Slots - 1; k >= 0; k-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		page, tree, err := i.wal.Frame(k)
		if err != nil {
			return err
		}
		if tree == nil {
			continue
		}
		err = tree.ScavengePage(ctx, 2, func(rowid int64, rec *pages.Record) error {
			return g.give(nil, FoundFrame, page, rowid, rec)
		})
		if err != nil && !errors.Is(err, pages.ErrCorrupt) {
			return err
		}
	}
	return nil
}

// gatherer turns records into rows.
type gatherer struct {
	image *Image
	fn    func(r *WreckRow) error
	enc   pages.Encoding
	raw   []Value
	row   WreckRow

	loss   map[string]*Loss
	schema bool // rows of the schema are lost
}

// give turns a whole record into a row of the table, or of the one table that it fits where it does not fit this one.
func (g *gatherer) give(t *DeclaredTable, by Found, page uint32, rowid int64, rec *pages.Record) error {
	g.raw = g.raw[:0]
	for k := range min(rec.Len(), 2100) {
		g.raw = append(g.raw, rec.Column(k))
	}
	if rec.Err() != nil {
		return nil // told by the walk, or the record of nobody
	}
	if t != nil && t.Name != "" && len(g.raw) <= len(t.Columns) && (t.fits(g.raw) || !g.other(t)) {
		return g.send(t, by, page, rowid, len(t.Columns))
	}
	if t != nil && t.Name == "" { // a tree that is no ordinary table
		return nil
	}
	if t = g.only(); t == nil {
		return nil
	}
	return g.send(t, max(by, FoundShape), page, rowid, len(t.Columns))
}

// other says that the record at hand fits a table that is not t, of those that hold the talk.
func (g *gatherer) other(t *DeclaredTable) bool {
	o := g.only()
	return o != nil && o.Name != t.Name
}

// only is the one table that the record at hand has the shape of; nil = none, or several.
func (g *gatherer) only() *DeclaredTable {
	var found *DeclaredTable
	list := g.image.tables
	if len(g.image.assumed) > 0 {
		list = g.image.assumed
	}
	for k := range list {
		t := &list[k]
		if t.Name == "" || t.WithoutRowID || !t.fits(g.raw) || !plausible(t, g.raw) {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// plausible looks at the columns of the talk whose values can be told by themselves.
func plausible(t *DeclaredTable, raw []Value) bool {
	at := func(column string) *Value {
		for k, c := range t.Columns {
			if k < len(raw) && strings.EqualFold(c.Name, column) {
				return &raw[k]
			}
		}
		return nil
	}
	switch strings.ToLower(t.Name) {
	case "messages":
		role, when := at("role"), at("timestamp")
		return role != nil && role.Kind == Text && len(role.Bytes) < 20 && when != nil && when.Number() > 1e9 && when.Number() < 4.2e9
	case "sessions":
		source, when := at("source"), at("started_at")
		return source != nil && source.Kind == Text && len(source.Bytes) < 40 && when != nil && when.Number() > 1e9 && when.Number() < 4.2e9
	}
	return len(raw) == len(t.Columns) && len(raw) > 1
}

// torn gives what can be read of a row whose chain is broken.
func (g *gatherer) torn(t *DeclaredTable, page uint32, rowid int64, rec *pages.Record) error {
	g.raw = g.raw[:0]
	for k := range t.Columns {
		v := rec.Column(k)
		if rec.Err() != nil {
			break
		}
		v.Bytes = append([]byte(nil), v.Bytes...)
		g.raw = append(g.raw, v)
	}
	if len(g.raw) == 0 {
		return nil
	}
	return g.send(t, FoundTorn, page, rowid, len(g.raw))
}

func (g *gatherer) send(t *DeclaredTable, by Found, page uint32, rowid int64, known int) error {
	g.row = WreckRow{Table: t, RowID: rowid, Page: page, Found: by, Known: known, Values: g.row.Values[:0],
		Lost: by == FoundShape && (g.schema || g.loss[strings.ToLower(t.Name)] != nil)}
	for k := range t.Columns {
		l := &t.Columns[k].layout
		v := Value{}
		switch {
		case l.alias:
			v = Value{Kind: Int, Int: rowid}
		case k < len(g.raw):
			v = g.raw[k]
			if v.Kind == Text && g.enc != pages.UTF8 && g.enc != 0 {
				v.Bytes = []byte(g.enc.Decode(v.Bytes))
			}
			if l.real && v.Kind == Int {
				v = Value{Kind: Float, Float: float64(v.Int)}
			}
		case by != FoundTorn && l.known:
			v = l.blank
		}
		g.row.Values = append(g.row.Values, v)
	}
	return g.fn(&g.row)
}

// IndexRow is one entry of an index, whose rows may be gone.
type IndexRow struct {
	RowID   int64
	Columns []string
	Values  []Value // valid until the callback returns
}

// Indexes gives fn the entries of every index of a table whose columns are plain. sound says of each whether its tree could be
// walked to its end: only then does a missing rowid say that there is no such row. An index with a WHERE does not say so either.
func (i *Image) Indexes(ctx context.Context, table string, fn func(index string, e *IndexRow) error) (sound map[string]bool, err error) {
	sound = map[string]bool{}
	if i.tree == nil {
		return sound, nil
	}
	var columns []string
	for k := range i.tables {
		if strings.EqualFold(i.tables[k].Name, table) {
			for _, c := range i.tables[k].Columns {
				if c.Key && !c.layout.alias {
					columns = append(columns, c.Name)
				}
			}
		}
	}
	for _, e := range i.entries {
		if e.Type != "index" || e.Root == 0 || !strings.EqualFold(e.Table, table) {
			continue
		}
		names := indexColumns(e.SQL)
		if e.SQL == "" && strings.HasSuffix(e.Name, "_1") && len(columns) == 1 {
			names = columns
		}
		if names == nil {
			continue
		}
		row := IndexRow{Columns: names}
		err := i.tree.ScavengeIndex(ctx, e.Root, func(_ uint32, rec *pages.Record) error {
			row.Values = row.Values[:0]
			for k := range names {
				row.Values = append(row.Values, rec.Column(k))
			}
			id := rec.Column(len(names))
			if rec.Err() != nil || rec.Len() != len(names)+1 || id.Kind != Int {
				return nil
			}
			row.RowID = id.Int
			return fn(e.Name, &row)
		})
		switch {
		case err == nil:
			sound[e.Name] = !strings.Contains(strings.ToUpper(strings.Join(sqlWords(e.SQL), " ")), " WHERE ")
		case errors.Is(err, pages.ErrCorrupt), errors.Is(err, pages.ErrNotIndex), errors.Is(err, pages.ErrWithoutRowid):
			sound[e.Name] = false
		default:
			return nil, fmt.Errorf("read index %q: %w", e.Name, err)
		}
	}
	return sound, nil
}

// Sequence is the highest id that the table ever gave, as AUTOINCREMENT remembers; 0 = not known.
func (i *Image) Sequence(ctx context.Context, table string) (int64, error) {
	high := int64(0)
	if i.tree == nil {
		return 0, nil
	}
	for _, e := range i.entries {
		if e.Name != "sqlite_sequence" || e.Root == 0 {
			continue
		}
		err := i.tree.Scavenge(ctx, e.Root, func(_ uint32, _ int64, rec *pages.Record) error {
			if n := rec.Column(1); rec.Column(0).String() == table && n.Kind == Int && n.Int > high && n.Int < math.MaxInt64 {
				high = n.Int
			}
			return nil
		})
		if err != nil && !errors.Is(err, pages.ErrCorrupt) && !errors.Is(err, pages.ErrWithoutRowid) {
			return 0, err
		}
	}
	return high, nil
}

// Small gives fn the rows of a table that is known to be small, of no more than a thousand; nothing where it is not there.
func (i *Image) Small(ctx context.Context, table string, fn func(r *WreckRow) error) error {
	if i.tree == nil {
		return nil
	}
	for k := range i.tables {
		if !strings.EqualFold(i.tables[k].Name, table) {
			continue
		}
		g := &gatherer{image: i, fn: fn, enc: i.tree.Header().Encoding}
		n := 0
		err := i.tree.Scavenge(ctx, i.entries[k].Root, func(page uint32, rowid int64, rec *pages.Record) error {
			if n++; n > 1000 {
				return nil
			}
			return g.give(&i.tables[k], FoundTable, page, rowid, rec)
		})
		if err != nil && !errors.Is(err, pages.ErrCorrupt) && !errors.Is(err, pages.ErrWithoutRowid) {
			return err
		}
	}
	return nil
}

// Sample counts how many rows on the first pages of the image have the shape of one of the tables.
func (i *Image) Sample(ctx context.Context, tables []DeclaredTable) (n int, err error) {
	if i.tree == nil {
		return 0, nil
	}
	g := &gatherer{image: &Image{assumed: tables, tree: i.tree}, enc: i.tree.Header().Encoding, fn: func(r *WreckRow) error {
		if name := strings.ToLower(r.Table.Name); name == "messages" || name == "sessions" {
			n++
			if len(r.Values) == r.Known && len(r.Table.Columns) > 0 {
				n++
			}
		}
		return nil
	}}
	for page := uint32(2); page <= min(i.tree.Pages(), 3000); page++ {
		if err := i.outside(ctx, g, page); err != nil {
			return 0, err
		}
	}
	return n, nil
}
