package rollback_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// leaf is one recorded path of a test's tree.
type leaf struct {
	path string
	mode rollback.Mode
}

// memory is a store in memory: trees by a made-up id, blobs that are there unless lost.
type memory struct {
	trees map[string][]rollback.Entry
	lost  map[string]bool
}

func (m *memory) Tree(_ context.Context, id string) ([]rollback.Entry, error) {
	entries, ok := m.trees[id]
	if !ok {
		return nil, fmt.Errorf("tree %s: %w", id, rollback.ErrMissing)
	}
	return entries, nil
}

func (m *memory) Blob(_ context.Context, id string) error {
	if m.lost[id] {
		return fmt.Errorf("blob %s: %w", id, rollback.ErrMissing)
	}
	return nil
}

// store records leaves as git would: a tree a folder, in git's order. The id of a tree is "tree:" and its path, that
// of a blob "blob:" and its path.
func store(leaves []leaf) (objects *memory, root string) {
	m := &memory{trees: map[string][]rollback.Entry{"tree:": nil}, lost: map[string]bool{}}
	for _, l := range leaves {
		m.add(l)
	}
	for id := range m.trees {
		slices.SortFunc(m.trees[id], func(a, b rollback.Entry) int { return strings.Compare(key(a), key(b)) })
	}
	return m, "tree:"
}

func (m *memory) add(l leaf) {
	parent := "tree:"
	for i := range l.path {
		if l.path[i] != '/' {
			continue
		}
		id := "tree:" + l.path[:i]
		if _, ok := m.trees[id]; !ok {
			m.trees[id] = nil
			m.trees[parent] = append(m.trees[parent], rollback.Entry{Name: base(l.path[:i]), Mode: rollback.Directory, ID: id})
		}
		parent = id
	}
	m.trees[parent] = append(m.trees[parent], rollback.Entry{Name: base(l.path), Mode: l.mode, ID: "blob:" + l.path})
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// key sorts a folder as if its name ended in a slash.
func key(e rollback.Entry) string {
	if e.Mode.IsDirectory() {
		return e.Name + "/"
	}
	return e.Name
}

// tree reads "notes.txt @tool ~link +run.sh": @ marks a nested repository, ~ a link, + an executable.
func tree(text string) []leaf {
	modes := map[byte]rollback.Mode{'@': rollback.Gitlink, '~': rollback.Symlink, '+': rollback.Executable}
	var out []leaf
	for _, f := range strings.Fields(text) {
		if mode, ok := modes[f[0]]; ok {
			out = append(out, leaf{f[1:], mode})
		} else {
			out = append(out, leaf{f, rollback.Regular})
		}
	}
	return out
}
