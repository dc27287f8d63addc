package rollback

import "bytes"

// interest is what git's tree walk makes of one entry: whether it is wanted, and whether the question need be asked
// again for the entries after it.
type interest int8

const (
	neverAgain interest = iota - 1
	unwanted
	wanted
	allWanted
)

// walker chooses among the entries of trees as `git checkout TREE -- PATHSPEC` does (git's tree_entry_interesting),
// which differs from matching full paths in corners: it compares each folder on its own, and it remembers nothing.
type walker struct {
	*matcher
	hasWildcard bool
}

// checkout gives the places, in the order of the tree, of the paths that `git checkout TREE -- PATHSPEC` takes out of
// it, and whether git is content that the pattern matched something. missing are the folders it had to look into and
// could not.
func (ps Pathspec) checkout(root *folder) (selected []*file, found bool, missing []*folder) {
	w := &walker{matcher: newMatcher(ps), hasWildcard: ps.hasWildcard()}
	var taken []*file
	w.walk(root, &taken, &missing)
	sortFiles(taken)
	second := newMatcher(ps)
	for _, f := range taken {
		if second.selects([]byte(f.path), f.gitlink()) {
			selected = append(selected, f)
		}
	}
	return selected, second.found(), missing
}

func (w *walker) walk(dir *folder, taken *[]*file, missing *[]*folder) {
	if dir.missing {
		*missing = append(*missing, dir)
		return
	}
	state := unwanted
	base := []byte(dir.base)
	for _, e := range dir.entries {
		if state != allWanted {
			switch state = w.weigh(base, e); state {
			case neverAgain:
				return
			case unwanted:
				continue
			}
		}
		if e.sub == nil {
			if !e.file.refused { // git says so and goes on
				*taken = append(*taken, e.file)
			}
			continue
		}
		w.walk(e.sub, taken, missing)
		state = unwanted
	}
}

// weigh puts the pattern and the exclusion together.
func (w *walker) weigh(base []byte, e entry) interest {
	positive := w.side(base, e, false)
	if !w.excludes || positive <= unwanted {
		return positive
	}
	switch negative := w.side(base, e, true); {
	case negative == neverAgain:
		return positive
	case negative == unwanted:
		return min(positive, wanted)
	case e.sub != nil && negative == wanted:
		return wanted // something inside may still be left
	case positive == allWanted && negative == allWanted:
		return neverAgain
	}
	return unwanted
}

func (w *walker) side(base []byte, e entry, exclude bool) interest {
	last := neverAgain
	if w.hasWildcard {
		last = unwanted
	}
	for i := len(w.spec.items) - 1; i >= 0; i-- {
		if (w.spec.items[i].magic&magicExclude != 0) != exclude {
			continue
		}
		if got := w.item(i, base, e, &last); got != unwanted {
			return got
		}
	}
	return last
}

// item weighs an entry by one item. last becomes unwanted where entries that sort later may still match.
func (w *walker) item(i int, base []byte, e entry, last *interest) interest {
	it := &w.spec.items[i]
	n := len(it.match)
	switch {
	case len(base) >= n:
		if it.baseEqual(base, n) && (n == 0 || it.match[n-1] == '/' || n < len(base) && base[n] == '/') {
			return allWanted
		}
	case it.baseEqual(base, len(base)):
		if it.entry(e, it.match[len(base):], last) {
			return wanted
		}
		if it.wild() && (w.glob(i, it.match[len(base):], []byte(e.name), it.literal-len(base)) || e.sub != nil) {
			return wanted
		}
		return unwanted
	}
	if !it.wild() || it.literal > 0 && len(base) > 0 && !it.baseEqual(base, min(len(base), it.literal)) {
		return unwanted
	}
	if e.sub != nil || w.glob(i, it.match, append(base[:len(base):len(base)], e.name...), it.literal) {
		return wanted
	}
	return unwanted
}

// entry matches the literal part of a pattern below base against one name.
func (it *item) entry(e entry, match []byte, last *interest) bool {
	n := len(e.name)
	switch {
	case it.magic&magicIcase != 0:
		*last = unwanted
	case *last != unwanted:
		if short := min(n, len(match)); bytes.Compare(match[:short], []byte(e.name[:short])) < 0 {
			return false
		}
		*last = unwanted
	}
	switch {
	case n > len(match):
		return false
	case n < len(match) && match[n] != '/':
		return false
	case n < len(match) && e.sub == nil && (!e.file.gitlink() || len(match) > n+1):
		return false
	}
	return it.equal(match[:n], []byte(e.name))
}

// baseEqual compares the first n bytes of base and pattern, those of prefix:N exactly even with icase.
func (it *item) baseEqual(base []byte, n int) bool {
	k := min(it.prefix, n)
	return bytes.Equal(base[:k], it.match[:k]) && it.equal(it.match[k:n], base[k:n])
}
