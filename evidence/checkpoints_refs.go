package evidence

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// projectRefs is where the tips of a v2 store are.
const projectRefs = "refs/hermes/"

// allProjects gathers the projects of a v2 store from its json files and its refs.
func (s *CheckpointStore) allProjects(files *storeFiles, r *ObjectReader) {
	byID := map[string]*CheckpointProject{}
	project := func(id string) *CheckpointProject {
		p := byID[id]
		if p == nil {
			p = &CheckpointProject{Store: s, ID: id, JSON: Absent, RefState: RefAbsent}
			byID[id] = p
			s.Projects = append(s.Projects, p)
		}
		return p
	}
	for _, e := range s.list("projects") {
		if stem, ok := strings.CutSuffix(e.Name, ".json"); ok {
			project(stem).readJSON(files, e.Name)
			continue
		}
		s.Leavings = append(s.Leavings, s.seen("projects/"+e.Name))
	}
	for i := range s.Refs {
		if id, ok := strings.CutPrefix(s.Refs[i].Name, projectRefs); ok && IsProjectID(id) {
			project(id).follow(&s.Refs[i], r)
		}
	}
	for _, e := range s.list("ledgers") {
		if strings.HasSuffix(e.Name, ".json") {
			s.Ledgers = append(s.Ledgers, readLedger(files, e.Name))
			continue
		}
		s.Leavings = append(s.Leavings, s.seen("ledgers/"+e.Name))
	}
	slices.SortFunc(s.Projects, func(a, b *CheckpointProject) int { return strings.Compare(a.ID, b.ID) })
}

// onlyProject reads the project of a v1 repository: the branch that HEAD names, else the only branch.
func (s *CheckpointStore) onlyProject(files *storeFiles, r *ObjectReader) {
	p := &CheckpointProject{Store: s, ID: lastElement(s.Name), JSON: Absent, RefState: RefAbsent}
	s.Projects = []*CheckpointProject{p}
	data, err := files.read("", "HERMES_WORKDIR", 64<<10)
	switch text := strings.TrimRight(string(data), "\r\n"); {
	case err == nil && text != "":
		p.Workdir, p.WorkdirFrom = text, "HERMES_WORKDIR"
	case s.Config.Worktree != "":
		p.Workdir, p.WorkdirFrom = s.Config.Worktree, "core.worktree"
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.problem("HERMES_WORKDIR", gitro.FaultUnreadable, err.Error())
	}
	var branches []*GitRef
	for i := range s.Refs {
		ref := &s.Refs[i]
		if ref.Name == s.Head.Symbolic {
			p.follow(ref, r)
			return
		}
		if strings.HasPrefix(ref.Name, "refs/heads/") {
			branches = append(branches, ref)
		}
	}
	if len(branches) == 1 {
		p.follow(branches[0], r)
	} else if !s.Head.ID.IsZero() {
		p.follow(&GitRef{Name: "HEAD", ID: s.Head.ID, Loose: s.Head.ID, HasFile: true}, r)
	}
}

// follow reads the chain from a ref. Where its own file leads nowhere, the value of packed-refs is tried.
func (p *CheckpointProject) follow(ref *GitRef, r *ObjectReader) {
	p.Ref, p.RefFlaw = ref, ref.Flaw
	var firstErr error
	for _, id := range []ObjectID{ref.Loose, ref.Packed} {
		if id.IsZero() {
			continue
		}
		_, err := r.Commit(id)
		if err != nil {
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		p.Tip = id
		break
	}
	switch {
	case !p.Tip.IsZero():
		p.RefState = RefSound
		if ref.Flaw != "" || firstErr != nil {
			p.RefState = RefPacked
		}
	case firstErr == nil:
		p.RefState = RefBroken
	case gitro.FaultOf(firstErr) == gitro.FaultKind:
		p.RefState = RefWrong
	default:
		p.RefState = RefDangling
	}
	if firstErr != nil {
		p.RefFlaw = firstErr.Error()
	}
	if !p.Tip.IsZero() {
		chain, err := r.Chain(p.Tip)
		p.Chain, p.ChainErr = chain, objectError(err)
	}
}
