package checkpoints

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// SelfCapture is a checkpoint store inside the checkpoints of a project (spec/checkpoint-store.md 6.4, P5).
type SelfCapture struct {
	Project *Project
	Path    string // of the checkpoints/store folder below the working directory, in the newest checkpoint that has one
	Newest  int    // N of the newest checkpoint that has one
	Oldest  int
	Number  int // of checkpoints that have one
}

// SelfCaptures lists the projects whose checkpoints hold a checkpoint store. Nil without Options.Objects.
func (s *Store) SelfCaptures() []SelfCapture { return s.captured }

// suspects collects, while every tree is read once, what may be a captured store: a folder that is called checkpoints
// and holds a folder store, which looks like one. Each worker has its own.
type suspects struct {
	named []evidence.ObjectID                       // trees that stand under the name checkpoints
	holds map[evidence.ObjectID][]evidence.ObjectID // trees with a folder store, and that folder
	looks map[evidence.ObjectID]bool                // trees that look like a store
}

// visit is told the entries of one tree.
func (c *suspects) visit(tree evidence.ObjectID, entries func(yield func(mode evidence.TreeMode, name, id []byte) bool)) {
	entries(func(mode evidence.TreeMode, name, id []byte) bool {
		folder := mode.Canonical() == evidence.ModeTree
		switch string(name) {
		case "checkpoints":
			if folder {
				c.named = append(c.named, evidence.ObjectIDFrom(id))
			}
		case storeFolder:
			if folder {
				c.holds[tree] = append(c.holds[tree], evidence.ObjectIDFrom(id))
			}
		case "objects", "projects", "HEAD":
			c.looks[tree] = true
		}
		return true
	})
}

const storeFolder = "store"

// found gives the trees of store folders that are in a checkpoints folder and look like a store.
func found(all []*suspects) map[evidence.ObjectID]bad {
	named, looks := map[evidence.ObjectID]bool{}, map[evidence.ObjectID]bool{}
	for _, c := range all {
		for _, id := range c.named {
			named[id] = true
		}
		for id := range c.looks {
			looks[id] = true
		}
	}
	out := map[evidence.ObjectID]bad{}
	for _, c := range all {
		for tree, stores := range c.holds {
			for _, store := range stores {
				if named[tree] && looks[store] {
					out[store] = bad{kind: evidence.KindTree}
				}
			}
		}
	}
	return out
}

// findCaptured finds the checkpoints that hold one of the stores.
func (s *Store) findCaptured(ctx context.Context, r *evidence.ObjectReader, stores map[evidence.ObjectID]bad) error {
	if len(stores) == 0 {
		return nil
	}
	p := &places{store: s, reader: r, bad: stores, clean: map[evidence.ObjectID]bool{}, left: mostEntries}
	for _, project := range s.Projects {
		c := SelfCapture{Project: project}
		for i := range project.Checkpoints {
			n, path := project.Checkpoints[i].N, ""
			_, err := p.folder(ctx, project.Checkpoints[i].Commit.Tree, nil, 0, func(at string, _ evidence.ObjectID) {
				if path == "" && isStorePath(at) {
					path = at
				}
			})
			if err != nil {
				return fmt.Errorf("look for captured stores: %w", err)
			}
			if path == "" {
				continue
			}
			if c.Number++; c.Number == 1 {
				c.Newest, c.Path = n, path
			}
			c.Oldest = n
		}
		if c.Number > 0 {
			s.captured = append(s.captured, c)
		}
	}
	return nil
}

// isStorePath says whether a path ends in checkpoints/store: the same tree may stand elsewhere under another name.
func isStorePath(path string) bool {
	const end = "checkpoints/" + storeFolder
	return path == end || len(path) > len(end) && path[len(path)-len(end)-1:] == "/"+end
}
