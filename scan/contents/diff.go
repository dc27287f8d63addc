package contents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// ChangeKind says how a path differs.
type ChangeKind string

// The kinds of changes.
const (
	Added    ChangeKind = "added"
	Removed  ChangeKind = "removed"
	Modified ChangeKind = "modified" // other content, or another commit of a nested repository
	Retyped  ChangeKind = "type"     // such as a nested repository that became a file
	Remoded  ChangeKind = "mode"     // executable or not, and nothing else
)

// Change is one path that differs. From is nil of an added path, To of a removed one.
type Change struct {
	Path string
	Kind ChangeKind
	From *Entry
	To   *Entry
}

// Unread is a folder that could not be compared.
type Unread struct {
	Path  string // "" = the whole checkpoint
	Fault *evidence.ObjectError
}

// Difference is what Diff found, in the byte order of paths.
type Difference struct {
	Changes []Change
	Unread  []Unread
}

// entryLimit bounds what one comparison or plan takes in; a checkpoint has at most 50,000 files.
const entryLimit = 4 << 20

// Diff compares two trees of one store. Folders of equal id are not looked into. Folders are no changes of their own.
func Diff(ctx context.Context, r *evidence.ObjectReader, from, to evidence.ObjectID) (*Difference, error) {
	d := &differ{r: r, out: &Difference{}}
	d.todo = []folderPair{{"", from, to}}
	for len(d.todo) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := d.todo[len(d.todo)-1]
		d.todo = d.todo[:len(d.todo)-1]
		if err := d.compare(ctx, next); err != nil {
			return nil, fmt.Errorf("compare %q: %w", next.path, err)
		}
	}
	d.out.sort()
	return d.out, nil
}

func (d *Difference) sort() {
	slices.SortFunc(d.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(d.Unread, func(a, b Unread) int { return strings.Compare(a.Path, b.Path) })
}

type folderPair struct {
	path     string
	from, to evidence.ObjectID
}

type differ struct {
	r    *evidence.ObjectReader
	todo []folderPair
	out  *Difference
}

func (d *differ) compare(ctx context.Context, p folderPair) error {
	if p.from == p.to {
		return nil
	}
	from, err := d.entries(p.path, p.from)
	if err != nil {
		return err
	}
	to, err := d.entries(p.path, p.to)
	if err != nil || from == nil || to == nil {
		return err
	}
	for name, a := range from {
		b, ok := to[name]
		if !ok {
			err = d.side(ctx, a, Removed)
		} else {
			err = d.pair(ctx, a, b)
		}
		if err != nil {
			return err
		}
	}
	for name, b := range to {
		if _, ok := from[name]; !ok {
			if err := d.side(ctx, b, Added); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair compares two entries of one name.
func (d *differ) pair(ctx context.Context, a, b Entry) error {
	switch ka, kb := a.Kind(), b.Kind(); {
	case ka == Folder && kb == Folder:
		d.todo = append(d.todo, folderPair{a.Path, a.ID, b.ID})
	case ka == Folder || kb == Folder:
		if err := d.side(ctx, a, Removed); err != nil {
			return err
		}
		return d.side(ctx, b, Added)
	default:
		if kind := changed(a, b); kind != "" {
			return d.add(Change{a.Path, kind, &a, &b})
		}
	}
	return nil
}

// changed compares two entries that are no folders; "" = they are equal.
func changed(a, b Entry) ChangeKind {
	plain := func(k Kind) bool { return k == File || k == Executable }
	ka, kb := a.Kind(), b.Kind()
	switch {
	case ka != kb && !(plain(ka) && plain(kb)):
		return Retyped
	case a.ID != b.ID:
		return Modified
	case ka != kb:
		return Remoded
	}
	return ""
}

// side adds an entry that only one tree has, or everything below it.
func (d *differ) side(ctx context.Context, e Entry, kind ChangeKind) error {
	one := func(e Entry) error {
		if kind == Added {
			return d.add(Change{e.Path, kind, nil, &e})
		}
		return d.add(Change{e.Path, kind, &e, nil})
	}
	if e.Kind() != Folder {
		return one(e)
	}
	return d.r.Walk(ctx, e.ID, evidence.WalkOptions{}, func(path []byte, te evidence.TreeEntry, err error) error {
		below := Entry{e.Path, te.Mode.Canonical(), te.ID}
		if len(path) > 0 {
			below.Path = join(e.Path, string(path))
		}
		switch {
		case err != nil:
			d.unread(below.Path, err)
			return nil
		case below.Kind() == Folder:
			return nil
		}
		return one(below)
	})
}

func (d *differ) add(c Change) error {
	if len(d.out.Changes) == entryLimit {
		return fmt.Errorf("more than %d changes", entryLimit)
	}
	d.out.Changes = append(d.out.Changes, c)
	return nil
}

func (d *differ) unread(path string, err error) {
	d.out.Unread = append(d.out.Unread, Unread{path, fault(err)})
}

// entries reads one folder; nil when it cannot be read, which is remembered.
func (d *differ) entries(path string, id evidence.ObjectID) (map[string]Entry, error) {
	list, err := d.r.Tree(id)
	if err != nil {
		if fault(err) == nil {
			return nil, err
		}
		d.unread(path, err)
		return nil, nil
	}
	out := make(map[string]Entry, len(list))
	for _, e := range list {
		if name := string(e.Name); out[name].Path == "" { // of a hostile tree's doubles, the first
			out[name] = Entry{join(path, name), e.Mode.Canonical(), e.ID}
		}
	}
	return out, nil
}
