package rollback

import "bytes"

// strength is how an item matched a path. The order is git's: a stronger match is remembered over a weaker one.
type strength uint8

const (
	none strength = iota
	below
	pattern
	exact
)

// matcher holds what one run over many paths needs: the items with their compiled patterns, and what each has matched
// so far. It is not for concurrent use.
type matcher struct {
	spec     Pathspec
	excludes bool
	wild     []wildmatch
	seen     []strength
}

func newMatcher(ps Pathspec) *matcher {
	m := &matcher{spec: ps, excludes: ps.excludes(), wild: make([]wildmatch, len(ps.items)), seen: make([]strength, len(ps.items))}
	for i := range ps.items {
		it := &ps.items[i]
		m.wild[i] = wildmatch{pathname: it.magic&magicGlob != 0, casefold: it.magic&magicIcase != 0, stars: it.stars}
	}
	return m
}

// Inspect gives the paths that the pathspec selects out of an index, by their places in it. paths are full paths in
// byte order; gitlink says which of them are nested repositories. found reports whether anything matched the pattern
// before exclusions, which is what git complains about.
//
// An item that matched one path exactly is not looked at for any later one, exclusions included (git's do_match_pathspec
// with a record of what was seen).
func (ps Pathspec) Inspect(paths []string, gitlink func(i int) bool) (selected []int, found bool) {
	m := newMatcher(ps)
	for i, path := range paths {
		if m.selects([]byte(path), gitlink(i)) {
			selected = append(selected, i)
		}
	}
	return selected, m.found()
}

// found reports whether every pattern that must match something did.
func (m *matcher) found() bool {
	for i := range m.seen {
		if m.spec.items[i].magic&magicExclude == 0 && m.seen[i] == none {
			return false
		}
	}
	return true
}

// selects asks for one path, after all that sort before it.
func (m *matcher) selects(path []byte, directory bool) bool {
	if !m.pass(path, directory, false) {
		return false
	}
	return !m.excludes || !m.pass(path, directory, true)
}

// pass tries the items of one sign.
func (m *matcher) pass(path []byte, directory, exclude bool) bool {
	best := none
	for i := len(m.spec.items) - 1; i >= 0; i-- {
		it := &m.spec.items[i]
		if (it.magic&magicExclude != 0) != exclude || m.seen[i] == exact {
			continue
		}
		how := m.one(i, path, directory)
		best = max(best, how)
		m.seen[i] = max(m.seen[i], how)
	}
	return best > none
}

// one matches item i against a full path; directory is true for a nested repository, which a trailing slash fits.
func (m *matcher) one(i int, path []byte, directory bool) strength {
	it := &m.spec.items[i]
	n := len(it.match)
	if it.prefix > 0 && it.magic&magicIcase != 0 && !bytes.HasPrefix(path, it.match[:it.prefix]) {
		return none
	}
	if n == 0 {
		return below
	}
	switch slash := it.match[n-1] == '/'; {
	case n <= len(path) && it.equal(it.match, path[:n]):
		if n == len(path) {
			return exact
		}
		if slash || path[n] == '/' {
			return below
		}
	case directory && slash && len(path) == n-1 && it.equal(it.match[:n-1], path):
		return exact
	}
	if it.wild() && m.glob(i, it.match, path, it.literal) {
		return pattern
	}
	return none
}

// equal compares two texts of one length as the item's magic asks.
func (it *item) equal(a, b []byte) bool {
	if it.magic&magicIcase != 0 {
		return equalFold(a, b)
	}
	return bytes.Equal(a, b)
}

// glob matches text against a pattern of item i of which the first literal bytes hold no wildcard. The literal head
// is cut off both before the rest is matched, so that a "**" behind it counts as the start of the pattern.
func (m *matcher) glob(i int, match, text []byte, literal int) bool {
	it := &m.spec.items[i]
	if literal > 0 {
		if len(text) < literal || !it.equal(match[:literal], text[:literal]) {
			return false
		}
		match, text = match[literal:], text[literal:]
	}
	if it.oneStar {
		tail := match[1:]
		return len(text) >= len(tail) && it.equal(tail, text[len(text)-len(tail):])
	}
	m.wild[i].pattern = match
	return m.wild[i].match(text)
}
