package evidence

import "path/filepath"

// place says where a database or a checkpoint base was found, and what reports call it.
type place struct {
	name    string // the name in reports, with slashes
	profile string
	path    string // as the caller named it
	real    string // links resolved
}

// at gives the place itself, for whatever embeds it.
func (p *place) at() *place { return p }

// distinct drops what was named twice, and gives things of the same name the caller's path as their name, so that a
// report can tell them apart.
func distinct[T interface{ at() *place }](found []T) []T {
	seen, names := map[string]bool{}, map[string]int{}
	var kept []T
	for _, f := range found {
		if p := f.at(); !seen[p.real] {
			seen[p.real] = true
			kept = append(kept, f)
			names[p.name]++
		}
	}
	for _, f := range kept {
		if p := f.at(); names[p.name] > 1 {
			p.name = filepath.ToSlash(p.path)
		}
	}
	return kept
}
