package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

// Worth orders the objects of a database by what their loss means.
type Worth int

// What an object is worth, the dearest first.
const (
	WorthCanonical Worth = iota // holds the talk itself: sessions, messages, system_prompts, and the schema
	WorthTable                  // another table, such as gateway_routing, which can in part be made anew from the rows
	WorthIndex                  // an index: all that it holds stands in its table too
	WorthSearch                 // part of the full-text index: the product makes it anew from the messages
)

// Object is one b-tree of the file and what a walk saw of it.
type Object struct {
	Type, Name, Table string // as in the schema; the schema itself is the table sqlite_schema
	Root              uint32
	Worth             Worth
	Pages, Rows       int64 // pages that were walked, overflow pages included; rows or entries that could be read
	Faults            int   // all of them, also those that Structure does not list
}

// PageFault is one place at which the structure is broken.
type PageFault struct {
	Object int // index in Structure.Objects; -1 for the file as a whole
	Page   uint32
	Reason string
	Looks  string // what the page's bytes look like; "" = not asked
	Lost   bool   // something of the object cannot be read because of it
}

// IndexDifference tells of an index that holds other rows than its table.
type IndexDifference struct {
	Index, Table           string
	Rows, Entries          int64   // as walked
	OnlyTable, OnlyIndex   int64   // how many stand on one side alone; -1 = too many rows to compare one by one
	TableRows, IndexRowIDs []int64 // rowids of the first of them
}

// Doubled tells of a table that gives the same rowid more than once.
type Doubled struct {
	Table          string
	Rows, Distinct int64   // as walked, each page once
	Counted        int64   // what SQLite counts, which walks a shared page as often as it is named; -1 = it cannot
	RowIDs         []int64 // the first that come twice
}

// Structure is what a walk over the pages of a database found.
type Structure struct {
	Whole       bool // every page was read, indexes were compared with their tables, and SQLite's integrity_check ran
	Pages, Read int64
	Objects     []Object    // dearest first
	Faults      []PageFault // in the order of the objects, those of the file as a whole last; not all where there are many
	Count       int         // all of them
	Schema      []SchemaFault
	Differences []IndexDifference
	Doubled     []Doubled
	Checked     []string // what integrity_check said besides "ok", of no more than 100 lines
	Unchecked   string   // why it could not be asked; "" where it was, or where Whole is false
}

// StructureOptions steers Store.Structure.
type StructureOptions struct {
	Deep     bool // read every page also of a large file
	Progress func(stage string, done, total int64)
}

// wholeBytes is the size of a file up to which every page is read without being asked to: as long as that costs little.
const wholeBytes = 32 << 20

// errNoPages is why there is no structure to walk.
var errNoPages = errors.New("the pages cannot be read")

// Structure walks the pages of the view that the store shows, with this program's own reader. Of a file of more than 32
// MiB it reads the schema, the interior pages of every tree and the freelist, unless Deep is set. An error says that it could not
// be walked: the file does not begin as a database does, a read failed, or ctx ended.
func (store *Store) Structure(ctx context.Context, o StructureOptions) (*Structure, error) {
	path := store.shown()
	f, info, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("walk the pages of %q: %w", store.Name, bare(err))
	}
	defer func() { _ = f.Close() }() // opened for reading
	tree, err := pages.Open(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("walk the pages of %q: %w: %w", store.Name, errNoPages, err)
	}
	w := &structureWalk{store: store, tree: tree, file: f, o: o, out: &Structure{Whole: o.Deep || info.Size() <= wholeBytes, Pages: int64(tree.Pages())}}
	if err := w.walk(ctx); err != nil {
		return nil, fmt.Errorf("walk the pages of %q: %w", store.Name, err)
	}
	if path != store.real && store.View == ViewMain {
		w.shortened()
	}
	return w.out, nil
}

// shown is where the view lies that DB shows.
func (store *Store) shown() string {
	if store.DB != nil && store.DB.conn != nil {
		return store.DB.conn.Path()
	}
	return store.real
}

// Large says that Structure reads a part of the file unless Deep is set. It then asks nothing of DB, which others may use
// at the same time.
func (store *Store) Large() bool {
	f, info, err := openRegular(store.shown())
	if err != nil {
		return false // Structure says why
	}
	defer func() { _ = f.Close() }() // opened for reading
	return info.Size() > wholeBytes
}

// shortened tells of a file that is shorter than its header says: it is read from a copy whose header was made to fit, and
// nothing in that copy shows it. SQLite refuses the file itself.
func (w *structureWalk) shortened() {
	f, info, err := openRegular(w.store.real)
	if err != nil {
		return // custody tells of a file that went away
	}
	defer func() { _ = f.Close() }() // opened for reading
	head := make([]byte, 100)
	if _, err := f.ReadAt(head, 0); err != nil {
		return
	}
	h := parseHeader(head)
	if h.pageSize == 0 || h.pages <= info.Size()/int64(h.pageSize) {
		return
	}
	w.out.Count++
	w.out.Faults = append(w.out.Faults, PageFault{Object: -1, Lost: true, Reason: fmt.Sprintf(
		"the file is shorter than its header says: %d pages, and %d are there; SQLite refuses it as it is", h.pages, info.Size()/int64(h.pageSize))})
}

// NoPages says whether an error of Structure means that the file has no pages that could be walked.
func NoPages(err error) bool { return errors.Is(err, errNoPages) }

// structureWalk is the state of one walk.
type structureWalk struct {
	store  *Store
	tree   *pages.File
	file   *os.File
	o      StructureOptions
	out    *Structure
	survey *pages.Survey
}

