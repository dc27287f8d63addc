package checkpoints

import (
	"slices"
	"strings"
)

// DefaultExcludes are the lines of info/exclude that the product writes when it makes a repository of a layout, 1 or 2
// (spec/checkpoint-store.md 3.3). The list is written once and never refreshed.
func DefaultExcludes(layout int) []string {
	first := []string{
		"node_modules/", "dist/", "build/", ".env", ".env.*", ".env.local", ".env.*.local", "__pycache__/", "*.pyc", "*.pyo", ".DS_Store", "*.log",
		".cache/", ".next/", ".nuxt/", "coverage/", ".pytest_cache/", ".venv/", "venv/", ".git/",
	}
	if layout == 1 {
		return first
	}
	return append(first,
		"target/", "out/", ".mypy_cache/", ".ruff_cache/", ".coverage", "env/", ".hg/", ".svn/", ".worktrees/",
		"*.so", "*.dylib", "*.dll", "*.o", "*.a", "*.jar", "*.class", "*.exe", "*.obj",
		"*.mp4", "*.mov", "*.mkv", "*.webm", "*.zip", "*.tar", "*.tar.gz", "*.tgz", "*.7z", "*.rar", "*.iso", "Thumbs.db")
}

// Excludes is how a store's info/exclude differs from what the product writes.
type Excludes struct {
	Missing bool     // it is not there, or is no plain file of at most 64 KiB
	Gone    []string // lines of the product that it does not have; all of them where it is Missing
	Added   []string // lines that the product does not write, comments and blank ones aside
	Back    []string // such lines that begin with an exclamation mark: what they name may be captured although others exclude it
}

// Excludes compares the list of what is not captured.
func (s *Store) Excludes() Excludes {
	want := DefaultExcludes(s.Source.Version)
	f := s.Source.Exclude
	if f == nil || f.Lines == nil {
		return Excludes{Missing: true, Gone: want}
	}
	var e Excludes
	have := map[string]bool{}
	for _, line := range f.Lines {
		line = strings.TrimRight(line, " \r")
		if line == "" || strings.HasPrefix(line, "#") || have[line] {
			continue
		}
		have[line] = true
		switch {
		case slices.Contains(want, line):
		case strings.HasPrefix(line, "!"):
			e.Back = append(e.Back, line)
		default:
			e.Added = append(e.Added, line)
		}
	}
	e.Gone = slices.DeleteFunc(want, func(line string) bool { return have[line] })
	return e
}
