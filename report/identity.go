package report

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// shortHash is how many hex digits of a SHA-256 name a file where people compare it by eye.
const shortHash = 12

// identitiesShown is how many files a page names; the list of inputs has them all.
const identitiesShown = 3

// identity says which files a page is about, so that a page that was torn off can be told from that of another file. ""
// where no database, store or archive was given. What is compared has its sides one after the other, so that many files
// of one never hide the other.
func identity(sides ...[]evidence.Input) string {
	var names []string
	more := 0
	for _, inputs := range sides {
		side := examined(inputs)
		shown := min(len(side), identitiesShown)
		names, more = append(names, side[:shown]...), more+len(side)-shown
	}
	if len(names) == 0 {
		return ""
	}
	if more > 0 {
		names = append(names, "and "+Count(int64(more))+" more")
	}
	return examinedWord + strings.Join(names, "; ")
}

// examinedWord begins the line that names what a page is about.
const examinedWord = "examined: "

// examined names the files that matter with the beginning of their hashes.
func examined(inputs []evidence.Input) (names []string) {
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
	return names
}

// about writes the identity at the head of a page.
func (p *page) about(sides ...[]evidence.Input) {
	if s := identity(sides...); s != "" {
		p.para("", p.lang.Say(examinedWord)+strings.TrimPrefix(s, examinedWord))
	}
}

// foot writes the identity at the end of a page that began with it.
func (p *page) foot(sides ...[]evidence.Input) {
	if identity(sides...) != "" {
		p.line("")
		p.about(sides...)
	}
}

// about writes the identity at the head or the foot of a page.
func (s *sheet) about(sides ...[]evidence.Input) {
	if text := identity(sides...); text != "" {
		s.block(markdownProse(s.lang.Say(examinedWord) + strings.TrimPrefix(text, examinedWord)))
	}
}
