package facts

import (
	"slices"
	"strings"
)

// places knows which keys live in which chat, whatever their threads and users.
type places struct {
	keys map[[2]string][]string // by source and chat id
}

// places reads the chats of keyed rows from their columns, else from origins of routing entries, else from the keys.
func (f *Facts) places() *places {
	p := &places{keys: map[[2]string][]string{}}
	for _, c := range f.chatList {
		placed := false
		for _, i := range f.chats[c] {
			if chat := f.Sessions[i].ChatID; chat != "" {
				p.add(c.Source, chat, c.Key)
				placed = true
			}
		}
		if !placed {
			p.addByText(c.Source, c.Key)
		}
	}
	for _, list := range [][]Route{f.Routes.Table, f.Routes.File} {
		for k := range list {
			r := &list[k]
			if r.Origin != nil && r.Origin.ChatID != "" {
				p.add(r.Origin.Platform, r.Origin.ChatID, r.Key)
			} else if _, platform, _, ok := KeyParts(r.Key); ok {
				p.addByText(platform, r.Key)
			}
		}
	}
	return p
}

func (p *places) add(source, chat, key string) {
	at := [2]string{source, chat}
	if !slices.Contains(p.keys[at], key) {
		p.keys[at] = append(p.keys[at], key)
	}
}

// addByText takes every id that may stand first behind a key's chat type: ids may hold colons, so that where the id ends
// cannot be seen.
func (p *places) addByText(source, key string) {
	_, _, rest, ok := KeyParts(key)
	if !ok {
		return
	}
	_, rest, ok = strings.Cut(rest, ":")
	if !ok {
		return
	}
	for n := 0; n < len(rest); n++ {
		if rest[n] == ':' {
			p.add(source, rest[:n], key)
		}
	}
	p.add(source, rest, key)
}

// decide gives the one key that lives in a chat; where none or several do, only the chat is known.
func (p *places) decide(source, chat string) (key, only string) {
	if keys := p.keys[[2]string{source, chat}]; len(keys) == 1 {
		return keys[0], ""
	}
	return "", chat
}