func (w *structureWalk) walk(ctx context.Context) error {
	entries, err := w.tree.SchemaRows(ctx)
	if err != nil && !errors.Is(err, pages.ErrCorrupt) && !errors.Is(err, pages.ErrWithoutRowid) {
		return err
	}
	w.out.Schema = schemaFaults(entries, w.tree.Pages())
	q := pages.SurveyQuery{Leaves: w.out.Whole, Progress: func(done, total int64) {
		if w.o.Progress != nil {
			w.o.Progress("walk pages", done, total)
		}
	}}
	var c *indexComparison
	if w.out.Whole && w.store.DB != nil && w.store.DB.conn != nil {
		c = newIndexComparison(w.store.DB)
		q.Row, q.Entry = c.row, c.entry
		// Which tree is which is known only when the schema was walked: both are in the order of the schema.
		c.plan(entries)
	}
	if w.survey, err = w.tree.Survey(ctx, q); err != nil {
		return err
	}
	w.take()
	if err := w.double(ctx); err != nil {
		return err
	}
	if c != nil {
		if w.out.Differences, err = c.differences(ctx, w.tree); err != nil {
			return err
		}
	}
	return w.check(ctx)
}

// take turns the survey into what callers see: objects by worth, and their faults in that order.
func (w *structureWalk) take() {
	s := w.survey
	w.out.Read, w.out.Count = s.Read, s.Count
	order := make([]int, len(s.Trees))
	for i := range order {
		order[i] = i
	}
	worth := func(i int) Worth { return worthOf(&s.Trees[i].Entry) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth(a), worth(b)) })
	at := map[int]int{pages.FileTree: -1}
	for k, i := range order {
		t := &s.Trees[i]
		at[i] = k
		w.out.Objects = append(w.out.Objects, Object{Type: t.Entry.Type, Name: t.Entry.Name, Table: t.Entry.Table, Root: t.Entry.Root,
			Worth: worth(i), Pages: t.Pages + t.Overflow, Rows: t.Cells, Faults: t.Troubles})
	}
	for _, t := range s.Troubles {
		w.out.Faults = append(w.out.Faults, PageFault{Object: at[t.Tree], Page: t.Page, Reason: t.Reason, Looks: t.Looks, Lost: t.Lost})
	}
	slices.SortStableFunc(w.out.Faults, func(a, b PageFault) int {
		return cmp.Or(cmp.Compare(uint(a.Object), uint(b.Object)), cmp.Compare(a.Page, b.Page)) // -1 comes last
	})
}

// worthOf says what an object is worth.
func worthOf(e *pages.Entry) Worth {
	table := strings.ToLower(e.Table)
	switch {
	case strings.HasPrefix(table, "messages_fts") || strings.HasPrefix(table, "fts_v22_trash_"):
		return WorthSearch
	case e.Type == "index":
		return WorthIndex
	case table == "sessions" || table == "messages" || table == "system_prompts" || table == "sqlite_schema":
		return WorthCanonical
	}
	return WorthTable
}

// maxDistinct bounds how many rowids are held to find those that come twice.
const maxDistinct = 4 << 20

// double looks for rowids that a table gives twice, where its order is broken or a page is used twice.
func (w *structureWalk) double(ctx context.Context) error {
	if !w.out.Whole {
		return nil
	}
	asked := map[int]bool{}
	for _, t := range w.survey.Troubles {
		if t.Tree < 0 || asked[t.Tree] || !w.survey.Trees[t.Tree].Table || !strings.Contains(t.Reason, "out of order") && !strings.Contains(t.Reason, "used twice") {
			continue
		}
		asked[t.Tree] = true
		e := w.survey.Trees[t.Tree].Entry
		d := Doubled{Table: e.Name, Counted: -1}
		seen := map[int64]bool{}
		err := w.tree.Scavenge(ctx, e.Root, func(_ uint32, rowid int64, _ *pages.Record) error {
			if d.Rows++; len(seen) >= maxDistinct {
				return nil
			}
			if seen[rowid] && len(d.RowIDs) < 20 {
				d.RowIDs = append(d.RowIDs, rowid)
			}
			seen[rowid] = true
			return nil
		})
		if err != nil && !errors.Is(err, pages.ErrCorrupt) {
			return err
		}
		d.Distinct = int64(len(seen))
		if db := w.store.DB; db != nil && db.Table(e.Name) != nil {
			err := db.Query(ctx, "SELECT count(*) FROM "+QuoteName(e.Name)+" NOT INDEXED", nil, func(row []Value) error { d.Counted = row[0].Int; return nil })
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				d.Counted = -1
			}
		}
		if d.Rows != d.Distinct && len(seen) < maxDistinct || d.Counted > d.Distinct {
			w.out.Doubled = append(w.out.Doubled, d)
		}
	}
	return nil
}

// check asks SQLite itself, whose words differ by version but whose eyes see what no walk does: rows that break the rules
// of their own table.
func (w *structureWalk) check(ctx context.Context) error {
	if !w.out.Whole {
		return nil
	}
	if w.store.DB == nil || w.store.DB.conn == nil {
		w.out.Unchecked = "SQLite cannot open the file"
		return nil
	}
	if w.o.Progress != nil {
		w.o.Progress("integrity_check", 0, 0)
	}
	err := w.store.DB.Query(ctx, "PRAGMA integrity_check(100)", nil, func(row []Value) error {
		for _, line := range strings.Split(row[0].String(), "\n") {
			if line != "ok" && !strings.HasPrefix(line, "*** in database") && len(w.out.Checked) < 100 {
				w.out.Checked = append(w.out.Checked, oneLine(errors.New(line)))
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		w.out.Unchecked = oneLine(err)
	}
	return nil
}
