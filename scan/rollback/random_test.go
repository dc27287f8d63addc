package rollback_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// The pieces that random trees and pathspecs are made of: few, so that they meet, and full of what git treats apart.
var (
	nameParts  = []string{"a", "b", "t", "T", "s", "t*", "[t]", "s!", "a.b", "ab", "tool", "é", "\xff", "?", `b\`, "-x", "..a", " "}
	magicParts = []string{
		"", "", "", ":(glob)", ":(icase)", ":(literal)", ":(exclude)", ":(exclude,glob)", ":(exclude,icase)", ":(glob,icase)", ":(top)",
		":(exclude,literal)", ":!", ":^", ":/", ":/!", ":", "::", ":()", ":(glob,literal)", ":(prefix:1)", ":(prefix:3,icase)", ":(prefix:)",
		":(top,exclude,glob)", ":(bad)", ":(to", ":(,glob,)", ":%", ":(attr)", ":(attr: )", ":(attr:)", ":(attr:a=%)",
	}
	globParts = []string{
		"*", "**", "?", "/", "/", "**/", "/**", "[a-t]", "[!t]", "[^/]", "[[:alpha:]]", "[[:upper:]]", "[A-Z]", "[t", "[]a]", "[a-]", `[\]t]`, `\`, `\t`, `\*`,
		"[[:bad:]]", "[[:x]", "..", ".", "./", "../", "[/]", "***",
	}
)

// pairs is how many pathspecs a test tries: few by default, as many as ROLLBACK_PAIRS says.
func pairs(t *testing.T, least int) int {
	if n, err := strconv.Atoi(os.Getenv("ROLLBACK_PAIRS")); err == nil {
		return n
	}
	if testing.Short() {
		return least / 10
	}
	return least
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// randomLeaves makes up to a dozen paths of which none lies below another.
func randomLeaves(r *rand.Rand, modes []rollback.Mode, more ...string) []leaf {
	names := slices.Concat(nameParts, more)
	var out []leaf
	for range 2 + r.IntN(11) {
		parts := make([]string, 1+r.IntN(4))
		for i := range parts {
			parts[i] = pick(r, names)
		}
		path := strings.Join(parts, "/")
		clash := func(l leaf) bool {
			return l.path == path || strings.HasPrefix(l.path, path+"/") || strings.HasPrefix(path, l.path+"/")
		}
		if !slices.ContainsFunc(out, clash) {
			out = append(out, leaf{path, modes[r.IntN(len(modes))]})
		}
	}
	return out
}

// randomSpec is a recorded path with some of it replaced, or made of nothing but pieces.
func randomSpec(r *rand.Rand, leaves []leaf) string {
	pieces := []string{}
	if r.IntN(4) > 0 {
		path := leaves[r.IntN(len(leaves))].path
		for i := 0; i < len(path); i++ {
			pieces = append(pieces, path[i:i+1])
		}
		if r.IntN(3) == 0 {
			pieces = pieces[:1+r.IntN(len(pieces))]
		}
	}
	for range r.IntN(4) {
		part := pick(r, globParts)
		if r.IntN(3) == 0 {
			part = pick(r, nameParts)
		}
		at := r.IntN(len(pieces) + 1)
		end := min(len(pieces), at+r.IntN(3))
		pieces = slices.Replace(pieces, at, end, part)
	}
	spec := pick(r, magicParts) + strings.Join(pieces, "")
	if r.IntN(6) == 0 {
		spec = strings.ToUpper(spec[:len(spec)/2]) + spec[len(spec)/2:]
	}
	return spec
}

// inspect is what Inspect says, in the words of the real git.
func inspect(leaves []leaf, spec string) answer {
	ps, err := rollback.ParsePathspec(spec, rollback.POSIX)
	if err != nil {
		return answer{Error: "bad pathspec"}
	}
	leaves = slices.SortedFunc(slices.Values(leaves), func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	paths := make([]string, len(leaves))
	for i, l := range leaves {
		paths[i] = l.path
	}
	selected, found := ps.Inspect(paths, func(i int) bool { return leaves[i].mode.IsGitlink() })
	if !found {
		return answer{Error: "no match"}
	}
	var out []string
	for _, i := range selected {
		out = append(out, paths[i])
	}
	return answer{Paths: out}
}

func TestInspectAsGit(t *testing.T) {
	g := newRealGit(t)
	r := rand.New(rand.NewPCG(5, 44))
	modes := []rollback.Mode{rollback.Regular, rollback.Regular, rollback.Symlink, rollback.Gitlink}
	compared, selecting := 0, 0
	for n := range pairs(t, 600) / 20 {
		leaves := randomLeaves(r, modes)
		g.record(n, leaves)
		for range 20 {
			spec := randomSpec(r, leaves)
			if spec == "" {
				continue
			}
			want := g.lsFiles(spec)
			if diff := cmp.Diff(want, inspect(leaves, spec)); diff != "" {
				t.Errorf("pathspec %q on %v (-git +got):\n%s", spec, leaves, diff)
			}
			compared++
			if len(want.Paths) > 0 {
				selecting++
			}
		}
	}
	if selecting < compared/5 {
		t.Errorf("only %d of %d pathspecs select anything: the comparison proves little", selecting, compared)
	}
}

// The plain checkout is what decides where nothing is nested, and what decided everything before the refusal.
func TestCheckoutAsGit(t *testing.T) {
	g := newRealGit(t)
	r := rand.New(rand.NewPCG(6, 44))
	for n := range pairs(t, 240) / 20 {
		modes := []rollback.Mode{rollback.Regular, rollback.Executable}
		if n%4 == 3 {
			modes = append(modes, rollback.Gitlink)
		}
		leaves := randomLeaves(r, modes)
		nested := slices.ContainsFunc(leaves, func(l leaf) bool { return l.mode.IsGitlink() })
		id := g.record(n, leaves)
		objects, root := store(leaves)
		for range 20 {
			spec := randomSpec(r, leaves)
			if strings.TrimSpace(spec) == "" { // the product never hands these to git
				continue
			}
			want := g.checkout(id, spec)
			got, err := rollback.Simulate(t.Context(), objects, root, rollback.Request{Selection: spec})
			if err != nil {
				t.Fatal(err)
			}
			if before := got.BeforeFix == rollback.Restores; before != (want.Error == "") {
				t.Errorf("pathspec %q on %v: before the fix %s, git says %q", spec, leaves, got.BeforeFix, want.Error)
			}
			if nested {
				continue
			}
			if diff := cmp.Diff(want, asAnswer(got)); diff != "" {
				t.Errorf("pathspec %q on %v (-git +got):\n%s", spec, leaves, diff)
			}
		}
	}
}

// The safe mode hands names over as patterns, so that git decides what else comes back with them.
func TestSafeModeAsGit(t *testing.T) {
	g := newRealGit(t)
	r := rand.New(rand.NewPCG(7, 44))
	for n := range pairs(t, 80) {
		leaves := randomLeaves(r, []rollback.Mode{rollback.Regular}, ":!b", ":c", ":a", ":(x", "*", "**", "a?")
		id := g.record(n, leaves)
		objects, root := store(leaves)
		today, ledger, names := &rollback.Today{Paths: map[string]rollback.Now{}}, map[string]string{}, []string{}
		for _, l := range leaves {
			today.Paths[l.path] = rollback.Now{SHA256: "1"}
			if r.IntN(3) == 0 {
				ledger[l.path] = "1"
				names = append(names, l.path)
			}
		}
		if len(names) == 0 {
			continue
		}
		slices.Sort(names)
		got, err := rollback.Simulate(t.Context(), objects, root, rollback.Request{Today: today, Ledger: ledger})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.checkout(id, names...), asAnswer(got)); diff != "" {
			t.Errorf("names %q on %v (-git +got):\n%s", names, leaves, diff)
		}
	}
}

// asAnswer is an outcome in the words of the real git. What the product's own test of paths stops is git's to refuse
// as well.
func asAnswer(o *rollback.Outcome) answer {
	switch {
	case o.Class == rollback.NoMatch:
		return answer{Error: "no match"}
	case o.Verdict == rollback.Failed:
		return answer{Error: "bad pathspec"}
	}
	return answer{Paths: o.Restored}
}
