package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// placing is what is known about where the chat of a keyed row lives.
type placing struct {
	row   int32
	place place
	user  string // "" = no origin names it
	from  string // what tells it, in words
	seen  *evidence.Item
	why   string // why nothing is filled
	held  string // why consent is needed
	fills []scan.Fill
}

// placeFor asks the row's origin_json, then the routing entry of its key, then the key itself. The first that speaks
// decides; where it contradicts the key or the row, nothing is filled.
func placeFor(p *scan.Pass, i int32, d *facts.Detail, entries map[string]*facts.Route) *placing {
	l := &placing{row: i}
	s := &p.Facts.Sessions[i]
	_, platform, rest, ok := facts.KeyParts(s.SessionKey)
	if !ok || rest == "" {
		l.why = "its key is of no known form"
		return l
	}
	if s.Source != platform && s.Source != "unknown" {
		l.why = "its key names another platform than its source"
		return l
	}
	var own facts.Origin
	if d != nil && d.OriginJSON != "" {
		own, _ = facts.ParseOrigin([]byte(d.OriginJSON))
	}
	entry := entries[s.SessionKey]
	switch {
	case own.ChatID != "":
		item := p.Cells(i, "origin_json names the chat", "origin_json")
		l.from, l.seen = "its origin_json", &item
		l.take(own, platform, rest, own.UserID)
	case entry != nil:
		item := routeEvidence(entry)
		l.from, l.seen = "the origin in the routing entry of its key", &item
		user := ""
		if entry.SessionID == s.ID { // of another row it may be another speaker of a shared chat
			user = entry.Origin.UserID
		}
		l.take(*entry.Origin, platform, rest, user)
	default:
		l.from = "its key, which can be read in one way only"
		if l.place, ok = onlyPlace(platform, rest, s.ChatType, s.UserID); !ok {
			l.why = "no origin names its chat, and its key can be read in several ways"
		}
	}
	if l.why == "" && (differs(s.ChatType, l.place.chatType) || differs(s.ThreadID, l.place.threadID) || differs(s.UserID, l.user)) {
		l.why = l.from + " contradicts what the row says"
	}
	return l
}

// differs says that a cell is set and is not what it should be; a blank user is unknown and differs from none.
func differs(cell, want string) bool { return cell != "" && want != "" && cell != want }

// take adopts an origin that fits the key.
func (l *placing) take(o facts.Origin, platform, rest, user string) {
	q := peer{source: platform, chatID: o.ChatID, chatType: o.ChatType, threadID: o.ThreadID, userID: o.UserID,
		userAlt: o.UserAlt, prospective: o.Prospective, scope: o.ScopeID, whole: true}
	if o.Platform != "" && o.Platform != platform || !aliased(platform) && !q.fits(rest) {
		l.why = l.from + " names another chat than its key"
		return
	}
	l.place, l.user = place{o.ChatID, o.ChatType, o.ThreadID}, user
}

// fill proposes the blank cells of the row, and of the orphans that take its identity by the same plan.
func (l *placing) fill(p *scan.Pass, heirs []int32) {
	if l.why != "" {
		return
	}
	t := p.Store.DB.Table("sessions")
	for _, i := range append([]int32{l.row}, heirs...) {
		s := &p.Facts.Sessions[i]
		if s.ChatID != "" {
			continue
		}
		because := "from " + l.from
		if i != l.row {
			because = "the same as in " + p.Facts.Sessions[l.row].ID + ", whose key it takes"
		}
		for _, c := range []struct{ column, now, value string }{
			{"chat_id", s.ChatID, l.place.chatID}, {"chat_type", s.ChatType, l.place.chatType},
			{"thread_id", s.ThreadID, l.place.threadID}, {"user_id", s.UserID, l.user},
		} {
			if c.now == "" && c.value != "" && t.Has(c.column) {
				l.fills = append(l.fills, scan.Fill{Table: "sessions", Key: s.ID, Column: c.column, Value: c.value, Because: because})
			}
		}
	}
	// By its key the fence keeps such a row away; by its ids it might be found past the reset.
	v := p.Facts.View()
	for _, l2 := range []*resume.Loaded{p.Resolver, p.Newest} {
		if l2.Generation().Recoverable(&p.Facts.Sessions[l.row]) && l2.Fenced(v, l.row) {
			l.held = "a reset hides the row from the lookup by key, which a lookup by ids might undo"
		}
	}
}

// rounds bounds how often placings are taken out and the rest is asked again: each round answers for every chat.
const rounds = 8

// prove holds the placings with which some chat would resume another row than it does by the adoptions alone: the
// lookup by a chat's ids begins to see the rows.
func prove(ctx context.Context, p *scan.Pass, list []*placing) error {
	loaded := []*resume.Loaded{p.Resolver}
	if p.Resolver.Generation() != resume.Newest {
		loaded = append(loaded, p.Newest)
	}
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		asked := slices.DeleteFunc(slices.Clone(list), func(l *placing) bool { return len(l.fills) == 0 || l.held != "" })
		if len(asked) == 0 {
			return nil
		}
		if round == rounds {
			for _, l := range asked {
				l.held = "with it some chat may resume another row"
			}
			return nil
		}
		v := p.Adopted.Planned().Fork()
		for _, l := range asked {
			adopt.Change(v, l.fills)
		}
		guilty := false
		for _, r := range loaded {
			before, after := r.Load(p.Adopted.Planned()), r.Load(v)
			for _, c := range r.Chats() {
				if before.ID(c) != after.ID(c) {
					blame(v, asked, c, after.Resolve(c).Row)
					guilty = true
				}
			}
		}
		if !guilty {
			return nil
		}
	}
}

// blame holds the placings that can have changed a chat's answer: rows of the chat, the row that it would get, and rows
// of the place where the chat is; all of them where none of these is among them.
func blame(v *facts.View, asked []*placing, c facts.Chat, row int32) {
	why := fmt.Sprintf("then the chat %s would resume another row", c.Key)
	places := map[string]bool{}
	for _, i := range v.ChatRows(c) {
		places[v.Row(i).ChatID] = true
	}
	found := false
	for _, l := range asked {
		s := v.Row(l.row)
		if s.Chat() == c || l.row == row || s.Source == c.Source && places[s.ChatID] {
			l.held, found = why, true
		}
	}
	for _, l := range asked {
		if !found {
			l.held = why
		}
	}
}
