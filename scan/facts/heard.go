package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Heard is what the files beside a database say about some of its rows (spec/state-db.md 7.0, ranks 1 and 2).
type Heard struct {
	Notes   []string // what tells nothing and why, and bounds that were reached
	Limited bool     // something was not read, so that a contradiction may have been missed

	// Unread says what was not looked at of the logs of the store's own home, so that Unknown may lack a session.
	Unread []string

	Local bool // logs of the store's own home have lines whose local times matter
	// Unknown are the sessions that the logs of the store's own home name and that no row of the file has; Held tells in which
	// older copy of the file one of them has a row, or one that only a routing entry names.
	Unknown []evidence.Spoken
	Held    map[string]string
	// Behind are the chats of which the gateway said that the file gave less than it held in memory.
	Behind []evidence.Behind

	lines    map[Chat]Line
	copies   map[string][]Witness // rank 1, by session id: keyed copies of rows, older routing entries
	speakers map[string][]Witness // rank 2, by session id: logs and request dumps
}

// Corroborated lists the rank 2 witnesses beside the database, by session id. The map must not be changed.
func (f *Facts) Corroborated() map[string][]Witness { return f.Heard.speakers }

// Hear asks the files beside the database about the rows, which are unkeyed, and fills Heard. logs are those of the
// store's own home, first, and of the homes around it; nil ones are passed over. It may take as long as the files are
// large; where no row is asked about and neither the logs nor a routing entry name a session without a row, only the logs are
// looked at.
func (f *Facts) Hear(ctx context.Context, store *evidence.Store, logs []*evidence.Logs, rows []int32) error {
	h := &f.Heard
	h.copies, h.speakers, h.Held = map[string][]Witness{}, map[string][]Witness{}, map[string]string{}
	for _, l := range logs {
		if l != nil {
			h.Notes, h.Limited = append(h.Notes, l.Notes...), h.Limited || l.Limited
		}
	}
	if store.Home == nil {
		return nil
	}
	own := &evidence.Logs{}
	if len(logs) > 0 && logs[0] != nil {
		own = logs[0]
	}
	h.Local = len(own.Served)+len(own.Moved)+len(own.Spoken)+len(own.Behind) > 0
	h.Unread = own.Unread
	f.unknown(own)
	h.Behind = own.Behind
	var places *places
	if len(rows)+len(own.Served)+len(own.Moved) > 0 {
		places = f.places()
		f.newestLines(own, places)
	}
	lacking := f.lacking()
	if len(rows) == 0 && len(lacking) == 0 {
		return nil
	}
	if f.Routes.FileBroken != "" { // an entry that is lost may have named one of the rows, and another chat
		h.Limited = true
	}
	asked := make(map[string]bool, len(rows))
	for _, i := range rows {
		asked[f.Sessions[i].ID] = true
	}
	f.hearLogs(logs, asked, places)
	if err := f.hearDumps(ctx, store, asked); err != nil {
		return fmt.Errorf("read request dumps: %w", err)
	}
	if err := f.hearMirrors(ctx, store.Home, asked); err != nil {
		return fmt.Errorf("read older copies of sessions.json: %w", err)
	}
	if err := f.hearCopies(ctx, store, asked, lacking); err != nil {
		return fmt.Errorf("read older copies of the database: %w", err)
	}
	return nil
}

// hearLogs takes the lines that name one of the sessions.
func (f *Facts) hearLogs(logs []*evidence.Logs, asked map[string]bool, p *places) {
	h := &f.Heard
	for _, l := range logs {
		if l == nil {
			continue
		}
		for k := range l.Served {
			s := &l.Served[k]
			if !asked[s.Session] {
				continue
			}
			w := Witness{At: s.Inbound(), How: s.How(), Saw: fmt.Sprintf("a message of the %s chat %s came in at %s by the log's clock, and by %s this session began to answer the same text%s",
				s.Platform, s.Chat, evidence.Wall(s.At), s.Turn(), pairWords(s))}
			w.Key, w.Chat = p.decide(s.Platform, s.Chat)
			h.speakers[s.Session] = append(h.speakers[s.Session], w)
		}
		for _, m := range l.Moved {
			for _, id := range []string{m.Session, m.To} {
				if !asked[id] {
					continue
				}
				key := m.Key
				if key == "" { // the line names two sessions of one chat
					key = f.keyOf(m.Session) + f.keyOf(m.To)
				}
				if key != "" {
					h.speakers[id] = append(h.speakers[id], Witness{Key: key, At: m.At, Saw: m.What, How: m.How})
				}
			}
		}
	}
}

func pairWords(s *evidence.Served) string {
	words := ""
	if s.Count > 1 {
		words = fmt.Sprintf(" (%d such pairs)", s.Count)
	}
	if s.Answered {
		words += "; the answer went to the chat"
	}
	return words
}

// keyOf is the key of a session's row; "" where it has none. Of the two sessions that the caller asks about one is
// unkeyed.
func (f *Facts) keyOf(id string) string {
	if i, ok := f.byID.find(id); ok {
		return f.Sessions[i].SessionKey
	}
	return ""
}

// hearMirrors takes the entries of older copies of sessions.json.
func (f *Facts) hearMirrors(ctx context.Context, home *evidence.Home, asked map[string]bool) error {
	dir := f.Config.SessionsFolder()
	if dir == "" {
		return nil
	}
	h := &f.Heard
	read, err := home.OldMirrors(ctx, dir, func(at evidence.Ref, text []byte) {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		var entries []Route
		err := errors.New("it is not UTF-8")
		if utf8.Valid(text) {
			entries, err = f.members(text)
		}
		if err != nil {
			h.Notes = append(h.Notes, fmt.Sprintf("%s tells nothing: %v", at.Path, err))
			return
		}
		for k := range entries {
			r := &entries[k]
			r.At.Path = at.Path
			for _, named := range []struct{ field, id string }{{"session_id", r.SessionID}, {"prev_session_id", r.Previous}} {
				if asked[named.id] {
					h.copies[named.id] = append(h.copies[named.id], Witness{Key: r.Key, At: r.At,
						Saw: named.field + " " + named.id + " in an older routing index", How: fmt.Sprintf("sed -n '%d,/}/p' %s", r.At.Line, evidence.ShellQuote(at.Path))})
				}
			}
		}
	})
	if err != nil {
		return err
	}
	h.Notes, h.Limited = append(h.Notes, read.Notes...), h.Limited || read.Limited
	return nil
}
