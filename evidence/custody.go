package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrChanged is wrapped by the error of Inputs about a file that something wrote to while it was hashed: the source is
// in use, and nothing that was read of it can be relied on.
var ErrChanged = errors.New("it changed while it was read")

// custody remembers every source file as it was when it was first seen.
type custody struct {
	mu     sync.Mutex
	files  []*tracked
	stores []*listing      // of checkpoints/ folders; complete before start
	known  map[string]bool // by path as named
	done   chan struct{}   // closed when the hashes that Open began are in
	cancel context.CancelFunc
}

// tracked is one file, or the place of a sidecar that was absent and must stay so.
type tracked struct {
	role    Role
	path    string // as the caller named it
	real    string // where it is, links resolved
	member  bool   // from inside an archive: the archive stands for it
	present bool
	was     stat
	sum     string
	err     error
}

// add puts a file into custody, once.
func (c *custody) add(t *tracked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[t.path] {
		return
	}
	if c.known == nil {
		c.known = map[string]bool{}
	}
	c.known[t.path] = true
	c.files = append(c.files, t)
}

// list is a copy of what is in custody now.
func (c *custody) list() []*tracked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.files)
}

// start hashes what is in custody without a hash, in the background; finish waits for it.
func (c *custody) start(ctx context.Context, progress func(stage string, done, total int64)) {
	ctx, c.cancel = context.WithCancel(ctx)
	c.done = make(chan struct{})
	var todo []*tracked
	var done, total int64
	for _, t := range c.list() {
		if t.present && t.sum == "" {
			todo = append(todo, t)
			total += t.was.size
		}
	}
	go func() {
		defer close(c.done)
		for _, t := range todo {
			sum, size, err := hashFile(ctx, t.real, func(n int) {
				done += int64(n)
				progress("hash", done, total)
			})
			if err == nil && size != t.was.size {
				err = ErrChanged
			}
			t.sum, t.err = sum, err // read only after done is closed
		}
		for _, l := range c.stores {
			l.begin(ctx)
		}
	}()
}

// wait blocks until the hashes are in or ctx ends.
func (c *custody) wait(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop ends the hashing and waits until it has let go of the files.
func (c *custody) stop() {
	if c.cancel != nil {
		c.cancel()
		<-c.done
	}
}

// Inputs lists every file that was read, sorted by path; it waits for the hashes that Open began. Files that
// Home.Read reads later are in the next answer.
func (b *Bundle) Inputs(ctx context.Context) ([]Input, error) {
	if err := b.custody.wait(ctx); err != nil {
		return nil, err
	}
	var inputs []Input
	for _, t := range b.custody.list() {
		if !t.present {
			continue
		}
		if t.err != nil {
			return nil, fmt.Errorf("hash %q: %w", t.path, bare(t.err))
		}
		inputs = append(inputs, Input{
			Role: t.role, Path: t.path, Bytes: t.was.size, SHA256: t.sum,
			Modified: float64(t.was.modified.UnixMicro()) / 1e6, Mode: t.was.mode.String(),
		})
	}
	for _, l := range b.custody.stores {
		if l.member {
			continue
		}
		in, err := l.input()
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	slices.SortFunc(inputs, func(a, b Input) int { return strings.Compare(a.Path, b.Path) })
	return inputs, nil
}

// Recheck looks at every input again and hashes it again. It names, sorted, the files that differ from what was
// read in content, size, time or mode, that vanished, and the sidecars that appeared. An archive stands for its
// members.
func (b *Bundle) Recheck(ctx context.Context) (changed []string, err error) {
	if err := b.custody.wait(ctx); err != nil {
		return nil, err
	}
	if changed, err = b.recheckFiles(ctx); err != nil {
		return nil, err
	}
	for _, l := range b.custody.stores {
		names, err := l.differing(ctx)
		if err != nil {
			return nil, err
		}
		changed = append(changed, names...)
	}
	slices.Sort(changed)
	return changed, nil
}

// recheckFiles is Recheck for what is no checkpoint store: several files at a time, the largest first.
func (b *Bundle) recheckFiles(ctx context.Context) (changed []string, err error) {
	files := b.custody.list()
	slices.SortStableFunc(files, func(a, b *tracked) int { return cmp.Compare(b.was.size, a.was.size) })
	var total int64
	for _, t := range files {
		if t.present && !t.member {
			total += t.was.size
		}
	}
	var mu sync.Mutex
	var done int64
	step := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(n)
		b.progress("recheck", done, total)
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), recheckers, len(files)) {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(files); k = int(next.Add(1)) - 1 {
				t := files[k]
				same, failed := t.unchanged(ctx, step)
				mu.Lock()
				if failed != nil {
					err = failed
				} else if !same && !slices.Contains(changed, t.path) {
					changed = append(changed, t.path)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return changed, err
}

// recheckers is how many files are hashed at once, at most: more would wait for the disk.
const recheckers = 4

// unchanged compares one file with what custody remembers; only a cancelled ctx is an error, because a file that
// can no longer be read is not what it was.
func (t *tracked) unchanged(ctx context.Context, step func(n int)) (bool, error) {
	if t.member {
		return true, nil
	}
	info, err := os.Lstat(t.real)
	if !t.present {
		return errors.Is(err, fs.ErrNotExist), nil
	}
	if err != nil || !t.was.same(statOf(info)) {
		return false, nil
	}
	sum, _, err := hashFile(ctx, t.real, step)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	// Stat again: what was written while it was hashed has a new time.
	after, serr := os.Lstat(t.real)
	return err == nil && sum == t.sum && serr == nil && t.was.same(statOf(after)), nil
}

// same compares times as instants.
func (s stat) same(o stat) bool {
	return s.size == o.size && s.mode == o.mode && s.modified.Equal(o.modified)
}
