package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// Options steer Open; the zero value is good.
type Options struct {
	TempDir string // where private copies go; "" = os.TempDir()
	// Progress is told the bytes hashed, copied or unpacked, by stage; nil = nobody. It is called from several
	// goroutines, one at a time.
	Progress func(stage string, done, total int64)
	// Damaged makes Open give a database that cannot be read at all as a Store whose Fault says why. Without it
	// such a database is an error.
	Damaged bool
	// Instead names a file to be read, with its own sidecars, in the place of the one database that the paths name,
	// with everything else beside that one: a repaired copy as it will be where the database lies. "" = nothing.
	Instead string
	// Bounds limit what is read beside the databases; the zero value is good.
	Bounds Bounds
	// NoCheckpoints leaves the checkpoint stores alone: Bundle.Checkpoints stays empty, and a folder that holds
	// nothing else is an error.
	NoCheckpoints bool
}

// Bundle is what Open found at all paths together.
type Bundle struct {
	Stores []*Store // in the order of the paths; a home's own store before those of its profiles, these by name
	Homes  []*Home  // in the same order
	// Checkpoints are the checkpoints/ folders of the homes, and those that were named themselves, in the same order.
	Checkpoints []*CheckpointBase

	custody *custody
	private *private
	bases   []*baseSource

	noCheckpoints bool
	bounds        Bounds
	progress      func(stage string, done, total int64)
	notify        sync.Mutex
	closed        bool
}

// Open opens every path: a database file of any name, a Hermes home folder, a checkpoints/ folder or a git directory
// of one, or a zip or tar.gz of a database or home. A file
// is examined with its own -wal, -journal and -shm and nothing else beside it. Hashing of all files goes on in
// the background until ctx ends or the Bundle is closed; reading the stores need not wait for it.
//
// What the caller can mend is an *InputError. The caller must Close the Bundle.
func Open(ctx context.Context, paths []string, o Options) (_ *Bundle, err error) {
	b := &Bundle{custody: &custody{}, private: &private{parent: o.TempDir}, noCheckpoints: o.NoCheckpoints, bounds: o.Bounds.filled()}
	b.progress = func(stage string, done, total int64) {
		if o.Progress != nil {
			b.notify.Lock()
			defer b.notify.Unlock()
			o.Progress(stage, done, total)
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	var sources []*source
	for _, path := range paths {
		found, err := b.locate(ctx, path)
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	sources = distinct(sources)
	if o.Instead != "" {
		if len(sources) != 1 {
			return nil, fmt.Errorf("read %q in the place of a database: the paths name %d", o.Instead, len(sources))
		}
		sources[0].real = o.Instead
	}
	for _, s := range sources {
		if err := s.track(b.custody); err != nil {
			return nil, err
		}
	}
	if err := b.openCheckpoints(len(sources) == 0); err != nil {
		return nil, err
	}
	b.custody.start(ctx, b.progress)
	for _, s := range sources {
		store, err := b.openStore(ctx, s, o.Damaged)
		if err != nil {
			return nil, err
		}
		b.Stores = append(b.Stores, store)
	}
	return b, nil
}

// Close ends the hashing and the connections and removes the private copies. It is idempotent.
func (b *Bundle) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	b.custody.stop()
	var errs []error
	for _, s := range b.Stores {
		errs = append(errs, s.DB.close())
	}
	for _, c := range b.Checkpoints {
		errs = append(errs, c.close())
	}
	for _, h := range b.Homes {
		errs = append(errs, h.root.Close())
	}
	errs = append(errs, b.private.remove())
	return errors.Join(errs...)
}

// private is the folder for copies, made when the first is needed. Only its owner can look into it.
type private struct {
	parent string
	dir    string
	count  int
}

// folder makes a new empty folder with room for need bytes.
func (p *private) folder(need int64) (string, error) {
	parent := p.parent
	if parent == "" {
		parent = os.TempDir()
	}
	// A little more than the files themselves: SQLite's index of a -wal, and folders.
	if err := sqlitero.Room(parent, need+need/64+1<<20); err != nil {
		return "", &InputError{Path: parent, Reason: cause(err), Next: "free some space, or set TMPDIR to a folder on a larger disk", Err: err}
	}
	if p.dir == "" {
		dir, err := os.MkdirTemp(parent, "hermes-doctor-")
		if err != nil {
			return "", &InputError{Path: parent, Reason: "no private copy can be made there: " + cause(err), Next: "set TMPDIR to a folder that you may write to", Err: err}
		}
		p.dir = dir
	}
	p.count++
	dir := filepath.Join(p.dir, strconv.Itoa(p.count))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("make private folder: %w", bare(err))
	}
	return dir, nil
}

// remove deletes everything in the folder and the folder.
func (p *private) remove() error {
	if p.dir == "" {
		return nil
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove private copies: %w", err)
	}
	return nil
}
