package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Path spells a file of the home as evidence does: relative to the home that was given, with the profile before it.
func (h *Home) Path(rel string) string {
	if h.parent == nil {
		return path.Clean(rel)
	}
	return path.Join("profiles", h.Profile, rel)
}

// Parent is the home in whose folder profiles this one lies; nil for a home that is no profile's.
func (h *Home) Parent() *Home { return h.parent }

// unread is a thing in a folder that is not read, and why.
type unread struct{ name, why string }

// notes says of things below the folder rel why they are not read.
func (h *Home) notes(rel string, list []unread) []string {
	var out []string
	for _, u := range list {
		out = append(out, h.Path(path.Join(rel, u.name))+" is not read: "+u.why)
	}
	return out
}

// names lists the regular files of a folder for which keep holds, sorted; passed are the other things of such a name. A link is no file of its own: one to a file that is listed is passed over in silence. A folder that is not
// there has none.
func (h *Home) names(rel string, keep func(name string) bool) (names []string, passed []unread, err error) {
	entries, err := h.ReadDir(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var links []string
	for _, e := range entries {
		switch kept := keep(e.Name()); {
		case !kept || e.IsDir():
		case e.Type().IsRegular():
			names = append(names, e.Name())
		case e.Type()&fs.ModeSymlink != 0:
			links = append(links, e.Name())
		default:
			passed = append(passed, unread{e.Name(), "it is no regular file"})
		}
	}
	for _, link := range links {
		if !h.leadsTo(rel, link, names) {
			passed = append(passed, unread{link, "it is a link, and what it leads to is no file beside it"})
		}
	}
	return names, passed, nil
}

// leadsTo says whether a link of a folder leads to one of its files, or to the database of the home.
func (h *Home) leadsTo(rel, link string, names []string) bool {
	at := func(name string) fs.FileInfo {
		info, err := h.root.Stat(filepath.FromSlash(name))
		if err != nil {
			return nil
		}
		return info
	}
	target := at(path.Join(rel, link))
	if target == nil {
		return false
	}
	if db := at(stateDB); db != nil && os.SameFile(target, db) {
		return true
	}
	for _, name := range names {
		if file := at(path.Join(rel, name)); file != nil && os.SameFile(target, file) {
			return true
		}
	}
	return false
}

// stream gives fn the whole of one file block by block and puts the file into custody. What holds for Read holds here,
// but for the limit: there is none, because nothing is kept.
func (h *Home) stream(ctx context.Context, rel string, role Role, fn func(block []byte)) error {
	f, info, err := h.open(rel)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	sum, size := sha256.New(), int64(0)
	blocks, hashed := make(chan []byte), make(chan struct{})
	go func() {
		for block := range blocks {
			_, _ = sum.Write(block) // documented never to fail
			hashed <- struct{}{}
		}
	}()
	defer close(blocks)
	err = readAhead(ctx, f, func(block []byte) {
		size += int64(len(block))
		blocks <- block // hashed while fn looks at it
		fn(block)
		<-hashed
	})
	if err != nil {
		return bare(err)
	}
	err = h.keep(rel, role, info, hex.EncodeToString(sum.Sum(nil)))
	if size != info.Size() { // custody will say so too
		err = errors.Join(err, ErrChanged)
	}
	return err
}

// open opens one regular file of the home; links are followed inside the home and never out of it.
func (h *Home) open(rel string) (*os.File, fs.FileInfo, error) {
	info, err := h.root.Stat(filepath.FromSlash(rel))
	if err != nil {
		return nil, nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	// The link was resolved above; between the two looks a pipe could take its place.
	f, err := h.root.OpenFile(filepath.FromSlash(rel), os.O_RDONLY|openFlags&^noFollow, 0)
	if err != nil {
		return nil, nil, bare(err)
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		_ = f.Close() // opened for reading
		return nil, nil, bare(err)
	}
	return f, info, nil
}

// keep puts a file that was read whole into custody. An archive stands for its members.
func (h *Home) keep(rel string, role Role, info fs.FileInfo, sum string) error {
	if h.archive {
		return nil
	}
	real, err := filepath.EvalSymlinks(filepath.Join(h.Dir, filepath.FromSlash(rel)))
	if err != nil {
		return fmt.Errorf("find %q: %w", rel, bare(err))
	}
	h.custody.add(&tracked{role: role, path: filepath.Join(h.Name, filepath.FromSlash(rel)), real: real,
		present: true, was: statOf(info), sum: sum})
	return nil
}
