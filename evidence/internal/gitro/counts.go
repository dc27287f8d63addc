package gitro

import (
	"bytes"
	"context"
	"math"
)

// sum adds the counts up from the leaves. Trees that contain each other cannot be made as long as ids are hashes, but
// a circle would end here all the same.
func (c *Census) sum(w *window) {
	c.counts = make([]Count, c.trees.n)
	heights := make([]uint32, c.trees.n) // folders in folders
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, c.trees.n)
	var stack []uint32
	for i := range c.trees.n {
		stack = append(stack[:0], uint32(i))
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			t := c.trees.at(at)
			if state[at] == unseen {
				state[at] = open
				for _, k := range c.edges[t.from:t.to] {
					if state[k] == unseen {
						stack = append(stack, k)
					}
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if state[at] == done {
				continue
			}
			state[at] = done
			n := Count{Files: int64(t.own[0]), Links: int64(t.own[1]), Gitlinks: int64(t.own[2]), Damaged: t.flags&treeDamaged != 0}
			for _, k := range c.edges[t.from:t.to] {
				n.add(c.counts[k])
				n.Folders = capped(n.Folders, 1)
				heights[at] = max(heights[at], heights[k]+1)
			}
			if most := c.repo.limits.Depth; int(heights[at]) > most {
				n.Damaged = true // nobody looks that deep for what lies there
				if c.worst == nil {
					id, _ := c.repo.nameOf(w, t.number)
					c.worst = named(id, "", tooMuch("folders more than %d deep", most))
				}
			}
			c.counts[at] = n
		}
	}
}

func (n *Count) add(o Count) {
	n.Files = capped(n.Files, o.Files)
	n.Links = capped(n.Links, o.Links)
	n.Gitlinks = capped(n.Gitlinks, o.Gitlinks)
	n.Folders = capped(n.Folders, o.Folders)
	n.Damaged = n.Damaged || o.Damaged
}

func capped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Trees is how many unique trees were met, missing ones included.
func (c *Census) Trees() int { return c.trees.n }

// Stopped says why the census ended before it had read every tree; nil when it did not. Trees that were not read count
// as damaged.
func (c *Census) Stopped() *ObjectError { return c.worst }

// Damage lists the trees that are missing or damaged, by id.
func (c *Census) Damage() []TreeDamage { return c.damage }

// LostBlobs lists the blobs that are nowhere, by id, each with the first tree that names it. It is empty without
// CensusOptions.Blobs.
func (c *Census) LostBlobs() []LostBlob { return c.lost }

// Reached holds the numbers of the trees that were met, and of the blobs with CensusOptions.Blobs.
func (c *Census) Reached() Set { return c.reached }

// Count gives what lies below a tree; false for a tree that the census did not meet.
func (c *Census) Count(r *Reader, tree ID) (Count, bool) {
	at, ok := c.find(r, tree)
	if !ok {
		return Count{}, false
	}
	return c.counts[at], true
}

func (c *Census) find(r *Reader, tree ID) (uint32, bool) {
	if n, ok := c.repo.lookup(&r.w, tree); ok {
		at := c.byNumber[n]
		return at - 1, at != 0
	}
	at, ok := c.byID[tree]
	return at, ok
}

// Gitlinks tells fn the path and the recorded commit of every gitlink below a tree, in the order of the tree, reading
// only folders that hold one. The path is valid during the call only. It ends early with an error of fn.
func (c *Census) Gitlinks(ctx context.Context, r *Reader, tree ID, fn func(path []byte, commit ID) error) error {
	return r.Walk(ctx, tree, WalkOptions{
		Enter: func(_ []byte, e TreeEntry) bool {
			n, ok := c.Count(r, e.ID)
			return ok && n.Gitlinks > 0
		},
	}, func(path []byte, e TreeEntry, err error) error {
		if err == nil && e.Mode.Canonical() == ModeGitlink {
			return fn(path, e.ID)
		}
		return nil
	})
}

// Path gives one root and the path below it by which the census first met a damaged tree, and with it the place of a
// lost blob is Path of its tree and its Name.
func (c *Census) Path(r *Reader, tree ID) (root ID, path []byte, ok bool) {
	at, ok := c.find(r, tree)
	if !ok {
		return ID{}, nil, false
	}
	var names [][]byte
	child := tree
	for range c.repo.limits.Depth + 2 {
		t := c.trees.at(at)
		if t.parent == at {
			for i := len(names) - 1; i >= 0; i-- {
				path = append(append(path, names[i]...), '/')
			}
			return child, bytes.TrimSuffix(path, []byte("/")), true
		}
		parent, err := c.repo.nameOf(&r.w, c.trees.at(t.parent).number)
		if err != nil {
			return ID{}, nil, false
		}
		entries, _ := r.Tree(parent) // a damaged parent gives the entries before the damage
		var name []byte
		for _, e := range entries {
			if e.ID == child && e.Mode.Canonical() == ModeTree {
				name = e.Name
				break
			}
		}
		names, child, at = append(names, name), parent, t.parent
	}
	return ID{}, nil, false
}
