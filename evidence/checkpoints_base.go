package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

const (
	legacyPrefix = "legacy-"
	storeDir     = "store"
	baseEntries  = 1 << 17
	baseStores   = 1 << 10 // each keeps a few files open
)

// openCheckpoints opens the bases that were located and puts them into custody. Where they are not wanted, they must
// not be all there is.
func (b *Bundle) openCheckpoints(alone bool) error {
	if b.noCheckpoints {
		if alone && len(b.bases) > 0 {
			return &InputError{Path: b.bases[0].path, Reason: "is a checkpoint store without a state.db", Next: "name the folder that holds state.db (usually ~/.hermes), or the database file itself", Err: errNoDatabase}
		}
		return nil
	}
	for _, s := range distinct(b.bases) {
		if !s.link {
			s.listing = &listing{path: s.path, real: s.real, member: s.archive, done: make(chan struct{})}
		}
		base, err := openBase(s)
		b.Checkpoints = append(b.Checkpoints, base)
		if err != nil {
			return err
		}
		if base.listing != nil {
			b.custody.stores = append(b.custody.stores, base.listing)
		}
	}
	return nil
}

// openBase reads one base, whatever state it is in. One that cannot be opened has a problem without a path.
func openBase(s *baseSource) (*CheckpointBase, error) {
	b := &CheckpointBase{Name: s.name, Path: s.path, Profile: s.profile, listing: s.listing, lone: s.lone}
	if s.link {
		b.problem("", gitro.FaultUnreadable, "a link stands in the place of the folder; it is not followed: name its target instead")
		return b, nil
	}
	dir, err := gitro.OpenFolder(s.real)
	if err != nil {
		b.listing = nil
		b.problem("", gitro.FaultUnreadable, "the folder cannot be opened: "+err.Error())
		return b, nil
	}
	b.dirs = append(b.dirs, dir)
	if s.lone {
		version := 2
		if !hasDir(dir, "projects") && has(dir, "HERMES_WORKDIR") {
			version = 1
		}
		name := storeDir
		if base := lastElement(s.path); version == 1 && IsProjectID(base) {
			name = base
		}
		return b, b.addStore(dir, name, version)
	}
	entries, err := dir.List(baseEntries)
	if err != nil {
		b.listing = nil
		b.problem("", gitro.FaultUnreadable, "the folder cannot be listed: "+err.Error())
		return b, nil
	}
	var archives []string
	if err := b.sub(dir, "", storeDir, 2); err != nil {
		return b, err
	}
	for _, e := range entries {
		switch name := e.Name; {
		case name == storeDir:
		case IsProjectID(name) && e.Mode.IsDir():
			if err := b.sub(dir, "", name, 1); err != nil {
				return b, err
			}
		case strings.HasPrefix(name, legacyPrefix) && e.Mode.IsDir():
			archives = append(archives, name)
		default:
			b.other(dir, e)
		}
	}
	for _, name := range archives {
		if err := b.archive(dir, name); err != nil {
			return b, err
		}
	}
	return b, nil
}

