package facts

import (
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Line is the newest line of a log about a chat: which session the gateway used for it, and when.
type Line struct {
	Session string
	At      Time // the log's wall clock in the install's zone; wrong by Routes.ZoneDoubt at most
	Saw     evidence.Item
}

// newestLines takes, of each chat that one key stands for, the newest line that says which session served it, or was to. Only the
// logs of the store's own home count: the gateway of the home around it may serve a chat of the same id under another key.
func (f *Facts) newestLines(l *evidence.Logs, p *places) {
	h := &f.Heard
	h.lines = map[Chat]Line{}
	newer := func(c Chat, wall float64) bool {
		old, ok := h.lines[c]
		return !ok || f.Instant(wall) > old.At
	}
	for k := range l.Served {
		s := &l.Served[k]
		key, _ := p.decide(s.Platform, s.Chat)
		if c := (Chat{s.Platform, key}); key != "" && newer(c, s.Last) {
			at, how := s.Newest()
			h.lines[c] = Line{s.Session, f.Instant(s.Last), evidence.Item{At: at, How: how, Saw: fmt.Sprintf(
				"the newest message of the %s chat %s came in at %s by the log's clock (%s), and session %s began to answer it", s.Platform, s.Chat, evidence.Wall(s.Last), f.Routes.ZoneBy, s.Session)}}
		}
	}
	for k := range l.Moved {
		m := &l.Moved[k]
		_, platform, _, ok := KeyParts(m.Key)
		if c := (Chat{platform, m.Key}); ok && m.NotMade && newer(c, m.Wall) {
			h.lines[c] = Line{m.Session, f.Instant(m.Wall), evidence.Item{At: m.At, How: m.How, Saw: fmt.Sprintf(
				"%s, at %s by the log's clock (%s)", m.What, evidence.Wall(m.Wall), f.Routes.ZoneBy)}}
		}
	}
}

// Instant is what a wall clock of a log, as told by evidence.Wall, stands for in the install's zone; it may be wrong by
// Routes.ZoneDoubt.
func (f *Facts) Instant(wall float64) Time { return local(wall, f.Routes.Zone) }

// NewestLine is the newest line of the logs about a chat.
func (f *Facts) NewestLine(c Chat) (Line, bool) {
	l, ok := f.Heard.lines[c]
	return l, ok
}

// OneVoice says that no file beside the database names a session for another chat than key's.
func (f *Facts) OneVoice(session, key string) bool {
	for _, w := range append(slices.Clip(f.Heard.copies[session]), f.Heard.speakers[session]...) {
		if w.Key != key {
			return false
		}
	}
	return true
}

// unknown takes the sessions that the logs of the store's own home name and that no row has. Ids of other forms than the product's
// own, and those of surfaces that make sessions for one run, tell nothing.
func (f *Facts) unknown(l *evidence.Logs) {
	for k := range l.Spoken {
		s := &l.Spoken[k]
		if _, known := f.byID.find(s.Session); known || !minted(s.Session) || oneRun(s.Platform) {
			continue
		}
		f.Heard.Unknown = append(f.Heard.Unknown, *s)
	}
}

// minted says that an id has the form of those that the gateway and agents make: a stamp and six or eight digits.
func minted(id string) bool {
	if _, ok := stampOf(id); !ok || len(id) != 22 && len(id) != 24 {
		return false
	}
	for _, c := range id[16:] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// oneRun says that the sessions of a surface are made for one run and may be thrown away after it.
func oneRun(platform string) bool {
	switch platform {
	case "cron", "oneshot", "tool", "subagent", "kanban":
		return true
	}
	return false
}
