package rollback

import "strings"

// refusedName reports whether git takes no entry with this name into an index, whatever the system: names that would
// leave the folder, or write git's own files under one of their spellings (core.protectNTFS is on by default).
func refusedName(name string, mode Mode) bool {
	switch {
	case name == "" || name == "." || name == ".." || strings.Contains(name, "/"):
		return true
	case strings.EqualFold(name, ".git") || mode == Symlink && strings.EqualFold(name, ".gitmodules"):
		return true
	}
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(part, " .")
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
			return true
		}
	}
	return false
}
