package rollback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Simulate says what the rollback r would do with the checkpoint whose top tree is root. An error means that the
// store could not be asked, never that the rollback fails.
func Simulate(ctx context.Context, objects Objects, root string, r Request) (*Outcome, error) {
	r.Platform = cmp.Or(r.Platform, POSIX)
	s := &simulation{ctx: ctx, objects: objects, request: r, out: &Outcome{}}
	if reason := confineFull(r); reason != "" {
		s.fail(InvalidPath, Validate, reason)
		s.out.BeforeFix = Failed
		s.refuseContainer()
		s.assume()
		return s.out, nil
	}
	var err error
	if s.tree, err = readTree(ctx, objects, root); err != nil {
		return nil, err
	}
	if s.out.BeforeFix, err = s.before(); err != nil {
		return nil, err
	}
	if err := s.since(); err != nil {
		return nil, err
	}
	s.refuseContainer()
	s.today()
	s.assume()
	return s.out, nil
}

// simulation is the state of one call of Simulate.
type simulation struct {
	ctx     context.Context
	objects Objects
	request Request
	tree    *recorded
	lost    map[string]bool // whether the store lacks a blob, by id
	out     *Outcome
	safe    bool // the plan of the safe mode decides what is restored
}

func confineFull(r Request) string {
	if r.Selection == "" {
		return ""
	}
	return confine(r.Selection, r)
}

// pathspec is the selection as git gets it.
func (r Request) pathspec() (Pathspec, error) {
	return ParsePathspec(cmp.Or(r.Selection, "."), r.Platform)
}

func (s *simulation) fail(class Class, stage Stage, message string) {
	s.out.Verdict, s.out.Class, s.out.Stage, s.out.Message = Failed, class, stage, message
}

// since applies the rules of the builds that know of nested repositories, in their order; the first that decides ends.
func (s *simulation) since() error {
	if missing := s.tree.missing; len(missing) > 0 {
		s.miss(missing)
		s.fail(MissingObject, Inspect, fmt.Sprintf("a folder of the checkpoint is missing from the store (%s): nothing is changed", missing[0].id))
		return nil
	}
	links := s.gitlinks()
	if len(links) == 0 {
		return s.plain()
	}
	if named := s.inReach(links); len(named) > 0 {
		s.refuse(named)
		return nil
	}
	if at := slices.IndexFunc(s.tree.files, func(f *file) bool { return f.refused }); at >= 0 {
		s.fail(InvalidPath, Inspect, fmt.Sprintf("the checkpoint holds the path %q, which git refuses", s.tree.files[at].path))
		return nil
	}
	ps, err := s.request.pathspec()
	if err != nil {
		s.fail(BadPath, Inspect, err.Error())
		return nil
	}
	if s.undecided(ps) {
		return nil
	}
	selected, found := s.index(ps)
	if !found {
		s.noMatch(Inspect)
		return nil
	}
	if named := paths(selected, (*file).gitlink); len(named) > 0 {
		s.refuse(named)
		return nil
	}
	if len(selected) == 0 {
		s.fail(EmptySelection, Inspect, fmt.Sprintf("everything that %q selects is excluded again", s.request.Selection))
		return nil
	}
	return s.restore(selected)
}

// plain is a rollback of a checkpoint without nested repositories: git alone decides, after the safety snapshot.
func (s *simulation) plain() error {
	if s.request.Selection == "" && s.safeMode() {
		s.safe = true
		return s.safePlan()
	}
	ps, err := s.request.pathspec()
	if err != nil {
		s.fail(BadPath, Checkout, err.Error())
		return nil
	}
	if s.undecided(ps) {
		return nil
	}
	selected, found, _ := ps.checkout(s.tree.root)
	if !found {
		s.noMatch(Checkout)
		return nil
	}
	return s.restore(selected)
}

// before says what the builds before the refusal did: git alone, over all entries.
func (s *simulation) before() (Verdict, error) {
	ps, err := s.request.pathspec()
	if err != nil {
		return Failed, nil
	}
	if s.asksAttributes(ps) {
		return Unknown, nil
	}
	selected, found, missing := ps.checkout(s.tree.root)
	if !found || len(missing) > 0 {
		return Failed, nil
	}
	for _, f := range selected {
		if lost, err := s.isLost(f); err != nil {
			return "", err
		} else if lost && !s.unchanged(f) {
			return Failed, nil
		}
	}
	return Restores, nil
}

