package rollback

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func wild(pattern string, pathname, casefold bool) *wildmatch {
	return &wildmatch{pattern: []byte(pattern), pathname: pathname, casefold: casefold, stars: starRuns([]byte(pattern))}
}

func TestWildmatch(t *testing.T) {
	const plain, glob, icase, both = 0, 1, 2, 3
	tests := []struct {
		pattern, text string
		flags         int
		want          bool
	}{
		{"foo", "foo", plain, true},
		{"foo", "FOO", plain, false},
		{"foo", "FOO", icase, true},
		{"", "", plain, true},
		{"*", "a/b", plain, true},
		{"*", "a/b", glob, false},
		{"?", "/", plain, true},
		{"?", "/", glob, false},
		{"[/]", "/", plain, true},
		{"[/]", "/", glob, false},
		{"**", "a/b", glob, true},
		{"a**", "a/b", glob, false},
		{"**/b", "b", glob, true},
		{"**/b", "a/a/b", glob, true},
		{"a/**/b", "a/b", glob, true},
		{"a/**/b", "a/b", plain, false},
		{`a/**\/b`, "a/x/b", glob, true},
		{`a/**\/b`, "a/b", glob, false},
		{"*/b", "a/a/b", glob, false},
		{"*/b", "a/a/b", plain, true},
		{"a/***/b", "a/x/y/b", glob, true},
		{`\*`, "*", plain, true},
		{`a\`, `a\`, plain, false},
		{`\T`, "t", icase, false}, // a quoted capital is compared as it is
		{`\T`, "T", icase, false},
		{"[T]", "t", icase, false},
		{"[R-Z]", "t", icase, true},
		{"[r-z]", "T", icase, true},
		{"[[:upper:]]", "t", icase, true},
		{"[[:lower:]]", "T", plain, false},
		{"[[:space:]]", "\v", plain, false},
		{"[[:punct:][:digit:]]", "7", plain, true},
		{"[[:bad:]]", "b", plain, false},
		{"[[:x]", ":", plain, true}, // no class, but a bracket, a colon and an x
		{"[[:x", ":", plain, false},
		{"[]a]", "]", plain, true},
		{"[!]a]", "]", plain, false},
		{"[a-]", "-", plain, true},
		{"[--0]", ".", plain, true},
		{`[\]]`, "]", plain, true},
		{`[a-\c]`, "b", plain, true},
		{"[z-a]", "m", plain, false},
		{"[a", "a", plain, false},
		{"[\x80-\xff]", "\xc3", plain, true},
		{"?", "é", plain, false},
		{"*a*b*", "xxaxxbxx", both, true},
		{"A*[!/]", "a/b/c", both, false},
	}
	for _, tt := range tests {
		m := wild(tt.pattern, tt.flags&glob != 0, tt.flags&icase != 0)
		if got := m.match([]byte(tt.text)); got != tt.want {
			t.Errorf("%q matches %q (flags %d): %v, want %v", tt.pattern, tt.text, tt.flags, got, tt.want)
		}
	}
}

// Without memory this pattern would take longer than anybody waits.
func TestWildmatchIsPolynomial(t *testing.T) {
	text := bytes.Repeat([]byte("a"), 2000)
	for _, pathname := range []bool{false, true} {
		start := time.Now()
		if wild(strings.Repeat("*a", 40)+"*b", pathname, false).match(text) {
			t.Error("a pattern that ends in b matches a text without one")
		}
		if wild(strings.Repeat("**/*a", 20)+"b", pathname, false).match(bytes.Repeat([]byte("a/"), 500)) {
			t.Error("a pattern that ends in b matches a text without one")
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// reference says by definition, not by search with short cuts, whether a pattern without brackets matches: what each
// run of stars may stand for is tried in full.
func reference(p, t string, pathname, start bool) bool {
	if p == "" {
		return t == ""
	}
	switch p[0] {
	case '*':
		rest := strings.TrimLeft(p, "*")
		crosses := !pathname || len(p)-len(rest) > 1 && start && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
		if crosses && pathname && strings.HasPrefix(rest, "/") && reference(rest[1:], t, pathname, true) {
			return true
		}
		for i := 0; i <= len(t); i++ {
			if reference(rest, t[i:], pathname, false) {
				return true
			}
			if i < len(t) && t[i] == '/' && !crosses {
				return false
			}
		}
		return false
	case '?':
		return t != "" && !(pathname && t[0] == '/') && reference(p[1:], t[1:], pathname, false)
	case '\\':
		return len(p) > 1 && t != "" && t[0] == p[1] && reference(p[2:], t[1:], pathname, p[1] == '/')
	}
	return t != "" && t[0] == p[0] && reference(p[1:], t[1:], pathname, p[0] == '/')
}

func FuzzWildmatch(f *testing.F) {
	for _, seed := range [][2]string{{"a/**/b", "a/x/b"}, {"**/*a*", "x/ya"}, {`\**?`, "*ab"}, {"*/", "a/"}, {"***/a", "a"}, {"a**/b", "a/x/b"}, {"[a-c]*", "b"}} {
		f.Add(seed[0], seed[1], true)
		f.Add(seed[0], seed[1], false)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, pathname bool) {
		if strings.ContainsRune(pattern+text, 0) {
			return
		}
		got := wild(pattern, pathname, false).match([]byte(text))
		if strings.Contains(pattern, "[") || len(pattern) > 10 || len(text) > 12 {
			return
		}
		if want := reference(pattern, text, pathname, true); got != want {
			t.Errorf("%q matches %q (pathname %v): %v, want %v", pattern, text, pathname, got, want)
		}
	})
}
