package adopt

import (
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// place is where a chat lives, without its users.
type place struct {
	lane                       laneID
	chatID, chatType, threadID string
}

func placeOf(f *facts.Facts, s *facts.Session) place {
	if s.ChatID == "" || s.ChatType == "" {
		return place{}
	}
	return place{laneOf(f, s), s.ChatID, s.ChatType, s.ThreadID}
}

// weigh collects the evidence about one orphan, chooses its predecessor by the strongest, and applies the vetoes.
func (d *decider) weigh(o *orphan) {
	s := &d.f.Sessions[o.row]
	d.ownVetoes(o)
	witness := d.witnessKey(o)
	identity := d.identityKey(o)
	lineage := d.lineageKey(o)
	fits := d.contiguous(o)
	switch {
	case o.severed:
		return
	case witness != "":
		o.SessionKey = witness
	case identity != "":
		o.SessionKey = identity
	case lineage != "":
		o.SessionKey = lineage
	case o.foreign != nil:
		o.refuse(o.foreign.Code, o.foreign.Text)
	case s.ParentID != "":
		if !d.hasLinkReason(o) {
			o.refuse("parent-unkeyed", d.parentText(o))
		}
	case len(fits) > 1:
		o.refuse("several-predecessors", fmt.Sprintf("rows of %d chats fell quiet near this row's start", len(fits)))
	case len(fits) == 1:
		o.SessionKey = fits[0].key
	}
	if o.SessionKey == "" {
		if !d.hasLinkReason(o) {
			o.refuse("no-predecessor", "no record, identity, parent or silence of a keyed row names a chat")
		}
		o.severed = true
		return
	}
	d.note(o, witness, identity, lineage, fits)
	o.pred = d.predecessor(o, lineage, fits)
	if o.pred < 0 {
		o.refuse("no-predecessor", "the evidence names "+o.SessionKey+", of which no row began before this one")
		o.severed = true
		return
	}
	o.Predecessor = d.f.Sessions[o.pred].ID
	d.consider(o, o.pred, "")
	o.linkOf = d.byRow[o.pred]
	d.linkVetoes(o)
	d.judge(o, fits)
}

// hasLinkReason says that a refusal already tells why no predecessor was found.
func (d *decider) hasLinkReason(o *orphan) bool {
	return slices.ContainsFunc(o.Refusals, func(r Refusal) bool {
		switch r.Code {
		case "parent-unkeyed", "several-predecessors", "source-differs", "profile-differs", "identity-contradicts", "user-contradicts":
			return true
		}
		return false
	})
}

// note lists the kinds of evidence that hold for the chosen key, strongest first.
func (d *decider) note(o *orphan, witness, identity, lineage string, fits []contiguity) {
	if witness == o.SessionKey {
		if len(d.wit[d.f.Sessions[o.row].ID]) > 0 {
			o.Evidence = append(o.Evidence, Recorded)
		}
		if slices.ContainsFunc(o.corrob, func(w facts.Witness) bool { return w.Key != "" }) {
			o.Evidence = append(o.Evidence, Corroborated)
		}
	}
	if identity == o.SessionKey {
		o.Evidence = append(o.Evidence, ByIdentity)
	}
	if lineage == o.SessionKey {
		o.Evidence = append(o.Evidence, Lineage)
	}
	o.strong = len(o.Evidence) > 0
	if len(fits) == 1 && fits[0].key == o.SessionKey {
		o.Evidence = append(o.Evidence, Contiguity)
		o.fit = fits[0].fit
	}
}

// consider lists a row as a candidate, once; a later verdict about the same row replaces an empty one.
func (d *decider) consider(o *orphan, i int32, rejectedBy string) {
	id := d.f.Sessions[i].ID
	for k := range o.Candidates {
		if o.Candidates[k].SessionID == id {
			if rejectedBy == "" || o.Candidates[k].RejectedBy == "" {
				o.Candidates[k].RejectedBy = rejectedBy
			}
			return
		}
	}
	o.Candidates = append(o.Candidates, Candidate{id, rejectedBy})
}

// witnessKey is the one key that all records outside the row name; two are a refusal.
func (d *decider) witnessKey(o *orphan) string {
	var keys []string
	for _, list := range [][]facts.Witness{d.wit[d.f.Sessions[o.row].ID], o.corrob} {
		for _, w := range list {
			if w.Key != "" && !slices.Contains(keys, w.Key) {
				keys = append(keys, w.Key)
			}
		}
	}
	switch len(keys) {
	case 0:
		return ""
	case 1:
	default:
		slices.Sort(keys)
		o.refuse("several-predecessors", fmt.Sprintf("records name %d chats: %v", len(keys), keys))
		o.severed = true
		return ""
	}
	if _, platform, _, ok := facts.KeyParts(keys[0]); ok && platform != d.f.Sessions[o.row].Source {
		o.refuse("source-differs", "the record names "+keys[0]+", a chat of another platform")
		o.severed = true
		return ""
	}
	return keys[0]
}

// identityKey is the one key whose rows live where the orphan's own columns, else its origin_json, say it lives.
func (d *decider) identityKey(o *orphan) string {
	s := &d.f.Sessions[o.row]
	at := placeOf(d.f, s)
	if at.chatID == "" && o.origin.ChatID != "" && o.origin.ChatType != "" {
		at = place{o.lane, o.origin.ChatID, o.origin.ChatType, o.origin.ThreadID}
	}
	if at.chatID == "" {
		return ""
	}
	var keys []string
	for _, k := range d.places[at] {
		if d.chat(o.lane, k).before(s.Start().OrZero()) >= 0 {
			keys = append(keys, k)
		}
	}
	if len(keys) != 1 {
		return ""
	}
	return keys[0]
}

// lineageKey is the key of the parent, where the parent is a candidate. A parent of another source or profile is a
// refusal of its own.
func (d *decider) lineageKey(o *orphan) string {
	s := &d.f.Sessions[o.row]
	if s.Parent < 0 || s.Parent == o.row {
		return ""
	}
	p := &d.f.Sessions[s.Parent]
	key := d.key(s.Parent)
	switch {
	case key == "":
		return ""
	case p.Source != s.Source:
		o.foreign = &Refusal{"source-differs", fmt.Sprintf("its parent %q is a row of %s", p.ID, p.Source)}
		d.consider(o, s.Parent, "source-differs")
		return ""
	case laneOf(d.f, p) != o.lane:
		o.foreign = &Refusal{"profile-differs", fmt.Sprintf("its parent %q belongs to the profile %s", p.ID, facts.ProfileOf(p))}
		d.consider(o, s.Parent, "profile-differs")
		return ""
	case !(p.Start() < s.Start()):
		return ""
	}
	d.consider(o, s.Parent, "")
	return key
}

func (d *decider) parentText(o *orphan) string {
	s := &d.f.Sessions[o.row]
	switch {
	case s.Parent < 0:
		return fmt.Sprintf("its parent %q is gone", s.ParentID)
	case s.Parent == o.row:
		return "it is its own parent"
	case d.key(s.Parent) == "":
		return fmt.Sprintf("its parent %q has no key and gets none by this plan", s.ParentID)
	}
	return fmt.Sprintf("its parent %q is no row that it can continue", s.ParentID)
}

// predecessor is the row that the orphan continues: its parent where lineage holds, else the row that fell quiet
// before it, else the latest row of the key that began before it.
func (d *decider) predecessor(o *orphan, lineage string, fits []contiguity) int32 {
	s := &d.f.Sessions[o.row]
	if lineage == o.SessionKey {
		return s.Parent
	}
	if len(fits) == 1 && fits[0].key == o.SessionKey {
		return fits[0].row
	}
	start := s.Start().OrZero()
	best := d.chat(o.lane, o.SessionKey).before(start)
	for _, p := range d.list {
		if p == o {
			break
		}
		// An older orphan of the same chat is a link between that chat's rows and this one.
		if p.Decision != Refuse && p.lane == o.lane && p.SessionKey == o.SessionKey &&
			(best < 0 || d.f.Sessions[p.row].Act().OrZero() >= d.f.Sessions[best].Act().OrZero()) {
			best = p.row
		}
	}
	return best
}
