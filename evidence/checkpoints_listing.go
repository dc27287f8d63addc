package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// listing is custody of a checkpoints/ folder. A store may hold a hundred thousand files and half a gigabyte, so
// names, sizes, times and modes stand for the objects; refs, HEAD, config and json are hashed. One digest a folder is
// kept.
type listing struct {
	path string // as the caller named it
	real string
	// member is a private copy out of an archive: the archive stands for it.
	member bool
	done   chan struct{} // closed when was is filled in
	was    folders
	err    error
}

// folders is what a listing found.
type folders struct {
	sums   map[string][sha256.Size]byte // by path below the base; "." is the base
	bytes  map[string]int64             // by first element of the path
	empty  []string                     // files among the objects without a byte, at most listingEmpty
	mode   string
	mtime  float64
	digest string
}

const (
	listingDepth   = 64
	listingEntries = 16 << 20
	listingEmpty   = 1 << 16
	listingHash    = 64 << 20 // a larger file is not hashed: nothing that is read as text is
)

// take lists the folder now.
func (l *listing) take(ctx context.Context) (folders, error) {
	dir, err := gitro.OpenFolder(l.real)
	if err != nil {
		return folders{}, fmt.Errorf("list %q: %w", l.path, err)
	}
	defer func() { _ = dir.Close() }() // opened for reading
	t := taking{ctx: ctx, folders: folders{sums: map[string][sha256.Size]byte{}, bytes: map[string]int64{}}}
	if info, err := os.Lstat(l.real); err == nil {
		t.mode, t.mtime = info.Mode().String(), epoch(info.ModTime())
	}
	if err := t.folder(dir, ".", 0); err != nil {
		return folders{}, fmt.Errorf("list %q: %w", l.path, err)
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t.sums)) {
		one := t.sums[name]
		_, _ = fmt.Fprintf(sum, "%q %x\n", name, one) // documented never to fail
	}
	t.digest = hex.EncodeToString(sum.Sum(nil))
	return t.folders, nil
}

// taking is a listing under way.
type taking struct {
	folders
	ctx     context.Context
	entries int
	buf     []byte // a line about a file
	small   []byte // a whole file, where it fits
}

func (t *taking) folder(dir *gitro.Folder, name string, depth int) error {
	if depth > listingDepth {
		return fmt.Errorf("folders more than %d deep", listingDepth)
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	entries, err := dir.List(listingEntries - t.entries)
	if err != nil {
		// What cannot be listed cannot be compared; that it cannot is remembered.
		t.sums[name] = sha256.Sum256([]byte(err.Error()))
		return nil
	}
	t.entries += len(entries)
	sum := sha256.New()
	top, _, _ := strings.Cut(name, "/")
	for _, e := range entries {
		st, err := dir.Stat(e.Name)
		if err != nil {
			_, _ = fmt.Fprintf(sum, "%q %v\n", e.Name, err) // documented never to fail
			continue
		}
		t.buf = fmt.Appendf(t.buf[:0], "%q %d %d %d\n", e.Name, st.Mode, st.Size, st.Modified.UnixNano())
		_, _ = sum.Write(t.buf) // documented never to fail
		below := path.Join(name, e.Name)
		if st.Mode.IsRegular() {
			if name == "." {
				top = e.Name
			}
			t.bytes[top] += st.Size
			if st.Size == 0 && !hashed(below) && len(t.empty) < listingEmpty {
				t.empty = append(t.empty, below)
			}
			if hashed(below) && st.Size <= listingHash {
				t.content(sum, dir, e.Name)
			}
		}
		if st.Mode.IsDir() {
			t.sub(dir, e.Name, below, depth)
		}
	}
	t.sums[name] = [sha256.Size]byte(sum.Sum(nil))
	return t.ctx.Err()
}

func (t *taking) sub(dir *gitro.Folder, name, below string, depth int) {
	sub, err := dir.Sub(name)
	if err == nil {
		err = t.folder(sub, below, depth+1)
		_ = sub.Close() // opened for reading
	}
	if err != nil {
		t.sums[below] = sha256.Sum256([]byte(err.Error()))
	}
}

// hashed says whether the content of a file is read as text, and so must be the same afterwards.
func hashed(name string) bool {
	return !strings.Contains(name, "/objects/") && !strings.HasPrefix(name, "objects/")
}

// content adds the content of a file to a folder's hash.
func (t *taking) content(sum hash.Hash, dir *gitro.Folder, name string) {
	if t.small == nil {
		t.small = make([]byte, 16<<10)
	}
	if n, whole, err := dir.ReadInto(name, t.small); err == nil && whole {
		_, _ = sum.Write(t.small[:n]) // documented never to fail
		_, _ = fmt.Fprintln(sum, err) // documented never to fail
		return
	}
	f, _, err := dir.Open(name)
	if err != nil {
		_, _ = fmt.Fprintln(sum, err) // documented never to fail
		return
	}
	defer func() { _ = f.Close() }() // opened for reading
	_, err = io.Copy(sum, io.LimitReader(f, listingHash))
	_, _ = fmt.Fprintln(sum, err) // documented never to fail
}

// begin takes the first listing.
func (l *listing) begin(ctx context.Context) {
	defer close(l.done)
	l.was, l.err = l.take(ctx)
}

// differing names the folders that are not as they were.
func (l *listing) differing(ctx context.Context) ([]string, error) {
	if l.err != nil || l.member {
		return nil, l.err
	}
	now, err := l.take(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return []string{l.path}, nil
	}
	var names []string
	for name, sum := range l.was.sums {
		if now.sums[name] != sum {
			names = append(names, filepath.Join(l.path, filepath.FromSlash(name)))
		}
	}
	for name := range now.sums {
		if _, ok := l.was.sums[name]; !ok {
			names = append(names, filepath.Join(l.path, filepath.FromSlash(name)))
		}
	}
	return names, nil
}

// input tells the folder as one input: its digest is that of the listing.
func (l *listing) input() (Input, error) {
	if l.err != nil {
		return Input{}, l.err
	}
	var total int64
	for _, n := range l.was.bytes {
		total += n
	}
	return Input{Role: RoleCheckpoints, Path: l.path, Bytes: total, SHA256: l.was.digest, Modified: l.was.mtime, Mode: l.was.mode}, nil
}

// Footprint gives the bytes of all files of the base, and of its store alone; it waits for the listing that Open began.
func (b *CheckpointBase) Footprint(ctx context.Context) (all, store int64, err error) {
	was, err := b.listed(ctx)
	for name, n := range was.bytes {
		all += n
		if name == storeDir || b.lone {
			store += n
		}
	}
	return all, store, err
}

// listed waits for the first listing; a base that is a link, which is not followed, has an empty one.
func (b *CheckpointBase) listed(ctx context.Context) (folders, error) {
	if b.listing == nil {
		return folders{}, nil
	}
	select {
	case <-b.listing.done:
		return b.listing.was, b.listing.err
	case <-ctx.Done():
		return folders{}, ctx.Err()
	}
}
