package gitro

import (
	"context"
)

// WalkOptions steer Reader.Walk.
type WalkOptions struct {
	// Enter says whether a folder is looked into; nil looks into all.
	Enter func(path []byte, e TreeEntry) bool
	Limit int // entries in all; 0 = 4 << 20
}

// maxHeld bounds the entries of the folders that are open at the same time.
const maxHeld = 1 << 20

// frame is a folder that is being listed.
type frame struct {
	entries []TreeEntry
	id      ID
	err     error // what follows the entries
	length  int   // of the path before it
	total   int   // entries when it was opened
}

// Walk tells fn every entry below a tree, folders before what is in them, in the byte order of full paths that git
// stores them in. A folder that cannot be read is told as its entry first and then with its *ObjectError, and the walk
// goes on behind it; for the root itself e is a ModeTree without a name. path is valid during the call only. The walk
// ends with the first error of fn, with that of ctx, or with an *ObjectError of FaultLimit.
func (r *Reader) Walk(ctx context.Context, tree ID, o WalkOptions, fn func(path []byte, e TreeEntry, err error) error) error {
	if o.Limit <= 0 {
		o.Limit = 4 << 20
	}
	root := TreeEntry{Mode: ModeTree, ID: tree}
	entries, err := r.Tree(tree)
	stack := []frame{{entries: entries, id: tree, err: err, total: len(entries)}}
	var path []byte
	for seen, held := 0, len(entries); len(stack) > 0; {
		f := &stack[len(stack)-1]
		path = path[:f.length]
		if len(f.entries) == 0 {
			if f.err != nil {
				e := root
				e.ID = f.id
				if err := fn(path, e, f.err); err != nil {
					return err
				}
			}
			held -= f.total
			stack = stack[:len(stack)-1]
			continue
		}
		e := f.entries[0]
		f.entries = f.entries[1:]
		if len(path) > 0 {
			path = append(path, '/')
		}
		path = append(path, e.Name...)
		if seen++; seen > o.Limit {
			return &ObjectError{ID: tree, Fault: FaultLimit, Err: tooMuch("more than %d entries below a tree", o.Limit)}
		}
		if seen%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(path, e, nil); err != nil {
			return err
		}
		if e.Mode.Canonical() != ModeTree || o.Enter != nil && !o.Enter(path, e) {
			continue
		}
		if len(stack) > r.repo.limits.Depth {
			return &ObjectError{ID: e.ID, Fault: FaultLimit, Err: tooMuch("folders more than %d deep", r.repo.limits.Depth)}
		}
		entries, err := r.Tree(e.ID)
		if held += len(entries); held > maxHeld {
			return &ObjectError{ID: e.ID, Fault: FaultLimit, Err: tooMuch("more than %d entries along one path", maxHeld)}
		}
		stack = append(stack, frame{entries, e.ID, err, len(path), len(entries)})
	}
	return ctx.Err()
}