func lastElement(path string) string {
	path = strings.TrimRight(strings.ReplaceAll(path, "\\", "/"), "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

func (b *CheckpointBase) problem(path string, f gitro.Fault, what string) {
	b.Problems = append(b.Problems, GitProblem{Path: path, Fault: f, What: what})
}

// sub opens a git directory of the base, if it is there.
func (b *CheckpointBase) sub(dir *gitro.Folder, prefix, name string, version int) error {
	st, err := dir.Stat(name)
	if err != nil {
		return nil // a base without a store is one
	}
	if !st.Mode.IsDir() {
		b.problem(prefix+name, gitro.FaultUnreadable, "is no folder but "+st.Mode.String())
		return nil
	}
	if len(b.Stores) == baseStores {
		b.problem(prefix+name, gitro.FaultLimit, "is not read: there are more repositories than are opened")
		return nil
	}
	sub, err := dir.Sub(name)
	if err != nil {
		b.problem(prefix+name, gitro.FaultUnreadable, "cannot be opened: "+err.Error())
		return nil
	}
	b.dirs = append(b.dirs, sub)
	return b.addStore(sub, prefix+name, version)
}

// addStore reads a git directory.
func (b *CheckpointBase) addStore(dir *gitro.Folder, name string, version int) error {
	s := &CheckpointStore{Base: b, Name: name, Version: version, dir: dir}
	if err := s.load(); err != nil {
		return fmt.Errorf("open checkpoint store %q: %w", name, err)
	}
	b.Stores = append(b.Stores, s)
	return nil
}

// archive reads a legacy-* folder.
func (b *CheckpointBase) archive(dir *gitro.Folder, name string) error {
	a := CheckpointArchive{Name: name}
	if st, err := dir.Stat(name); err == nil {
		a.Modified = epoch(st.Modified)
	}
	sub, err := dir.Sub(name)
	if err != nil {
		b.problem(name, gitro.FaultUnreadable, "cannot be opened: "+err.Error())
		return nil
	}
	b.dirs = append(b.dirs, sub)
	entries, err := sub.List(baseEntries)
	if err != nil {
		b.problem(name, gitro.FaultUnreadable, "cannot be listed: "+err.Error())
	}
	for _, e := range entries {
		if !e.Mode.IsDir() || !IsProjectID(e.Name) {
			a.Strays = append(a.Strays, e.Name)
			continue
		}
		if err := b.sub(sub, name+"/", e.Name, 1); err != nil {
			return err
		}
	}
	b.Archives = append(b.Archives, a)
	return nil
}

// other reads what lies beside the stores.
func (b *CheckpointBase) other(dir *gitro.Folder, e gitro.DirEntry) {
	switch {
	case e.Name == ".last_prune":
		data, _, err := dir.ReadFile(e.Name, 1<<10)
		text := string(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
		v, perr := strconv.ParseFloat(text, 64)
		if err != nil || perr != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			b.problem(e.Name, gitro.FaultCorrupt, "holds no time: it counts as absent")
			return
		}
		b.LastPrune = v
	case e.Name == "corrupt-refs" && e.Mode.IsDir():
		b.SetAside = []SetAsideRef{}
		b.setAside(dir, e.Name, 0)
		slices.SortFunc(b.SetAside, func(a, b SetAsideRef) int { return strings.Compare(a.Path, b.Path) })
	default:
		b.Unknown = append(b.Unknown, e.Name)
	}
}

// setAside lists the files below corrupt-refs/.
func (b *CheckpointBase) setAside(parent *gitro.Folder, path string, depth int) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dir, err := parent.Sub(name)
	if err != nil || depth > 6 {
		b.problem(path, gitro.FaultUnreadable, "cannot be opened")
		return
	}
	defer func() { _ = dir.Close() }() // opened for reading
	entries, err := dir.List(1 << 12)
	if err != nil {
		b.problem(path, gitro.FaultUnreadable, "cannot be listed: "+err.Error())
	}
	for _, e := range entries {
		below := path + "/" + e.Name
		if e.Mode.IsDir() {
			b.setAside(dir, below, depth+1)
			continue
		}
		data, st, err := dir.ReadFile(e.Name, 4<<10)
		if err != nil {
			b.problem(below, gitro.FaultUnreadable, "cannot be read: "+err.Error())
			continue
		}
		id, _ := gitro.ParseID(string(bytes.TrimSpace(data))) // damaged is why it was set aside
		b.SetAside = append(b.SetAside, SetAsideRef{Path: below, Project: e.Name, ID: id, Bytes: st.Size})
	}
}

// close lets go of every folder of the base.
func (b *CheckpointBase) close() error {
	var errs []error
	for _, s := range b.Stores {
		errs = append(errs, s.repo.Close())
	}
	for _, d := range b.dirs {
		errs = append(errs, d.Close())
	}
	b.dirs = nil
	return errors.Join(errs...)
}
