package pages

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Bounds of what a Survey keeps: a damaged page may be as bad as its bytes allow, but not its report.
const (
	maxTroubles = 200     // of a whole file
	maxTrees    = 1 << 14 // of a schema
	maxLost     = 10_000  // ranges of one tree
)

// Trouble is one place at which the structure of a file is broken.
type Trouble struct {
	Page   uint32 // 0 where no page can be named
	Tree   int    // index in Survey.Trees; FileTree for the freelist, the pointer map and pages that nothing uses
	Reason string
	Looks  string // what the page's bytes look like, where they are not what they should be; "" = not asked
	Lost   bool   // rows or entries of the tree cannot be read because of it
	Keys   Keys   // of a table: which rowids may be among those that cannot be read
}

// Keys is a range of rowids: greater than Low where HasLow holds, at most High where HasHigh does.
type Keys struct {
	Low, High       int64
	HasLow, HasHigh bool
}

// Holds says whether a rowid is in the range.
func (k Keys) Holds(rowid int64) bool {
	return (!k.HasLow || rowid > k.Low) && (!k.HasHigh || rowid <= k.High)
}

// FileTree stands for no tree: the trouble is one of the file as a whole.
const FileTree = -1

// Tree is one b-tree and what a Survey saw of it.
type Tree struct {
	Entry    Entry  // its row of sqlite_schema; of the schema itself one made up, with root 1
	Table    bool   // a rowid table; else an index or a table WITHOUT ROWID
	Pages    int64  // b-tree pages that were read or, without SurveyQuery.Leaves, pointed to
	Overflow int64  // overflow pages
	Cells    int64  // rows or entries that could be read; only with SurveyQuery.Leaves
	Troubles int    // all of them, also those that were not kept
	Lost     []Keys // of a table: the ranges of rowids of those that lose rows, no more than ten thousand
	LostAll  int    // all troubles that lose rows or entries
}

// Survey is what a walk over the structure of a file found.
type Survey struct {
	Trees    []Tree // the schema first, then in the order of the schema
	Troubles []Trouble
	Count    int   // of troubles, also those that were not kept
	Read     int64 // pages that were read
	Unused   int64 // pages that no tree, chain or list reaches; only with SurveyQuery.Leaves
	Free     int64 // pages on the freelist
	Whole    bool  // every page was walked

	owner *owners
}

// Used says whether a tree, a chain or the freelist has a page. Without SurveyQuery.Leaves overflow pages are not known.
func (s *Survey) Used(page uint32) bool { return s.owner.of(page) != nobody }

// SurveyQuery says how much a Survey reads.
type SurveyQuery struct {
	// Leaves reads the leaves and the overflow chains too. Without it, interior pages and the freelist are read alone.
	Leaves bool
	// Row and Entry are given what leaves hold whose chains are in order, with the index of the tree; nil = nobody.
	Row   func(tree int, page uint32, rowid int64, rec *Record) error
	Entry func(tree int, rec *Record) error
	// Torn is given a row whose chain of overflow pages is broken: only what lies on its own page can be read, columns in
	// order until Record.Err.
	Torn func(tree int, page uint32, rowid int64, rec *Record) error
	// Progress is told of pages read; nil = nobody.
	Progress func(done, total int64)
}

// Survey walks every b-tree, the freelist and the pointer map, and goes on behind each damage: a page that cannot be
// read costs what lies below it and nothing else. Every page is used once at most, so that trees which share a page are told
// and not walked twice. Only a read that fails, an ended context and an error of Row or Entry are errors.
func (f *File) Survey(ctx context.Context, q SurveyQuery) (*Survey, error) {
	s := &surveyor{f: f, q: q, ctx: ctx, out: &Survey{Whole: q.Leaves, owner: newOwners(f.pages)}}
	s.owner = s.out.owner
	s.rec.chain.f = f
	s.rec.chain.done = ctx.Done()
	s.begin()
	if err := s.schema(); err != nil {
		return nil, stopped(ctx, err)
	}
	for i := 1; i < len(s.out.Trees); i++ {
		if err := s.root(i); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	if err := s.freelist(); err != nil {
		return nil, stopped(ctx, err)
	}
	if err := s.unused(); err != nil {
		return nil, stopped(ctx, err)
	}
	return s.out, nil
}

// surveyor is the state of one Survey.
type surveyor struct {
	f     *File
	q     SurveyQuery
	ctx   context.Context
	out   *Survey
	owner *owners
	nodes [maxDepth]node
	rec   Record
	spare []byte // a page that is only looked at
	over  []byte // an overflow page
	ptr   pointerMap
	keys  Keys // of the child that is being reached
}

// begin tells what the header alone shows.
func (s *surveyor) begin() {
	f := s.f
	if f.size%int64(f.header.PageSize) != 0 {
		s.trouble(Trouble{Tree: FileTree, Reason: fmt.Sprintf("the file ends inside a page: %d bytes are no whole number of pages of %d", f.size, f.header.PageSize)})
	}
	inForce := f.header.VersionValid == f.header.ChangeCounter
	if there := f.size / int64(f.header.PageSize); inForce && int64(f.header.PageCount) > there {
		s.trouble(Trouble{Tree: FileTree, Lost: true, Reason: fmt.Sprintf("the file is cut short: its header says %d pages, %d are there", f.header.PageCount, there)})
	}
	s.ptr.begin(f)
}

func (s *surveyor) trouble(t Trouble) {
	if t.Lost && t.Keys == (Keys{}) {
		t.Keys = s.keys
	}
	s.out.Count++
	if t.Tree >= 0 && t.Tree < len(s.out.Trees) {
		tree := &s.out.Trees[t.Tree]
		tree.Troubles++
		if t.Lost {
			if tree.LostAll++; len(tree.Lost) < maxLost {
				tree.Lost = append(tree.Lost, t.Keys)
			}
		}
		// One tree must not crowd out all others.
		if s.out.Trees[t.Tree].Troubles > maxTroubles/4 {
			return
		}
	}
	if len(s.out.Troubles) < maxTroubles {
		s.out.Troubles = append(s.out.Troubles, t)
	}
}

// schema walks the tree of page 1 and lists the others.
func (s *surveyor) schema() error {
	s.out.Trees = append(s.out.Trees, Tree{Entry: Entry{Type: "table", Name: "sqlite_schema", Table: "sqlite_schema", Root: 1}, Table: true})
	entries, err := s.f.SchemaRows(s.ctx)
	if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrWithoutRowid) {
		return err
	}
	// The walk below tells what of the schema is broken.
	asked := s.q
	s.q.Row, s.q.Leaves = nil, true // it is small, and all that follows depends on it
	err = s.root(0)
	s.q = asked
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Root == 0 {
			continue
		}
		if len(s.out.Trees) == maxTrees {
			s.trouble(Trouble{Page: 1, Tree: 0, Reason: fmt.Sprintf("the schema names more than %d trees: the others are not walked", maxTrees)})
			s.out.Whole = false
			break
		}
		s.out.Trees = append(s.out.Trees, Tree{Entry: e})
	}
	return nil
}

