package report

import (
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// shortHash is how many hex digits of a SHA-256 name a file where people compare it by eye.
const shortHash = 12

// identitiesShown is how many files a page names; the list of inputs has them all.
const identitiesShown = 3

// identity says which files a page is about, so that a page that was torn off can be told from that of another file. ""
// where no database, store or archive was given.
func identity(inputs []evidence.Input) string {
	var names []string
	for _, role := range []evidence.Role{evidence.RoleArchive, evidence.RoleDatabase, evidence.RoleCheckpoints} {
		for _, in := range inputs {
			if in.Role == role && len(in.SHA256) >= shortHash {
				names = append(names, in.Path+", sha256 "+in.SHA256[:shortHash])
			}
		}
		if role == evidence.RoleArchive && len(names) > 0 { // it stands for what is in it
			break
		}
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - identitiesShown; n > 0 {
		names, more = slices.Clip(names[:identitiesShown]), "; and "+plural(int64(n), "more")
		more = strings.TrimSuffix(more, "s")
	}
	return "examined: " + strings.Join(names, "; ") + more
}

// about writes the identity at the head of a page.
func (p *page) about(inputs []evidence.Input) {
	if s := identity(inputs); s != "" {
		p.para("", s)
	}
}

// foot writes the identity at the end of a page that began with it.
func (p *page) foot(inputs []evidence.Input) {
	if identity(inputs) != "" {
		p.line("")
		p.about(inputs)
	}
}

// about writes the identity at the head or the foot of a page.
func (s *sheet) about(inputs []evidence.Input) {
	if text := identity(inputs); text != "" {
		s.block(markdownProse(text))
	}
}
