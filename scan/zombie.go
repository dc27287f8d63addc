package scan

import (
	"context"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// ZombieRow is a keyed row that a restart resumes, or may resume, although its chat went on elsewhere (Z1 of
// spec/state-db.md 7.1).
type ZombieRow struct {
	Row     int32
	Resumed bool // the file's generation resumes it now
	By      ZombieBy
	Newer   int32 // the row that holds the newer talk; -1 where it is a stray, or in no row
	Stray   *facts.Stray
	Line    *facts.Line // with ByLine: the newest line of the logs about the chat
}

// ZombieBy says what shows that the chat went on.
type ZombieBy uint8

// What shows a zombie.
const (
	ByRow    ZombieBy = iota // another keyed row of the chat has newer user messages
	ByOrphan                 // an orphan continues the chat
	ByStray                  // messages without a session row lie in its silence
	ByLine                   // a line of a log is newer, and names another session
	ByOpen                   // it is open and not the newest row of its chat
)

// findZombies looks at each chat once. A quiet row alone is healthy: a chat may sleep for months.
func (e *exam) findZombies(ctx context.Context, gap float64) error {
	found := map[int32]ZombieRow{}
	add := func(z ZombieRow) {
		if _, ok := found[z.Row]; !ok {
			found[z.Row] = z
		}
	}
	resumed := map[int32]bool{}
	byChat := e.continuations()
	var doubtful []int32
	pairs := map[int32][]int32{}
	for _, c := range e.now[e.gen].Chats() {
		w := e.now[e.gen].Resolve(c).Row
		if w < 0 {
			continue
		}
		resumed[w] = true
		for _, o := range byChat[c] {
			if o != w && e.facts.Sessions[w].Start() < e.facts.Sessions[o].Start() {
				add(ZombieRow{Row: w, By: ByOrphan, Newer: o})
			}
		}
		if later := e.laterRows(c, w); len(later) > 0 {
			pairs[w] = later
			doubtful = append(append(doubtful, w), later...)
		}
	}
	if err := e.confirm(ctx, doubtful, pairs, add); err != nil {
		return err
	}
	e.strayZombies(resumed, gap, add)
	e.lineZombies(add)
	e.openZombies(add)
	for _, z := range found {
		z.Resumed = resumed[z.Row]
		e.zombies = append(e.zombies, z)
	}
	slices.SortFunc(e.zombies, func(a, b ZombieRow) int { return int(a.Row - b.Row) })
	return nil
}

// continuations lists the orphans that may be adopted, by the chat that they continue.
func (e *exam) continuations() map[facts.Chat][]int32 {
	out := map[facts.Chat][]int32{}
	for _, i := range e.adopted.Orphans {
		if a := e.adopted.Adoption(i); a.Decision != adopt.Refuse {
			c := facts.Chat{Source: e.facts.Sessions[i].Source, Key: a.SessionKey}
			out[c] = append(out[c], i)
		}
	}
	return out
}

// laterRows lists the rows of a chat whose messages go on after the last message of w.
func (e *exam) laterRows(c facts.Chat, w int32) []int32 {
	var out []int32
	last := e.facts.Sessions[w].Last.Or(e.facts.Sessions[w].Act())
	for _, i := range e.facts.View().ChatRows(c) {
		s := &e.facts.Sessions[i]
		if i != w && !Collided(e.facts, i, w) && !s.Last.Blank() && (last.Blank() || s.Last > last) && e.isChat(i) {
			out = append(out, i)
		}
	}
	return out
}

func (e *exam) isChat(i int32) bool { return adopt.KindOf(e.facts, i, e.orphans[i]) == adopt.Chat }

// confirm keeps the pairs in which the later row holds a newer message of the user.
func (e *exam) confirm(ctx context.Context, rows []int32, pairs map[int32][]int32, add func(ZombieRow)) error {
	if len(rows) == 0 {
		return nil
	}
	d, err := e.facts.Details(ctx, e.store.DB, rows, facts.WantLastUser)
	if err != nil {
		return err
	}
	for _, w := range rows {
		best, newest := int32(-1), d[w].LastUser.Or(e.facts.Sessions[w].Act())
		for _, i := range pairs[w] {
			if t := d[i].LastUser; !t.Blank() && (newest.Blank() || t > newest) {
				best, newest = i, t
			}
		}
		if best >= 0 {
			add(ZombieRow{Row: w, By: ByRow, Newer: best})
		}
	}
	return nil
}

// strayZombies looks for messages without a session row that begin where exactly one resumed row falls quiet.
func (e *exam) strayZombies(resumed map[int32]bool, gap float64, add func(ZombieRow)) {
	for k := range e.facts.Strays {
		st := &e.facts.Strays[k]
		if st.First.Blank() {
			continue
		}
		only, n := int32(-1), 0
		for i := range resumed {
			if last := e.facts.Sessions[i].Last; last <= st.First && float64(last) >= float64(st.First)-gap {
				only = i
				n++
			}
		}
		if n == 1 {
			add(ZombieRow{Row: only, By: ByStray, Newer: -1, Stray: st})
		}
	}
}

// lineSlack is by how much a line of a log must be newer than the last message of a row, in seconds, beside what the zone leaves
// open: the line of a message is written moments before its row.
const lineSlack = 60

// lineZombies finds the rows that a restart resumes although a newer line of a log says that another session served the chat. A
// session that is keyed by now, for this chat or another one, speaks for itself, and so does one of another store; about one that
// witnesses name for two chats nothing is said.
func (e *exam) lineZombies(add func(ZombieRow)) {
	for _, c := range e.now[e.gen].Chats() {
		l, ok := e.facts.NewestLine(c)
		if !ok {
			continue
		}
		w := e.now[e.gen].Resolve(c).Row
		if w < 0 || e.facts.Sessions[w].ID == l.Session || e.elsewhere(l.Session) {
			continue
		}
		newer, known := e.facts.Index(l.Session)
		if known && (e.facts.Sessions[newer].Keyed() || !e.orphans[newer] || !e.facts.OneVoice(l.Session, c.Key)) {
			continue
		}
		last := e.facts.Sessions[w].Act()
		if !known {
			newer = -1
		}
		z, after := ZombieRow{Row: w, By: ByLine, Newer: newer, Line: &l}, float64(l.At-last)-lineSlack
		switch {
		case last.Blank():
		case after > e.facts.Routes.ZoneDoubt:
			add(z)
		case after > -e.facts.Routes.ZoneDoubt:
			e.undecided = append(e.undecided, z)
		}
	}
}

// elsewhere says that another store has a row of a session.
func (e *exam) elsewhere(id string) bool {
	for _, o := range e.others {
		if _, ok := o.facts.Index(id); ok && o != e {
			return true
		}
	}
	return false
}

// openZombies finds the open rows that are not the newest of their chat, with no orphan beside them.
func (e *exam) openZombies(add func(ZombieRow)) {
	v := e.facts.View()
	for _, c := range e.facts.Chats() {
		newest := int32(-1)
		rows := v.ChatRows(c)
		for _, i := range rows {
			s := &e.facts.Sessions[i]
			if s.HasMessages() && e.isChat(i) && (newest < 0 || s.Act() > e.facts.Sessions[newest].Act()) {
				newest = i
			}
		}
		for _, i := range rows {
			s := &e.facts.Sessions[i]
			if newest >= 0 && s.Live() && s.Messages > 0 && e.isChat(i) && s.Act() < e.facts.Sessions[newest].Act() && !Collided(e.facts, i, newest) {
				add(ZombieRow{Row: i, By: ByOpen, Newer: newest})
			}
		}
	}
}
