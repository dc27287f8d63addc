package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Copies tells what was looked at by EachCopy or OldMirrors.
type Copies struct {
	Read    int
	Notes   []string
	Limited bool // a bound was reached, so that a copy may not have been read
}

// copied is a file that may be an older copy of the database.
type copied struct {
	rel      string
	size     int64
	modified time.Time
}

// EachCopy opens the copies of the home's database that lie beside it, the latest first, one at a time: those that the
// product makes (spec/state-db.md 1.2) and other *.db files in the home. fn gets a Store that is closed when it returns;
// its Name is the copy's path as evidence spells it. What cannot be opened is a note; an error of fn ends the walk.
func (h *Home) EachCopy(ctx context.Context, fn func(s *Store) error) (*Copies, error) {
	out := &Copies{}
	list, passed, err := h.copies()
	if err != nil {
		out.Limited, out.Notes = true, []string{err.Error()}
		return out, nil
	}
	out.Limited, out.Notes = len(passed) > 0, passed
	most, total := &h.bundle.bounds, int64(0)
	for k, c := range list {
		if total += c.size; k >= most.CopyFiles || total > most.CopyBytes {
			out.Limited = true
			out.Notes = append(out.Notes, fmt.Sprintf("%d of %d older copies of %s were read, the latest of them", k, len(list), h.Path(stateDB)))
			break
		}
		err := h.readCopy(ctx, c, fn)
		var in *InputError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &in) && in.Reason == otherProgram: // kanban.db and its like are no copies
		case errors.As(err, &in):
			out.Notes = append(out.Notes, fmt.Sprintf("the copy %s tells nothing: it %s", h.Path(c.rel), in.Reason))
		case err != nil:
			return nil, fmt.Errorf("read the copy %q: %w", h.Path(c.rel), err)
		default:
			out.Read++
		}
	}
	return out, nil
}

// readCopy opens one copy as any database is opened, and takes it into custody.
func (h *Home) readCopy(ctx context.Context, c copied, fn func(s *Store) error) error {
	real := filepath.Join(h.Dir, filepath.FromSlash(c.rel))
	s := &source{place: place{name: h.Path(c.rel), profile: h.Profile, path: filepath.Join(h.Name, filepath.FromSlash(c.rel)), real: real}, archive: h.archive}
	if err := s.trackNow(ctx, h.custody); err != nil {
		return err
	}
	store, err := h.bundle.openStore(ctx, s, false)
	if err != nil {
		return err
	}
	return errors.Join(fn(store), store.DB.close())
}

// trackNow is track for a file that is opened when the hashing in the background has begun.
func (s *source) trackNow(ctx context.Context, c *custody) error {
	own := &custody{}
	if err := s.track(own); err != nil {
		return err
	}
	for _, t := range own.files {
		t.role = RoleBackup
		if t.present {
			sum, _, err := hashFile(ctx, t.real, func(int) {})
			if err != nil {
				return unreachable(t.path, err)
			}
			t.sum = sum
		}
		c.add(t)
	}
	return nil
}

// copies lists the candidates, the latest first; passed says of what may be one why it is not read. Links are not followed: what
// they lead to may be the database itself.
func (h *Home) copies() (out []copied, passed []string, err error) {
	add := func(dir string, keep func(name string) bool) error {
		names, others, err := h.names(dir, keep)
		// Other programs keep their databases beside it, often behind links.
		others = slices.DeleteFunc(others, func(u unread) bool { return !strings.HasPrefix(u.name, "state") })
		passed = append(passed, h.notes(dir, others)...)
		for _, name := range names {
			rel := path.Join(dir, name)
			info, err := h.root.Lstat(filepath.FromSlash(rel))
			begun := false
			if err == nil {
				begun, err = begins(h, rel)
			}
			switch {
			case err != nil:
				passed = append(passed, h.notes(dir, []unread{{name, bare(err).Error()}})...)
			case begun:
				out = append(out, copied{rel, info.Size(), info.ModTime()})
			}
		}
		return err
	}
	if err := add(".", copyName); err != nil {
		return nil, nil, err
	}
	entries, err := h.ReadDir(".")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), retiredWAL) {
			if err := add(e.Name(), func(name string) bool { return name == stateDB }); err != nil {
				return nil, nil, err
			}
		}
	}
	if entries, err = h.ReadDir("state-snapshots"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		passed = append(passed, err.Error())
	} else {
		for _, e := range entries {
			if e.IsDir() {
				if err := add(path.Join("state-snapshots", e.Name()), func(name string) bool { return name == stateDB }); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b copied) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(b.rel, a.rel))
	})
	return out, passed, nil
}

// copyName says whether a file at the top of a home may be a copy of state.db. Sidecars and the database are none.
func copyName(name string) bool {
	if name == stateDB || isSidecar(name) {
		return false
	}
	return strings.HasPrefix(name, stateDB+".") || strings.HasPrefix(name, "state") && strings.Contains(name, ".db") ||
		strings.HasSuffix(name, ".db") || strings.HasSuffix(name, ".sqlite") || strings.HasSuffix(name, ".sqlite3")
}

// begins says whether a file begins as a database does: locks and lists beside the database are passed over in silence,
// and so are databases of other programs, which are found out when they are opened.
func begins(h *Home, rel string) (bool, error) {
	f, _, err := h.open(rel)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	head := make([]byte, len(magic))
	n, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) { // shorter than that
		err = nil
	}
	return string(head[:n]) == magic, err
}

// OldMirrors reads the older copies of sessions.json: those beside it in dir, torn writes among them, and those in
// snapshots. fn gets each with its path as evidence spells it.
func (h *Home) OldMirrors(ctx context.Context, dir string, fn func(at Ref, text []byte)) (*Copies, error) {
	out := &Copies{}
	var list []string
	add := func(dir string, keep func(string) bool) {
		names, passed, err := h.names(dir, keep)
		if err != nil {
			out.Limited, out.Notes = true, append(out.Notes, err.Error())
		}
		out.Limited, out.Notes = out.Limited || len(passed) > 0, append(out.Notes, h.notes(dir, passed)...)
		for _, name := range names {
			list = append(list, path.Join(dir, name))
		}
	}
	add(dir, oldMirror)
	if entries, err := h.ReadDir("state-snapshots"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		out.Limited, out.Notes = true, append(out.Notes, err.Error())
	} else {
		for _, e := range entries {
			if e.IsDir() {
				snapshot := path.Join("state-snapshots", e.Name())
				add(snapshot, func(name string) bool { return name == "sessions.json" })
				add(path.Join(snapshot, "sessions"), func(name string) bool { return name == "sessions.json" })
			}
		}
	}
	if most := h.bundle.bounds.MirrorFiles; len(list) > most {
		out.Limited = true
		out.Notes = append(out.Notes, fmt.Sprintf("%d of %d older copies of sessions.json were read", most, len(list)))
		list = list[len(list)-most:]
	}
	for _, rel := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := h.Read(rel, RoleBackup, h.bundle.bounds.MirrorBytes)
		if err != nil {
			out.Limited = true
			out.Notes = append(out.Notes, fmt.Sprintf("%s is not read: %v", h.Path(rel), err))
			continue
		}
		out.Read++
		fn(Ref{Path: h.Path(rel)}, text)
	}
	return out, nil
}

// oldMirror says whether a file of the sessions folder may be an older copy of sessions.json, or a torn write of it.
func oldMirror(name string) bool {
	return name != "sessions.json" && (strings.HasPrefix(name, "sessions") && strings.Contains(name, ".json") ||
		strings.HasPrefix(name, ".sessions_") && strings.HasSuffix(name, ".tmp"))
}
