package gitro

import (
	"bytes"
)

// Mode is the mode of a tree entry as it is written there.
type Mode uint32

// The modes that git writes.
const (
	ModeTree    Mode = 0o040000
	ModeFile    Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeLink    Mode = 0o120000 // its blob is the target
	ModeGitlink Mode = 0o160000 // its id is a commit of another repository
)

// modeType masks what git looks at first.
const modeType = 0o170000

// Canonical is the mode that git makes of one that it would not write, such as 100664.
func (m Mode) Canonical() Mode {
	switch m & modeType {
	case 0o100000:
		if m&0o100 != 0 {
			return ModeExec
		}
		return ModeFile
	case ModeLink:
		return ModeLink
	case ModeTree:
		return ModeTree
	}
	return ModeGitlink
}

// TreeEntry is one entry of a tree.
type TreeEntry struct {
	Mode Mode   // as written; see Canonical
	Name []byte // any bytes but NUL; a hostile tree may hold "/" or ".."
	ID   ID
}

// Unusable says that no checkout may use the name as a file name: it has a slash, or is ".", "..", or ".git" in
// any case.
func (e TreeEntry) Unusable() bool { return unusable(e.Name) }

func unusable(name []byte) bool {
	if bytes.IndexByte(name, '/') >= 0 {
		return true
	}
	return len(name) > 0 && name[0] == '.' && (len(name) == 1 || string(name) == ".." || len(name) == 4 && bytes.EqualFold(name, []byte(".git")))
}

// treeEntries steps through the content of a tree without copying.
type treeEntries struct {
	rest []byte
	hash int
	mode Mode
	name []byte
	id   []byte
}

// next moves to the next entry; false at the end, and with an error where the rest is no tree.
func (t *treeEntries) next() (bool, error) {
	b := t.rest
	if len(b) == 0 {
		return false, nil
	}
	var mode Mode
	i := 0
	for ; i < len(b) && i <= 7 && b[i] != ' '; i++ {
		if b[i] < '0' || b[i] > '7' {
			return false, corrupt("the mode of a tree entry is no octal number")
		}
		mode = mode<<3 | Mode(b[i]-'0')
	}
	if i == 0 || i > 7 || i == len(b) {
		return false, corrupt("a tree entry has no mode")
	}
	b = b[i+1:]
	end := bytes.IndexByte(b, 0)
	switch {
	case end == 0:
		return false, corrupt("a tree entry has no name")
	case end < 0 || len(b)-end-1 < t.hash:
		return false, corrupt("the tree ends inside an entry")
	}
	t.mode, t.name, t.id = mode, b[:end], b[end+1:end+1+t.hash]
	t.rest = b[end+1+t.hash:]
	return true, nil
}

// ParseTree gives the entries of a tree's content, which it copies. With an error it gives those before the damage.
func ParseTree(content []byte, f Format, limit int) ([]TreeEntry, error) {
	content = bytes.Clone(content)
	// An entry has a digit, a space, a letter and a NUL beside its id.
	entries := make([]TreeEntry, 0, min(len(content)/(f.Size()+4), 1024))
	t := treeEntries{rest: content, hash: f.Size()}
	for {
		ok, err := t.next()
		if !ok {
			return entries, err
		}
		if len(entries) == limit {
			return entries, tooMuch("more than %d entries in a tree", limit)
		}
		entries = append(entries, TreeEntry{Mode: t.mode, Name: t.name[:len(t.name):len(t.name)], ID: IDFrom(t.id)})
	}
}

// Tree gives the entries of a tree in their order; they must not be changed. Those that were asked for last are kept.
// With an error it may give the entries before the damage.
func (r *Reader) Tree(id ID) ([]TreeEntry, error) {
	if entries, ok := r.trees[id]; ok {
		return entries, nil
	}
	data, err := r.Expect(id, Tree)
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(data, r.repo.format, r.repo.limits.Entries)
	if err != nil {
		return entries, named(id, r.repo.whereID(&r.w, id), err)
	}
	r.keepTree(id, entries, int64(len(data)))
	return entries, nil
}

// treeCost is what a parsed tree costs beside its entries.
const treeCost = 128

// entryCost is what a parsed entry costs beside its name.
const entryCost = 72

// keepTree remembers a tree within the budget; when that is spent, all are forgotten.
func (r *Reader) keepTree(id ID, entries []TreeEntry, content int64) {
	cost := content + int64(len(entries))*entryCost + treeCost
	if cost > r.repo.limits.ParsedTrees/4 {
		return
	}
	if r.parsed += cost; r.trees == nil || r.parsed > r.repo.limits.ParsedTrees {
		r.trees, r.parsed = map[ID][]TreeEntry{}, cost
	}
	r.trees[id] = entries
}
