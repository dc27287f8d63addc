package rollback

import "bytes"

// result is what one attempt of the matcher found out. The two kinds of abort tell the stars further out that trying
// again with a longer match is useless.
type result uint8

const (
	untried result = iota
	matched
	mismatch
	abortAll
	abortToStarStar
)

// wildmatch matches whole texts against one pattern, by git's rules (wildmatch.c): shell patterns on bytes, where
// pathname keeps "*", "?" and "[…]" from matching a slash and gives "**" its meaning, and casefold folds ASCII.
// The reused memory makes every match polynomial: pattern and text may come from strangers.
type wildmatch struct {
	pattern  []byte
	pathname bool
	casefold bool
	stars    int
	tried    []result // by what is tried behind which star, and place in the text; unused below two stars
	width    int
}

// match reports whether the pattern matches all of text.
func (m *wildmatch) match(text []byte) bool {
	if m.stars > 1 {
		m.width = len(text) + 1
		if need := 2 * m.stars * m.width; cap(m.tried) < need {
			m.tried = make([]result, need)
		} else {
			m.tried = m.tried[:need]
			clear(m.tried)
		}
	}
	return m.from(0, text, 0, 0) == matched
}

// from matches the pattern from p on against text from t on; star is how many runs of stars lie before p.
func (m *wildmatch) from(p int, text []byte, t, star int) result {
	for ; p < len(m.pattern); p, t = p+1, t+1 {
		c := m.at(p)
		if t == len(text) && c != '*' {
			return abortAll
		}
		switch c {
		case '*':
			return m.star(p, text, t, star)
		case '?':
			if m.pathname && text[t] == '/' {
				return mismatch
			}
		case '[':
			end, ok := m.class(p+1, m.fold(text[t]))
			switch {
			case end < 0:
				return abortAll
			case !ok || m.pathname && text[t] == '/':
				return mismatch
			}
			p = end
		case '\\':
			// The quoted byte is not folded although the text is: git's icase never matches a quoted capital.
			if p++; m.at(p) != m.fold(text[t]) || p == len(m.pattern) {
				return mismatch
			}
		default:
			if m.fold(c) != m.fold(text[t]) {
				return mismatch
			}
		}
	}
	if t < len(text) {
		return mismatch
	}
	return matched
}

// star matches a run of stars at p and all behind it.
func (m *wildmatch) star(p int, text []byte, t, star int) result {
	first := p
	for m.at(p) == '*' {
		p++
	}
	slashes := !m.pathname
	if m.pathname && p-first > 1 && (first == 0 || m.pattern[first-1] == '/') &&
		(p == len(m.pattern) || m.at(p) == '/' || m.at(p) == '\\' && m.at(p+1) == '/') {
		// "**/" may also stand for no folder at all.
		if m.at(p) == '/' && m.retry(p+1, text, t, 2*star) == matched {
			return matched
		}
		slashes = true
	}
	if p == len(m.pattern) {
		if !slashes && bytes.IndexByte(text[t:], '/') >= 0 {
			return mismatch
		}
		return matched
	}
	if !slashes && m.at(p) == '/' {
		next := bytes.IndexByte(text[t:], '/')
		if next < 0 {
			return mismatch
		}
		return m.from(p+1, text, t+next+1, star+1)
	}
	for t < len(text) {
		if c := m.at(p); bytes.IndexByte([]byte(wildcards), c) < 0 {
			for t < len(text) && (slashes || text[t] != '/') && m.fold(text[t]) != m.fold(c) {
				t++
			}
			if t == len(text) || m.fold(text[t]) != m.fold(c) {
				return mismatch
			}
		}
		r := m.retry(p, text, t, 2*star+1)
		if r != mismatch {
			if !slashes || r != abortToStarStar {
				return r
			}
		} else if !slashes && text[t] == '/' {
			return abortToStarStar
		}
		t++
	}
	return abortAll
}

// retry is from, remembered: way is what is tried, two for each run of stars.
func (m *wildmatch) retry(p int, text []byte, t, way int) result {
	if m.stars < 2 {
		return m.from(p, text, t, way/2+1)
	}
	at := way*m.width + t
	if m.tried[at] == untried {
		m.tried[at] = m.from(p, text, t, way/2+1)
	}
	return m.tried[at]
}

// at is a byte of the pattern, 0 behind its end; no pattern holds a NUL.
func (m *wildmatch) at(p int) byte {
	if p < len(m.pattern) {
		return m.pattern[p]
	}
	return 0
}

func (m *wildmatch) fold(c byte) byte {
	if m.casefold {
		return fold(c)
	}
	return c
}
