package rollback

import (
	"fmt"
	"slices"
	"strings"
)

// unchanged reports whether today's file is known to be what the checkpoint recorded: git leaves it alone then.
func (s *simulation) unchanged(f *file) bool {
	if s.request.Today == nil {
		return false
	}
	now, ok := s.request.Today.Paths[f.path]
	if !ok || now.ID == "" || now.ID != f.id {
		return false
	}
	if f.mode == Symlink {
		return now.Kind == Link
	}
	return now.Kind == Plain && (now.Mode == 0 || now.Mode == f.mode)
}

// today adds what the rollback does to the working directory, where that is known.
func (s *simulation) today() {
	if s.request.Today == nil || s.out.Verdict != Restores && s.out.Stage != Checkout {
		return
	}
	now := s.request.Today.Paths
	s.out.Deleted = slices.DeleteFunc(s.out.Deleted, func(path string) bool { _, ok := now[path]; return !ok })
	recorded := make(map[string]*file, len(s.tree.files))
	for _, f := range s.tree.files {
		recorded[f.path] = f
	}
	// The safe mode deletes first, the checkout after it; a path may be in the way of two others.
	gone := map[string]bool{}
	for _, path := range s.out.Deleted {
		gone[path] = true
	}
	restored := map[string]bool{}
	below := sortedPaths(now)
	for _, path := range s.out.Restored {
		restored[path] = true
		if s.unchanged(recorded[path]) {
			continue
		}
		s.out.Written = append(s.out.Written, path)
		for _, other := range inTheWay(path, now, below) {
			gone[other] = true
		}
	}
	s.out.Deleted = sortedPaths(gone)
	if !s.safe {
		s.overlay(below, recorded, restored, gone)
	}
	slices.SortFunc(s.out.Kept, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
}

// overlay lists what an ordinary rollback leaves: it lays files over what is there and deletes only what stands in
// their way.
func (s *simulation) overlay(present []string, recorded map[string]*file, restored, gone map[string]bool) {
	for _, path := range present {
		f, known := recorded[path]
		switch {
		case s.request.Today.Paths[path].Kind == Folder || gone[path] || restored[path]:
		case !known:
			s.out.Kept = append(s.out.Kept, Kept{path, NotRecorded})
		case !s.unchanged(f):
			s.out.Kept = append(s.out.Kept, Kept{path, NotSelected})
		}
	}
}

// inTheWay lists what git removes to write a file at path: what stands where a folder must be, and all in a folder
// that stands where the file must be. present are the keys of now in order.
func inTheWay(path string, now map[string]Now, present []string) []string {
	var out []string
	for i := range path {
		if path[i] != '/' {
			continue
		}
		if n, ok := now[path[:i]]; ok && n.Kind != Folder {
			return append(out, path[:i]) // nothing of today lies below what is no folder
		}
	}
	if now[path].Kind != Folder {
		return nil
	}
	from, _ := slices.BinarySearch(present, path+"/")
	for _, other := range present[from:] {
		if !strings.HasPrefix(other, path+"/") {
			break
		}
		if now[other].Kind != Folder {
			out = append(out, other)
		}
	}
	return out
}

func sortedPaths[T any](set map[string]T) []string {
	if len(set) == 0 {
		return nil
	}
	out := make([]string, 0, len(set))
	for path := range set {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// assume says what was taken for granted because the request does not say it.
func (s *simulation) assume() {
	if container(s.request.Backend) {
		return
	}
	say := func(sentence string) { s.out.Assumes = append(s.out.Assumes, sentence) }
	if s.request.Today == nil {
		say("no symbolic link of today leads a selected path out of the working directory")
	}
	if s.request.Platform == Windows {
		say("names differ by separators and drives only: reserved names, trailing dots and the letter case of names play no part")
	}
	if s.out.Verdict != Restores && s.out.Stage != Checkout {
		return
	}
	say("the working directory exists, and no other process holds the lock of the store")
	switch full := s.request.Selection == "" && !s.request.All; {
	case s.request.Today != nil:
		say("files are as recorded when their bytes are: conversions by .gitattributes are not applied")
		if s.safe {
			if len(s.out.Deleted) > 0 {
				say("the user's own git settings (~/.config/git/ignore) ignore none of the files that are deleted")
			}
			if limit := s.request.Today.MaxFileSize; limit > 0 {
				say(fmt.Sprintf("files of more than %d bytes are never captured", limit))
			}
		}
	case full && len(s.request.Ledger) > 0:
		say("every recorded file differs today and was last written by the agent: the safe mode leaves all others as they are")
	default:
		say("every recorded file differs today")
	}
}