// root walks one tree.
func (s *surveyor) root(i int) error {
	t := &s.out.Trees[i]
	page := t.Entry.Root
	if !s.claim(page, 0, i, "its root", mapRoot) {
		return nil
	}
	n, err := s.load(page, 0, i)
	if n == nil || err != nil {
		return err
	}
	// A table of another kind than its type is WITHOUT ROWID, which is an index on disk.
	t.Table = n.table()
	if t.Entry.Type == "index" && t.Table {
		s.trouble(Trouble{Page: page, Tree: i, Lost: true, Reason: "its root is a page of a table, not of an index"})
		return nil
	}
	if t.Entry.Type == "table" && !t.Table && !strings.Contains(strings.ToUpper(t.Entry.SQL), "WITHOUT") {
		s.trouble(Trouble{Page: page, Tree: i, Lost: true, Reason: "its root is a page of an index, not of a table", Looks: Looks(page, n.buf)})
		return nil
	}
	w := treeWalk{s: s, tree: i, leafAt: -1}
	if !s.q.Leaves {
		if w.leafAt, err = s.depth(n); err != nil {
			return err
		}
	}
	return w.page(n, 0, Keys{})
}

// load reads a b-tree page into the buffer of its level; nil where it is none, which it tells.
func (s *surveyor) load(page uint32, depth, tree int) (*node, error) {
	select {
	case <-s.ctx.Done():
		return nil, errStopped
	default:
	}
	n := &s.nodes[depth]
	if n.buf == nil {
		n.buf = make([]byte, s.f.header.PageSize)
		n.body = n.buf[:s.f.usable:s.f.usable]
	}
	if err := s.read(page, n.buf); err != nil {
		return nil, err
	}
	n.page = page
	if err := n.parse(); err != nil {
		var bad *PageError
		errors.As(err, &bad)
		s.trouble(Trouble{Page: page, Tree: tree, Reason: bad.Reason, Looks: Looks(page, n.buf), Lost: true})
		return nil, nil
	}
	return n, nil
}

// read fills buf with a page that is known to be inside the file: with NUL bytes, which are no page of anything, where an
// Overlay has it neither in the file nor in the write-ahead log.
func (s *surveyor) read(page uint32, buf []byte) error {
	s.out.Read++
	if s.q.Progress != nil && s.out.Read%1024 == 0 {
		s.q.Progress(s.out.Read, int64(s.f.pages))
	}
	err := s.f.read(page, buf)
	if errors.Is(err, ErrCorrupt) {
		clear(buf)
		return nil
	}
	return err
}

// claim makes a page one of a tree's own and checks its entry in the pointer map; false where it cannot be, which it tells.
func (s *surveyor) claim(page, from uint32, tree int, what string, kind mapKind) bool {
	if page == 0 || page > s.f.pages {
		s.trouble(Trouble{Page: from, Tree: tree, Lost: true, Reason: fmt.Sprintf("%s is page %d, outside the %d pages of the file", what, page, s.f.pages)})
		return false
	}
	if had := s.owner.take(page, tree); had != nobody {
		s.trouble(Trouble{Page: page, Tree: tree, Lost: true, Reason: fmt.Sprintf("it is used twice: %s of page %d leads to it, and %s has it", what, from, s.called(had))})
		return false
	}
	if why := s.ptr.check(s, page, from, kind); why != "" {
		s.trouble(Trouble{Page: page, Tree: FileTree, Reason: why})
	}
	return true
}

// called names an owner for people.
func (s *surveyor) called(tree int) string {
	if tree < 0 || tree >= len(s.out.Trees) {
		return "the freelist"
	}
	return s.out.Trees[tree].Entry.Type + " " + s.out.Trees[tree].Entry.Name
}
