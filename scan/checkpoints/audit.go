package checkpoints

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Options steer Read; the zero value gives the list with nested repositories and counts.
type Options struct {
	Objects bool // also look for lost blobs and for commits that no chain leads to
	Deep    bool // with Objects: read every blob whole, where else the head of each loose one is enough
	Workers int  // 0 = 2
}

// Base is the audit of one checkpoints/ folder.
type Base struct {
	Source *evidence.CheckpointBase
	Stores []*Store // in the order of Source.Stores
}

// Store is the audit of one git directory.
type Store struct {
	Source      *evidence.CheckpointStore
	Projects    []*Project            // in the order of Source.Projects
	Unreachable *evidence.Unreachable // nil without Options.Objects
	Damage      []Damage              // by project, then as Damage.Newest and Path go
	// Limit says what was not looked at because there is too much of it; "" = nothing was left out.
	Limit string

	census *evidence.TreeCensus // nil once the store is read: it is the largest part of what reading needs
	lost   []LostTip
	// captured is what SelfCaptures gives.
	captured []SelfCapture
}

// Project is one working directory with its checkpoints.
type Project struct {
	Source      *evidence.CheckpointProject
	Checkpoints []Checkpoint // newest first: Checkpoints[i].N is i+1
	// TipErr is why the value of its ref cannot be used; nil where it can, or where there is none.
	TipErr *evidence.ObjectError
	// TipHidden says that the commit which its ref names lies in a pack without a usable index: no git sees it.
	TipHidden bool
}

// Checkpoint is one commit of a project's chain.
type Checkpoint struct {
	N      int // as /rollback counts, 1 = newest
	Commit *evidence.CommitInfo
	At     float64            // author time in epoch seconds, which lists show; 0 = unreadable
	Reason string             // the subject without the label; bytes as they are
	Told   string             // the label as it stands in the subject, from its bracket on; "" = none
	Label  Label              // how Told and the tree agree
	Nested []Nested           // in the order of the tree
	Total  int64              // nested repositories in all; more than len(Nested) where Store.Limit says so
	Count  evidence.TreeCount // what the tree holds
	Whole  bool               // every tree below it could be read
}

// Nested is a repository inside the working directory, of which nothing but the commit was recorded.
type Nested struct {
	Path    string // below the working directory; bytes as they are
	Commit  evidence.ObjectID
	InStore bool // the recorded commit is an object of the store, which is unusual
	Since   int  // N of the oldest checkpoint in an unbroken row that records the path in the same way
}

// Labelled says whether the checkpoint's own text names its nested repositories; false where it has none.
func (c *Checkpoint) Labelled() bool { return c.Label == Labelled }

// Read audits a base. Damage is in the answer: an error is that of ctx, or means that a file cannot be read.
func Read(ctx context.Context, b *evidence.CheckpointBase, o Options) (*Base, error) {
	out := &Base{Source: b}
	for _, s := range b.Stores {
		store, err := readStore(ctx, s, o)
		if err != nil {
			return nil, fmt.Errorf("audit %s/%s: %w", b.Name, s.Name, err)
		}
		out.Stores = append(out.Stores, store)
	}
	return out, nil
}

func readStore(ctx context.Context, s *evidence.CheckpointStore, o Options) (*Store, error) {
	if o.Workers <= 0 {
		o.Workers = 2
	}
	options := evidence.CensusOptions{Workers: o.Workers, Blobs: o.Objects}
	var watch []*suspects
	if o.Objects {
		for range o.Workers {
			watch = append(watch, &suspects{holds: map[evidence.ObjectID][]evidence.ObjectID{}, looks: map[evidence.ObjectID]bool{}})
		}
		options.Visit = func(worker int, tree evidence.ObjectID, entries func(yield func(mode evidence.TreeMode, name, id []byte) bool)) {
			watch[worker].visit(tree, entries)
		}
	}
	census, err := s.Census(ctx, options)
	if err != nil {
		return nil, err
	}
	out := &Store{Source: s, census: census}
	defer func() { out.census = nil }()
	if stopped := census.Stopped(); stopped != nil {
		out.limit(stopped.Error())
	}
	r := s.Reader()
	defer func() { _ = r.Close() }() // opened for reading
	n := nesting{ctx: ctx, store: out, reader: r, trees: map[evidence.ObjectID]links{}}
	for _, p := range s.Projects {
		project, err := n.project(p)
		if err != nil {
			return nil, err
		}
		out.Projects = append(out.Projects, project)
	}
	if !o.Objects {
		return out, nil
	}
	if out.Unreachable, err = s.Unreachable(ctx, census); err != nil {
		return nil, err
	}
	whole := s.WholeReader()
	defer func() { _ = whole.Close() }() // opened for reading
	for _, p := range out.Projects {
		p.TipHidden = p.TipErr != nil && whole.Has(p.TipErr.ID) && !r.Has(p.TipErr.ID)
	}
	out.findLostTips(whole)
	if err := out.findCaptured(ctx, r, found(watch)); err != nil {
		return nil, err
	}
	return out, out.findDamage(ctx, r, o.Deep)
}

// limit notes the first thing that was too much.
func (s *Store) limit(what string) {
	if s.Limit == "" {
		s.Limit = what
	}
}
