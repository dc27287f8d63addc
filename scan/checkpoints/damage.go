package checkpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Damage is a tree or blob that checkpoints of a project need and that cannot be read.
type Damage struct {
	Project *Project
	Err     *evidence.ObjectError
	Kind    evidence.ObjectKind // evidence.KindTree or evidence.KindBlob
	Newest  int                 // N of the newest checkpoint that needs it
	Oldest  int                 // N of the oldest one
	Number  int                 // of checkpoints that need it
	Path    string              // of it in the newest one; "" = the whole checkpoint
}

// Bounds of a search in a store that was made to be searched for ever.
const (
	mostBad     = 1 << 17
	mostEntries = 64 << 20
	mostDamage  = 1 << 16
)

// bad is an object that cannot be used.
type bad struct {
	err  *evidence.ObjectError
	kind evidence.ObjectKind
}

// findDamage finds every tree and blob that is missing or damaged, and the checkpoints that need it.
func (s *Store) findDamage(ctx context.Context, r *evidence.ObjectReader, deep bool) error {
	found := map[evidence.ObjectID]bad{}
	for _, d := range s.census.Damage() {
		found[d.ID] = bad{d.Err, evidence.KindTree}
	}
	for _, l := range s.census.LostBlobs() {
		found[l.ID] = bad{&evidence.ObjectError{ID: l.ID, Fault: evidence.ObjectMissing}, evidence.KindBlob}
	}
	if err := s.checkBlobs(ctx, r, deep, found); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	p := &places{store: s, reader: r, bad: found, clean: map[evidence.ObjectID]bool{}, left: mostEntries}
	for _, project := range s.Projects {
		if err := p.project(ctx, project); err != nil {
			return err
		}
	}
	return nil
}

// checkBlobs looks at every blob that a checkpoint needs: at the head of each that has only a file of its own, where a
// crash leaves its traces, or with deep at all of each. Copies in packs have the lower numbers.
func (s *Store) checkBlobs(ctx context.Context, r *evidence.ObjectReader, deep bool, found map[evidence.ObjectID]bad) error {
	reached := s.census.Reached()
	first, _ := r.Number(evidence.ObjectID{}) // the zero id has none
	for i := s.Source.Objects() - 1; i >= 0; i-- {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n := after(first, i)
		id, err := r.Name(n)
		if err != nil || !reached.Has(n) {
			continue // a damaged index is a problem of the store
		}
		if _, tree := s.census.Count(r, id); tree {
			continue // the census has read it
		}
		packed, fault := checkBlob(r, id, deep)
		switch {
		case fault == nil && packed && !deep:
			if own, ok := r.Number(id); ok && own == n {
				return nil // and so are all that follow
			}
		case fault != nil && len(found) == mostBad:
			s.limit(fmt.Sprintf("more than %d objects are damaged", mostBad))
			return nil
		case fault != nil:
			found[id] = bad{fault, evidence.KindBlob}
		}
	}
	return nil
}

// after gives the i-th number behind one.
func after[N ~uint32](n N, i int) N { return n + N(i) }

// checkBlob reads a blob's head, or all of it, and says whether it lies in a pack.
func checkBlob(r *evidence.ObjectReader, id evidence.ObjectID, deep bool) (packed bool, fault *evidence.ObjectError) {
	st, err := r.Stat(id)
	if err == nil && st.Kind != evidence.KindBlob {
		return st.Packed, &evidence.ObjectError{ID: id, Fault: evidence.ObjectWrongKind, Where: st.Where, Err: fmt.Errorf("a %s, not a blob", st.Kind)}
	}
	if deep || err != nil { // another copy may be sound where the first is not
		_, err = r.Blob(id, io.Discard)
	}
	if err != nil && !errors.As(err, &fault) {
		fault = &evidence.ObjectError{ID: id, Fault: evidence.ObjectUnreadable, Where: st.Where, Err: err}
	}
	return st.Packed, fault
}

// places finds where checkpoints need what is bad.
type places struct {
	store  *Store
	reader *evidence.ObjectReader
	bad    map[evidence.ObjectID]bad
	clean  map[evidence.ObjectID]bool // trees without anything bad below them
	left   int                        // entries that may still be looked at
}

// project looks through the checkpoints of a project, newest first.
func (p *places) project(ctx context.Context, project *Project) error {
	at := map[evidence.ObjectID]int{}
	var list []Damage
	for i := range project.Checkpoints {
		c := &project.Checkpoints[i]
		seen := map[evidence.ObjectID]bool{}
		_, err := p.folder(ctx, c.Commit.Tree, nil, 0, func(path string, id evidence.ObjectID) {
			if seen[id] {
				return
			}
			seen[id] = true
			k, ok := at[id]
			if !ok {
				if len(p.store.Damage)+len(list) == mostDamage {
					p.store.limit(fmt.Sprintf("more than %d losses are not listed", mostDamage))
					return
				}
				k = len(list)
				at[id] = k
				list = append(list, Damage{Project: project, Err: p.bad[id].err, Kind: p.bad[id].kind, Newest: c.N, Path: path})
			}
			list[k].Oldest = c.N
			list[k].Number++
		})
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(list, func(a, b Damage) int {
		return cmp.Or(a.Newest-b.Newest, cmp.Compare(a.Path, b.Path), a.Err.ID.Compare(b.Err.ID))
	})
	p.store.Damage = append(p.store.Damage, list...)
	return nil
}

// deepest bounds folders in folders: no more fit into a path of 4,096 bytes.
const deepest = 2048

// folder tells every bad object below a tree, and says whether there is one.
func (p *places) folder(ctx context.Context, tree evidence.ObjectID, path []byte, depth int, tell func(path string, id evidence.ObjectID)) (bool, error) {
	if p.clean[tree] {
		return false, nil
	}
	_, dirty := p.bad[tree]
	if dirty {
		tell(string(path), tree)
	}
	entries, _ := p.reader.Tree(tree) // a damaged tree gives the entries before the damage
	if p.left -= len(entries) + 1; p.left < 0 || depth > deepest {
		p.store.limit(fmt.Sprintf("the losses below tree %s are not all listed", tree))
		return true, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return true, err
	}
	length := len(path)
	for _, e := range entries {
		if path = path[:length]; length > 0 {
			path = append(path, '/')
		}
		path = append(path, e.Name...)
		switch e.Mode.Canonical() {
		case evidence.ModeGitlink: // of another repository: absent by design
		case evidence.ModeTree:
			below, err := p.folder(ctx, e.ID, path, depth+1, tell)
			if err != nil {
				return true, err
			}
			dirty = dirty || below
		default:
			if _, ok := p.bad[e.ID]; ok {
				tell(string(path), e.ID)
				dirty = true
			}
		}
	}
	if !dirty {
		p.clean[tree] = true
	}
	return dirty, nil
}
