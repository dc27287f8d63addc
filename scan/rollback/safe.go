package rollback

import (
	"slices"
	"strings"
)

// safeMode reports whether a full rollback restores by the agent's ledger: the product's default, which needs one.
// Without a known working directory nothing can be compared with it.
func (s *simulation) safeMode() bool {
	return !s.request.All && s.request.Today != nil && len(s.request.Ledger) > 0
}

// safePlan chooses among the files that differ today those that the agent wrote last, and notes what it keeps and
// deletes (#80751, #95491).
func (s *simulation) safePlan() error {
	var targets []*file
	recorded := map[string]bool{}
	for _, f := range s.tree.files {
		recorded[f.path] = true
		if s.unchanged(f) {
			continue
		}
		if why := s.keeps(f.path); why != "" {
			s.keep(f.path, why)
		} else {
			targets = append(targets, f)
		}
	}
	for _, path := range sortedPaths(s.request.Today.Paths) {
		now := s.request.Today.Paths[path]
		if recorded[path] || now.Kind == Folder || now.Kind == Special {
			continue
		}
		switch why := s.keeps(path); {
		case why != "":
			s.keep(path, why)
		case s.request.Today.Unstaged[path] != "":
			s.keep(path, s.request.Today.Unstaged[path])
		case s.request.Today.MaxFileSize > 0 && now.Size > s.request.Today.MaxFileSize:
			s.keep(path, Oversize)
		default:
			s.out.Deleted = append(s.out.Deleted, path)
		}
	}
	return s.restorePatterns(targets)
}

// keeps says why the safe mode leaves a path alone, "" where the agent wrote it last or it is gone.
func (s *simulation) keeps(path string) KeptReason {
	written, known := s.request.Ledger[path]
	now, exists := s.request.Today.Paths[path]
	switch {
	case !known:
		return NotByAgent
	case exists && (now.Kind != Plain || now.SHA256 != written):
		return HandEdited
	}
	return ""
}

func (s *simulation) keep(path string, why KeptReason) {
	s.out.Kept = append(s.out.Kept, Kept{path, why})
}

// restorePatterns restores what git makes of the targets' names: the product hands them over as patterns, so that
// "s*" also takes back a file "s!" that it calls kept, and a name with a colon in front may stop it.
func (s *simulation) restorePatterns(targets []*file) error {
	special := func(f *file) bool { return strings.HasPrefix(f.path, ":") || strings.ContainsAny(f.path, wildcards) }
	if !slices.ContainsFunc(targets, special) {
		return s.restore(targets)
	}
	ps, err := parseAll(paths(targets, func(*file) bool { return true }), s.request.Platform)
	if err != nil {
		s.fail(BadPath, Checkout, "the name of a file to restore is no pattern to git: "+err.Error())
		return nil
	}
	selected, found, _ := ps.checkout(s.tree.root)
	if !found {
		s.fail(NoMatch, Checkout, "the name of a file to restore, read as a pattern by git, matches nothing in the checkpoint")
		return nil
	}
	taken := map[string]bool{}
	for _, f := range selected {
		taken[f.path] = true
	}
	s.out.Kept = slices.DeleteFunc(s.out.Kept, func(k Kept) bool { return taken[k.Path] })
	return s.restore(selected)
}