func (s *simulation) gitlinks() []*file {
	var out []*file
	for _, f := range s.tree.files {
		if f.gitlink() {
			out = append(out, f)
		}
	}
	return out
}

// inReach applies the rules that need no git: a full rollback reaches every nested repository, a selection those that
// it is, lies below, or is a folder above, by its components alone.
func (s *simulation) inReach(links []*file) []string {
	selection := textual(components(s.request.Selection, s.request.Platform))
	return paths(links, func(f *file) bool { return overlaps(selection, strings.Split(f.path, "/")) })
}

// index resolves a pathspec on an index that holds exactly the checkpoint.
func (s *simulation) index(ps Pathspec) (selected []*file, found bool) {
	names := paths(s.tree.files, func(*file) bool { return true })
	places, found := ps.Inspect(names, func(i int) bool { return s.tree.files[i].gitlink() })
	for _, i := range places {
		selected = append(selected, s.tree.files[i])
	}
	return selected, found
}

// undecided answers Unknown where attributes decide.
func (s *simulation) undecided(ps Pathspec) bool {
	if !s.asksAttributes(ps) {
		return false
	}
	s.out.Verdict = Unknown
	s.out.Message = "the selection asks for git attributes: today's .gitattributes files and settings decide, and no checkpoint records them"
	return true
}

// asksAttributes reports whether the pattern asks for attributes and matches anything of which to ask.
func (s *simulation) asksAttributes(ps Pathspec) bool {
	if !ps.attributed() {
		return false
	}
	m := newMatcher(ps)
	return slices.ContainsFunc(s.tree.files, func(f *file) bool { return m.one(0, []byte(f.path), f.gitlink()) != none })
}

func (s *simulation) noMatch(stage Stage) {
	s.fail(NoMatch, stage, fmt.Sprintf("the selection %q matches nothing in the checkpoint", s.request.Selection))
}

func (s *simulation) refuse(named []string) {
	s.out.Verdict, s.out.Stage, s.out.Nested = Refused, Inspect, named
	s.out.Message = "the checkpoint holds nothing of the nested repositories in reach of the selection: the rollback is refused before anything is changed"
}

// refuseContainer overrules everything: such a session has no checkpoints, whatever lies in the store.
func (s *simulation) refuseContainer() {
	if !container(s.request.Backend) {
		return
	}
	s.out = &Outcome{Verdict: Refused, Stage: Validate, BeforeFix: s.out.BeforeFix}
	s.out.Message = fmt.Sprintf("no checkpoints are taken for terminal.backend=%s: nothing is restored", s.request.Backend)
}

// restore ends in success, or in half of it where the store lacks a file's content.
func (s *simulation) restore(selected []*file) error {
	for _, f := range selected {
		lost, err := s.isLost(f)
		if err != nil {
			return err
		}
		if lost && !s.unchanged(f) {
			s.out.Missing = append(s.out.Missing, Missing{Path: f.path, ID: f.id})
			s.out.Deleted = append(s.out.Deleted, f.path)
			continue
		}
		s.out.Restored = append(s.out.Restored, f.path)
	}
	if n := len(s.out.Missing); n > 0 {
		s.fail(MissingObject, Checkout, fmt.Sprintf("%d of %d files are missing from the store: a rollback restores the others, deletes these and then fails", n, len(selected)))
		return nil
	}
	s.out.Verdict = Restores
	s.out.Message = fmt.Sprintf("%d of %d recorded files come back", len(selected), len(s.tree.files))
	return nil
}

// isLost reports whether the store lacks the content of f. It has none of a nested repository's, and needs none.
func (s *simulation) isLost(f *file) (bool, error) {
	if f.gitlink() {
		return false, nil
	}
	if lost, ok := s.lost[f.id]; ok {
		return lost, nil
	}
	err := s.objects.Blob(s.ctx, f.id)
	if err != nil && !errors.Is(err, ErrMissing) {
		return false, fmt.Errorf("read the content of %q: %w", f.path, err)
	}
	if s.lost == nil {
		s.lost = map[string]bool{}
	}
	s.lost[f.id] = err != nil
	return err != nil, nil
}

func (s *simulation) miss(folders []*folder) {
	for _, d := range folders {
		s.out.Missing = append(s.out.Missing, Missing{Path: strings.TrimSuffix(d.base, "/"), ID: d.id})
	}
}

// paths are the paths of those files for which keep says so.
func paths(files []*file, keep func(*file) bool) []string {
	var out []string
	for _, f := range files {
		if keep(f) {
			out = append(out, f.path)
		}
	}
	return out
}
