package checkpoints

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// What is listed of a hostile store: a few trees can name more gitlinks than a memory holds.
const (
	mostLinks    = 1 << 14 // of one tree
	mostAllLinks = 1 << 18 // of all checkpoints of one store
)

// nesting reads the projects of a store.
type nesting struct {
	ctx    context.Context
	store  *Store
	reader *evidence.ObjectReader
	trees  map[evidence.ObjectID]links
	listed int
}

// links are the gitlinks below one tree.
type links struct {
	paths   []string
	commits []evidence.ObjectID
	total   int64
}

// project numbers the checkpoints of a project and lists what each does not hold.
func (n *nesting) project(p *evidence.CheckpointProject) (*Project, error) {
	out := &Project{Source: p, Checkpoints: make([]Checkpoint, len(p.Chain))}
	if p.Ref != nil && !p.Ref.ID.IsZero() {
		_, err := n.reader.Commit(p.Ref.ID)
		errors.As(err, &out.TipErr)
	}
	since := map[string]int{}
	for i := len(p.Chain) - 1; i >= 0; i-- {
		c := &out.Checkpoints[i]
		*c = Checkpoint{N: i + 1, Commit: &p.Chain[i]}
		if c.Commit.Author.Valid {
			c.At = float64(c.Commit.Author.When)
		}
		count, known := n.store.census.Count(n.reader, c.Commit.Tree)
		c.Count, c.Whole = count, known && !count.Damaged
		l, err := n.links(c.Commit.Tree, count)
		if err != nil {
			return nil, err
		}
		c.Total = l.total
		c.Reason, c.Told = labelOf(c.Commit)
		c.Label = agree(c.Commit, c.Told, l.paths, int(l.total))
		if c.Label == Wrong && !c.Whole {
			c.Label = Labelled // what the tree lost may be what the label names
		}
		if i+1 < len(p.Chain) && p.Chain[i+1].Tree == c.Commit.Tree {
			c.Nested = out.Checkpoints[i+1].Nested // nothing began or ended in between
			continue
		}
		since = n.nested(c, l, since)
	}
	return out, nil
}

// nested fills in the nested repositories of a checkpoint; since is that of the one before it, and the answer its own.
func (n *nesting) nested(c *Checkpoint, l links, since map[string]int) map[string]int {
	own := make(map[string]int, len(l.paths))
	for k, path := range l.paths {
		if n.listed == mostAllLinks {
			n.store.limit(fmt.Sprintf("its checkpoints name more than %d nested repositories together", n.listed))
			break
		}
		n.listed++
		first, ok := since[path]
		if !ok {
			first = c.N
		}
		own[path] = first
		c.Nested = append(c.Nested, Nested{Path: path, Commit: l.commits[k], InStore: n.reader.Has(l.commits[k]), Since: first})
	}
	return own
}

// errEnough ends a list that is long enough.
var errEnough = errors.New("enough is listed")

// links lists the gitlinks below a tree. Trees without one cost nothing.
func (n *nesting) links(tree evidence.ObjectID, count evidence.TreeCount) (links, error) {
	if count.Gitlinks == 0 {
		return links{}, nil
	}
	if l, ok := n.trees[tree]; ok {
		return l, nil
	}
	l := links{total: count.Gitlinks}
	if n.listed == mostAllLinks {
		return l, nil // the limit is told
	}
	err := n.store.census.Gitlinks(n.ctx, n.reader, tree, func(path []byte, commit evidence.ObjectID) error {
		if len(l.paths) == mostLinks {
			return errEnough
		}
		l.paths, l.commits = append(l.paths, string(path)), append(l.commits, commit)
		return nil
	})
	switch {
	case n.ctx.Err() != nil:
		return l, n.ctx.Err()
	case err != nil:
		n.store.limit(fmt.Sprintf("tree %s names %d nested repositories, of which %d are listed", tree, l.total, len(l.paths)))
	}
	n.trees[tree] = l
	return l, nil
}
