package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

func epoch(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// objectError finds an *ObjectError in err's chain; nil without one.
func objectError(err error) *ObjectError {
	var oe *ObjectError
	if errors.As(err, &oe) {
		return oe
	}
	return nil
}

// storeFiles reads the small files of a store. It must be closed.
type storeFiles struct {
	dir  *gitro.Folder
	name string        // of the folder that was read from last
	last *gitro.Folder // it, held open: a store has a json for every project
}

// read gives a file of a folder of the store; folder "" is the store itself.
func (f *storeFiles) read(folder, name string, limit int64) ([]byte, error) {
	dir := f.dir
	if folder != "" {
		if f.last == nil || f.name != folder {
			f.close()
			sub, err := f.dir.Sub(folder)
			if err != nil {
				return nil, err
			}
			f.name, f.last = folder, sub
		}
		dir = f.last
	}
	data, _, err := dir.ReadFile(name, limit)
	return data, err
}

func (f *storeFiles) close() {
	if f.last != nil {
		_ = f.last.Close() // opened for reading
		f.last = nil
	}
}

// list gives the entries of a folder; a missing one has none.
func (s *CheckpointStore) list(folder string) []gitro.DirEntry {
	sub, err := s.dir.Sub(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var entries []gitro.DirEntry
	if err == nil {
		entries, err = sub.List(1 << 17)
		_ = sub.Close() // opened for reading
	}
	if err != nil {
		s.problem(folder, gitro.FaultUnreadable, "cannot be listed: "+err.Error())
	}
	return entries
}

func (s *CheckpointStore) problem(path string, f gitro.Fault, what string) {
	s.Problems = append(s.Problems, GitProblem{Path: path, Fault: f, What: what})
}

// load reads everything but trees and blobs. Damage is data; an error means that nothing could be looked at.
func (s *CheckpointStore) load() error {
	files := &storeFiles{dir: s.dir}
	defer files.close()
	hint := s.readConfig(files)
	repo, err := gitro.Open(s.dir, hint, gitro.Limits{})
	if err != nil {
		return err
	}
	s.repo, s.Format, s.Packs = repo, repo.Format(), repo.Packs()
	s.Problems = append(s.Problems, repo.Problems()...)
	refs := gitro.ReadRefs(s.dir, gitro.Limits{}, s.Format)
	s.Head, s.Refs = refs.Head, refs.All
	s.Problems = append(s.Problems, refs.Problems...)
	for _, name := range refs.Locks {
		s.Locks = append(s.Locks, s.seen(name))
	}
	for _, name := range []string{"HEAD", "config", "objects", "refs", "refs/heads", "branches"} {
		if _, err := s.stat(name); errors.Is(err, fs.ErrNotExist) {
			s.Absent = append(s.Absent, name)
		}
	}
	for _, name := range s.Packs.Leftovers {
		s.Leavings = append(s.Leavings, s.seen(name))
	}
	s.rootFiles()
	s.steering(files)
	r := s.Reader()
	defer func() { _ = r.Close() }() // opened for reading
	if s.Version == 1 {
		s.onlyProject(files, r)
	} else {
		s.allProjects(files, r)
	}
	return nil
}

// stat looks at a path of at most a few elements, none of which is followed when it is a link.
func (s *CheckpointStore) stat(path string) (gitro.Stat, error) {
	dir := s.dir
	for {
		first, rest, more := strings.Cut(path, "/")
		if !more {
			return dir.Stat(path)
		}
		sub, err := dir.Sub(first)
		if err != nil {
			return gitro.Stat{}, err
		}
		defer func() { _ = sub.Close() }() // opened for reading; paths have a few elements
		dir, path = sub, rest
	}
}

// seen describes a file.
func (s *CheckpointStore) seen(path string) CheckpointFile {
	f := CheckpointFile{Path: path}
	if st, err := s.stat(path); err == nil {
		f.Bytes, f.Modified, f.Mode = st.Size, epoch(st.Modified), st.Mode.String()
	}
	return f
}

// rootFiles sorts the entries of the store, and of its folders, into locks and leavings.
func (s *CheckpointStore) rootFiles() {
	entries, err := s.dir.List(1 << 16)
	if err != nil {
		s.problem("", gitro.FaultUnreadable, "cannot be listed: "+err.Error())
	}
	for _, e := range entries {
		switch name := e.Name; {
		case name == ".gc-pending":
			s.Pending = true
		case name == "gc.pid", strings.HasSuffix(name, ".lock"):
			s.Locks = append(s.Locks, s.seen(name))
		case name == "gc.log":
			f := s.seen(name)
			s.GCLog = &f
		case strings.HasPrefix(name, "restore-inspect-"), strings.HasPrefix(name, "restore-select-"):
			s.Leavings = append(s.Leavings, s.killed(name))
		}
	}
	for _, e := range s.list("indexes") {
		if strings.HasSuffix(e.Name, ".lock") {
			s.Locks = append(s.Locks, s.seen("indexes/"+e.Name))
		} else if e.Mode.IsRegular() {
			s.Indexes = append(s.Indexes, e.Name)
		}
	}
	slices.SortFunc(s.Locks, func(a, b CheckpointFile) int { return strings.Compare(a.Path, b.Path) })
}

// killed describes the folder of a rollback that did not end; the paths that it had selected are evidence.
func (s *CheckpointStore) killed(name string) CheckpointFile {
	f := s.seen(name)
	files := &storeFiles{dir: s.dir}
	defer files.close()
	if data, err := files.read(name, "pathspec", 1<<20); err == nil {
		f.Lines = strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	}
	return f
}

// steering finds what plain git would obey.
func (s *CheckpointStore) steering(files *storeFiles) {
	add := func(kind Steering, path string, detail []string) {
		s.Steering = append(s.Steering, SteeringFile{kind, path, detail})
	}
	for _, f := range []struct {
		kind Steering
		path string
		text bool
	}{
		{SteerAlternates, "objects/info/alternates", true}, {SteerGrafts, "info/grafts", true}, {SteerShallow, "shallow", true},
		{SteerCommitGraph, "objects/info/commit-graph", false}, {SteerCommitGraph, "objects/info/commit-graphs", false},
		{SteerMultiPack, "objects/pack/multi-pack-index", false}, {SteerAttributes, "info/attributes", true},
		{SteerCommonDir, "commondir", true}, {SteerConfig, "config.worktree", true}, {SteerModules, "modules", false},
		{SteerWorktrees, "worktrees", false}, {SteerReftable, "reftable", false},
	} {
		if _, err := s.stat(f.path); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			s.problem(f.path, gitro.FaultUnreadable, fmt.Sprintf("cannot be looked at: %v", err))
			continue
		}
		var detail []string
		if f.text {
			detail = s.lines(f.path)
		}
		add(f.kind, f.path, detail)
	}
	for _, e := range s.list("hooks") {
		if !strings.HasSuffix(e.Name, ".sample") {
			add(SteerHook, "hooks/"+e.Name, nil)
		}
	}
	for _, r := range s.Refs {
		if strings.HasPrefix(r.Name, "refs/replace/") {
			add(SteerReplace, r.Name, []string{r.ID.String()})
		}
	}
	if st, err := s.stat("info/exclude"); err == nil && st.Mode.IsRegular() {
		f := s.seen("info/exclude")
		f.Lines = s.lines(f.Path)
		s.Exclude = &f
	}
}

// lines reads a text of the store, at most 64 KiB of it.
func (s *CheckpointStore) lines(path string) []string {
	dir, name := s.dir, path
	for {
		first, rest, more := strings.Cut(name, "/")
		if !more {
			break
		}
		sub, err := dir.Sub(first)
		if err != nil {
			return nil
		}
		defer func() { _ = sub.Close() }() // opened for reading; paths have a few elements
		dir, name = sub, rest
	}
	data, _, err := dir.ReadFile(name, 64<<10)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}
