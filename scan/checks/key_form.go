package checks

import (
	"slices"
	"strings"
)

// peer is where a chat lives, as a row's columns and its origin tell: what a routing key is made from
// (spec/state-db.md 4.5).
type peer struct {
	source, chatID, chatType, threadID, userID string

	userAlt, prospective, scope string // an origin alone knows these
	whole                       bool   // an origin was read, so that what is blank is known to be blank
}

// plainIDs says that ids of a platform are numbers: none holds a colon, and no second id names a participant.
func plainIDs(source string) bool { return source == "telegram" || source == "discord" }

// aliased says that a platform's ids go through an alias map on their way into a key, which then cannot be derived.
func aliased(source string) bool { return source == "whatsapp" || source == "whatsapp_cloud" }

// tails lists what a key of the peer can be behind its platform: with and without scope, shared and per participant, with
// the real and the prospective thread.
func (p *peer) tails() []string {
	users := nonBlank(p.userAlt, p.userID)
	var out []string
	for _, scope := range slices.Compact([]string{"", p.scope}) {
		for _, head := range p.heads(users) {
			out = append(out, join(head[0], scope, head[1]))
			if p.chatType == "dm" {
				continue
			}
			for _, u := range users {
				out = append(out, join(head[0], scope, head[1], u))
			}
		}
	}
	return out
}

// heads lists the slot and the chat with its thread.
func (p *peer) heads(users []string) [][2]string {
	chats := []string{p.chatID}
	if p.chatID == "" && p.chatType == "dm" {
		chats = append(chats, users...)
	}
	var out [][2]string
	for _, chat := range chats {
		out = append(out, [2]string{p.chatType, join(chat, p.threadID)})
		if p.threadID == "" && p.prospective != "" {
			out = append(out, [2]string{p.chatType, join(chat, p.prospective)})
			if p.chatType != "dm" {
				out = append(out, [2]string{"thread", join(chat, p.prospective)})
			}
		}
	}
	return out
}

// fits says whether the rest of a key, behind its platform, can be the peer's. Without an origin a scope, a second id
// of the participant and a prospective thread are unknown, and what they would explain is not held against the key.
func (p *peer) fits(rest string) bool {
	q := *p
	if q.source != "slack" {
		q.scope = ""
	}
	slot, tail, _ := strings.Cut(rest, ":")
	if q.chatType == "" {
		q.chatType = slot
	}
	forms := []string{rest}
	if q.source == "slack" && !q.whole {
		if _, unscoped, ok := strings.Cut(tail, ":"); ok {
			forms = append(forms, join(slot, unscoped))
		}
	}
	tails := q.tails()
	return slices.ContainsFunc(forms, func(form string) bool {
		return slices.Contains(tails, form) || !q.whole && q.chatID != "" && q.mayGoOn(form)
	})
}

// mayGoOn says that a key names the peer's chat and goes on with something that only an origin would tell.
func (p *peer) mayGoOn(form string) bool {
	if !plainIDs(p.source) && strings.HasPrefix(form, join(p.chatType, p.chatID, p.threadID)+":") {
		return true
	}
	return p.threadID == "" && p.chatType != "dm" && strings.HasPrefix(form, join("thread", p.chatID)+":")
}

// join puts colons between the parts that are not blank.
func join(parts ...string) string { return strings.Join(nonBlank(parts...), ":") }

func nonBlank(parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" })
}

// place is a chat's three columns.
type place struct{ chatID, chatType, threadID string }

// reading is one way to read the parts of a key.
type reading struct {
	place
	user string
}

// onlyPlace reads the text of a key, behind its platform, for a row: ok is false unless exactly one reading is possible.
// A slot called thread may stand for a chat of another type with a thread still to be made, so that only the row's own
// chat_type decides there.
func onlyPlace(source, rest, chatType, userID string) (place, bool) {
	slot, tail, _ := strings.Cut(rest, ":")
	parts := strings.Split(tail, ":")
	if tail == "" || slot == "" || aliased(source) || slot == "thread" && chatType != "thread" || slices.Contains(parts, "") {
		return place{}, false
	}
	shapes := [][]string{{"chat"}, {"chat", "thread"}}
	if slot != "dm" {
		shapes = append(shapes, []string{"chat", "user"}, []string{"chat", "thread", "user"})
	}
	if source == "slack" {
		for _, s := range slices.Clone(shapes) {
			shapes = append(shapes, append([]string{"scope"}, s...))
		}
	}
	var all []reading
	for _, shape := range shapes {
		for _, fields := range cuts(parts, len(shape), plainIDs(source)) {
			r := reading{place: place{chatType: slot}}
			for k, name := range shape {
				switch name {
				case "chat":
					r.chatID = fields[k]
				case "thread":
					r.threadID = fields[k]
				case "user":
					r.user = fields[k]
				}
			}
			all = append(all, r)
		}
	}
	// A part that equals the row's own user is its participant.
	if mine := slices.DeleteFunc(slices.Clone(all), func(r reading) bool { return userID == "" || r.user != userID }); len(mine) > 0 {
		all = mine
	}
	for _, r := range all {
		if r.place != all[0].place {
			return place{}, false
		}
	}
	if len(all) == 0 {
		return place{}, false
	}
	return all[0].place, true
}

// cutLimit bounds the parts of a key that is taken apart: the ways grow with their square.
const cutLimit = 12

// cuts lists the ways to make n fields out of the parts, in order. An id may hold colons unless ids are plain.
func cuts(parts []string, n int, plain bool) [][]string {
	switch {
	case len(parts) < n || len(parts) > cutLimit || plain && len(parts) != n:
		return nil
	case n == 1:
		return [][]string{{strings.Join(parts, ":")}}
	}
	var out [][]string
	for k := 1; k <= len(parts)-n+1; k++ {
		for _, others := range cuts(parts[k:], n-1, plain) {
			out = append(out, append([]string{strings.Join(parts[:k], ":")}, others...))
		}
	}
	return out
}
