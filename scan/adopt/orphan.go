package adopt

import (
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// Kind says what a row is by its source, its markers and its age, before its messages are looked at.
type Kind uint8

// The kinds; the first that fits is taken (CONTRACT's census).
const (
	Chat     Kind = iota // a chat's row: keyed, or a messaging row that should be
	Tool                 // source tool
	Branch               // a /branch of another session
	Delegate             // a sub-agent's run
	ByDesign             // a source that never has keys, a machine caller, or a placeholder
	TooOld               // born before session keys existed in this file
)

// KindOf sorts one row. witnessed says that a record outside the row names it for a chat, or that it holds a
// session_meta message, which only the gateway writes: then a delegate marker that does not name the parent is a
// false one (#109073).
func KindOf(f *facts.Facts, i int32, witnessed bool) Kind {
	s := &f.Sessions[i]
	switch {
	case s.Source == "tool":
		return Tool
	case branched(f, s):
		return Branch
	case delegated(s, witnessed):
		return Delegate
	case s.Keyed():
		return Chat
	case !f.Gateway(s.Source):
		return ByDesign
	case BeforeKeys(f, s):
		return TooOld
	}
	return Chat
}

// branched tells a branch: on a keyed row the marker counts when it names the parent (trap T1 of spec 4.3); on an
// unkeyed one its presence is enough, since a wrong adoption is worse than a missed one.
func branched(f *facts.Facts, s *facts.Session) bool {
	if s.HasBranched && (!s.Keyed() || s.Branched == s.ParentID && s.ParentID != "") {
		return true
	}
	if s.Parent < 0 {
		return false
	}
	p := &f.Sessions[s.Parent]
	return p.EndReason == "branched" && p.Ended <= s.Started
}

func delegated(s *facts.Session, witnessed bool) bool {
	if !s.HasDelegate {
		return false
	}
	own := s.Delegate == s.ParentID && s.ParentID != ""
	return own || !s.Keyed() && !witnessed
}

// BeforeKeys says that the row began before this file had session keys: before the earlier of their merge and the
// first keyed row (spec 7.0). A file without the column is older than keys altogether.
func BeforeKeys(f *facts.Facts, s *facts.Session) bool {
	if !f.HasKeys {
		return true
	}
	t := s.Start()
	return !t.Blank() && t < f.KeysBegin()
}

// Orphan says that a row is an orphan: a messaging row with messages, no key, no marker, and not older than keys.
func Orphan(f *facts.Facts, i int32, witnessed bool) bool {
	s := &f.Sessions[i]
	return !s.NoID && s.ID != "" && !s.Keyed() && s.Messages > 0 && KindOf(f, i, witnessed) == Chat
}

// Unkeyed lists the rows that may turn out to be orphans: those about which witnesses are asked.
func Unkeyed(f *facts.Facts) []int32 {
	var out []int32
	for i := range f.Sessions {
		if Orphan(f, int32(i), true) {
			out = append(out, int32(i))
		}
	}
	return out
}

// Suspects lists the unkeyed messaging rows whose delegate marker does not name their parent: whether they are
// delegates hangs on a session_meta message or a witness.
func Suspects(f *facts.Facts) []int32 {
	var out []int32
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if s.HasDelegate && !s.Keyed() && s.Messages > 0 && KindOf(f, int32(i), false) == Delegate && KindOf(f, int32(i), true) == Chat {
			out = append(out, int32(i))
		}
	}
	return out
}
