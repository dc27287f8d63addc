package rollback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mode is what a tree records of an entry: its kind, and for a file whether it is executable.
type Mode uint32

// The modes that git writes.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Gitlink    Mode = 0o160000
	Directory  Mode = 0o040000
)

const kindMask Mode = 0o170000

// IsDirectory reports whether the entry is a folder of the same store.
func (m Mode) IsDirectory() bool { return m&kindMask == Directory }

// IsGitlink reports whether the entry is a nested repository, of which the store holds nothing.
func (m Mode) IsGitlink() bool { return m&kindMask == Gitlink }

// Entry is one entry of a tree: its name (any bytes but NUL and slash), its mode and the id of its object, spelled as
// the store spells ids.
type Entry struct {
	Name string
	Mode Mode
	ID   string
}

// ErrMissing is for Objects to wrap: the object is not in the store or cannot be read, in whole, from it.
var ErrMissing = errors.New("object is missing or damaged")

// Objects is the store as a simulation reads it. Neither method is called with the id of a gitlink.
type Objects interface {
	// Tree gives the entries of the tree with this id in their recorded order. An error that wraps ErrMissing is
	// part of the answer; any other ends the simulation.
	Tree(ctx context.Context, id string) ([]Entry, error)
	// Blob says whether the file content with this id can be read; errors as of Tree.
	Blob(ctx context.Context, id string) error
}

// file is one recorded path that is not a folder.
type file struct {
	path    string
	mode    Mode
	id      string
	refused bool // git takes no such path into an index
}

func (f *file) gitlink() bool { return f.mode.IsGitlink() }

// folder is one recorded directory. base is its path with a trailing slash, "" for the root.
type folder struct {
	base    string
	id      string
	entries []entry
	missing bool
	refused bool // git takes nothing of it into an index
}

// entry is a name in a folder: a file or a folder.
type entry struct {
	name string
	file *file
	sub  *folder
}

// recorded is a whole tree, read once.
type recorded struct {
	root    *folder
	files   []*file   // in byte order of their paths, as an index has them
	missing []*folder // folders that the store does not give
	count   int       // entries read, folders included
}

// Limits for hostile stores: a few trees that name each other again and again expand to more paths than any disk holds.
// maxDepth is deeper than a file system keeps; a checkpoint of the product has at most 50,000 files.
const (
	maxDepth   = 2048
	maxEntries = 4 << 20
)

func readTree(ctx context.Context, objects Objects, id string) (*recorded, error) {
	r := &recorded{root: &folder{id: id}}
	if err := r.read(ctx, objects, r.root, 0); err != nil {
		return nil, err
	}
	sortFiles(r.files)
	return r, nil
}

func (r *recorded) read(ctx context.Context, objects Objects, dir *folder, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxDepth {
		return fmt.Errorf("read tree %s: folders lie in each other more than %d deep", dir.id, maxDepth)
	}
	entries, err := objects.Tree(ctx, dir.id)
	if errors.Is(err, ErrMissing) {
		dir.missing = true
		r.missing = append(r.missing, dir)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read tree %s: %w", dir.id, err)
	}
	if r.count += len(entries); r.count > maxEntries {
		return fmt.Errorf("read tree %s: the checkpoint has more than %d entries", r.root.id, maxEntries)
	}
	dir.entries = make([]entry, len(entries))
	for i, e := range entries {
		path := dir.base + e.Name
		if !e.Mode.IsDirectory() {
			f := &file{path: path, mode: e.Mode, id: e.ID, refused: dir.refused || refusedName(e.Name, e.Mode)}
			dir.entries[i] = entry{name: e.Name, file: f}
			r.files = append(r.files, f)
			continue
		}
		sub := &folder{base: path + "/", id: e.ID, refused: dir.refused || refusedName(e.Name, e.Mode)}
		dir.entries[i] = entry{name: e.Name, sub: sub}
		if err := r.read(ctx, objects, sub, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// sortFiles puts files in the order of an index. git's trees are in it already.
func sortFiles(files []*file) {
	order := func(a, b *file) int { return strings.Compare(a.path, b.path) }
	if !slices.IsSortedFunc(files, order) {
		slices.SortStableFunc(files, order)
	}
}
