package checks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// spot is a chat's place, without its participants, in one profile.
type spot struct {
	source, profile string
	place
}

// laid is the part of a spot that stands under one layout.
type laid struct {
	keys     []string
	sessions int
	messages int64
}

// spotsOf sums up the rows with messages by spot and layout. Rows of one identity share both.
func spotsOf(p *scan.Pass) (map[spot]map[string]*laid, []spot) {
	type home struct {
		at     spot
		layout string
	}
	known := map[*facts.Identity]home{}
	spots := map[spot]map[string]*laid{}
	var order []spot
	for i := range p.Facts.Sessions {
		s := &p.Facts.Sessions[i]
		if !s.Keyed() || s.Messages == 0 || s.ChatID == "" || p.Classes[i] == scan.Tool || p.Classes[i] == scan.Delegate {
			continue
		}
		h, seen := known[s.Identity]
		if !seen {
			h.at, h.layout = layoutOf(p.Facts, s)
			known[s.Identity] = h
		}
		if h.layout == "" {
			continue
		}
		if spots[h.at] == nil {
			spots[h.at] = map[string]*laid{}
			order = append(order, h.at)
		}
		l := spots[h.at][h.layout]
		if l == nil {
			l = &laid{}
			spots[h.at][h.layout] = l
		}
		if !slices.Contains(l.keys, s.SessionKey) && len(l.keys) < shown {
			l.keys = append(l.keys, s.SessionKey)
		}
		l.sessions++
		l.messages += s.Messages
	}
	return spots, order
}

// layoutOf names the rules by which a row's key was made from its columns; "" where they are not all known.
func layoutOf(f *facts.Facts, s *facts.Session) (at spot, layout string) {
	ns, platform, rest, ok := facts.KeyParts(s.SessionKey)
	if !ok || platform != s.Source || !f.Gateway(s.Source) || aliased(s.Source) || s.ChatType == "" {
		return at, ""
	}
	at = spot{s.Source, s.Profile, place{s.ChatID, s.ChatType, s.ThreadID}}
	if at.profile == "" {
		at.profile = f.Owner
		if f.Owner == "default" { // a shared file: the namespace may name the profile
			at.profile = cmp.Or(facts.KeyProfile(s.SessionKey), f.Owner)
		}
	}
	scope := ""
	base := join(s.ChatType, s.ChatID, s.ThreadID)
	if slot, tail, _ := strings.Cut(rest, ":"); s.Source == "slack" {
		first, unscoped, more := strings.Cut(tail, ":")
		if more && first != s.ChatID && strings.HasPrefix(join(slot, unscoped)+":", base+":") {
			scope, rest = "with scope, ", join(slot, unscoped)
		}
	}
	switch rest {
	case base:
		layout = "by chat"
	case join(base, s.UserID):
		layout = "by chat and participant"
	case join(s.ChatType, s.UserID, s.ThreadID):
		layout = "by participant"
	default:
		return at, ""
	}
	return at, scope + layout + ", namespace " + ns
}
