package facts

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// hearDumps takes the request dumps of the sessions. A dump names its chat as people do, so it speaks only where that
// name is one key's.
func (f *Facts) hearDumps(ctx context.Context, store *evidence.Store, asked map[string]bool) error {
	dir := f.Config.SessionsFolder()
	if dir == "" {
		return nil
	}
	h := &f.Heard
	dumps, err := store.Home.ReadDumps(ctx, dir, func(session string) bool { return asked[session] })
	if err != nil {
		return err
	}
	h.Notes, h.Limited = append(h.Notes, dumps.Notes...), h.Limited || dumps.Limited
	if len(dumps.List) == 0 {
		return nil
	}
	sources := map[string]bool{}
	for _, d := range dumps.List {
		sources[d.Platform] = true
	}
	known := map[string][]called{}
	for source := range sources {
		if known[source], err = f.called(ctx, store.DB, source); err != nil {
			return err
		}
	}
	for _, d := range dumps.List {
		if key := fitting(known[d.Platform], d); key != "" {
			h.speakers[d.Session] = append(h.speakers[d.Session], Witness{
				Key: key, At: d.At, How: d.How, Saw: fmt.Sprintf("a request of this session says that it served %s, %s %q", d.Platform, d.Kind, d.Name),
			})
		}
	}
	return nil
}

// called is one place of one key with what people call it.
type called struct {
	key, kind, thread, userID, userName string
	chat, other                         []string // ids and names of the chat, and of the person in a direct one
}

// called lists the places of all keys of a source.
func (f *Facts) called(ctx context.Context, db *evidence.DB, source string) ([]called, error) {
	var rows []int32
	for _, c := range f.chatList {
		if c.Source == source {
			rows = append(rows, f.chats[c]...)
		}
	}
	details, err := f.Details(ctx, db, rows, WantIdentity)
	if err != nil {
		return nil, err
	}
	out := make([]called, 0, len(rows))
	for _, i := range rows {
		s, d := &f.Sessions[i], details[i]
		c := called{key: s.SessionKey, kind: s.ChatType, thread: s.ThreadID, userID: s.UserID, chat: []string{s.ChatID}, other: []string{s.UserID}}
		if d != nil {
			o, _ := ParseOrigin([]byte(d.OriginJSON))
			c.userName = o.UserName
			c.chat = append(c.chat, d.DisplayName, o.ChatName, o.ChatID)
			c.other = append(c.other, d.DisplayName, o.ChatName, o.UserName, o.UserID)
		}
		out = append(out, c)
	}
	for _, list := range [][]Route{f.Routes.Table, f.Routes.File} {
		for k := range list {
			if o := list[k].Origin; o != nil && o.Platform == source {
				out = append(out, called{key: list[k].Key, kind: o.ChatType, thread: o.ThreadID, userID: o.UserID, userName: o.UserName,
					chat: []string{o.ChatID, o.ChatName}, other: []string{o.UserID, o.UserName, o.ChatName}})
			}
		}
	}
	return out, nil
}

// fits says whether a dump can mean this place: the same kind and thread, the name, and no other user.
func (c *called) fits(d evidence.Dump) bool {
	names := c.chat
	if d.Kind == "dm" {
		names = c.other
	}
	switch {
	case c.kind != d.Kind || c.thread != d.Thread || d.Name == "" || !slices.Contains(names, d.Name):
		return false
	case d.UserID != "" && c.userID != "" && d.UserID != c.userID:
		return false
	}
	return d.User == "" || c.userName == "" || d.User == c.userName
}

// fitting gives the one key that a dump can mean; "" where none or several fit.
func fitting(list []called, d evidence.Dump) string {
	key := ""
	for k := range list {
		if !list[k].fits(d) || list[k].key == key {
			continue
		}
		if key != "" {
			return ""
		}
		key = list[k].key
	}
	return key
}
