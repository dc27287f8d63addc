package adopt

import (
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// fit says how a row lies in time before an orphan; the best first.
type fit uint8

const (
	fitNone   fit = iota
	fitQuiet      // fell quiet within the gap before the orphan's start
	fitAfter      // fell quiet within the gap after it, and the orphan goes on later
	fitReused     // has a message within the gap before it, none during it, and was used again after it
)

// contiguity is the best row of one key that lies in time before an orphan.
type contiguity struct {
	key string
	row int32
	fit fit
}

// contiguous finds the keys that have a row which lies in time before the orphan, after the vetoes of identity.
func (d *decider) contiguous(o *orphan) []contiguity {
	s := &d.f.Sessions[o.row]
	l := d.lanes[o.lane]
	start := s.Start()
	if l == nil || start.Blank() {
		return nil
	}
	at, gap, last := float64(start), d.Gap, float64(s.Act())
	var fits []contiguity
	try := func(i int32, how fit) {
		c := &d.f.Sessions[i]
		key := d.key(i)
		if i == o.row || key == "" || !(c.Start() < start) {
			return
		}
		if r := d.contradiction(o, i); r != nil {
			d.consider(o, i, r.Code)
			return
		}
		fits = d.better(o, fits, contiguity{key, i, how})
	}
	for _, i := range l.quiet(at-gap, at) {
		try(i, fitQuiet)
	}
	for _, i := range l.quiet(at, at+gap) {
		if c := float64(d.f.Sessions[i].Act()); c > at && last > c {
			try(i, fitAfter)
		}
	}
	l.around(at, last, func(i int32) {
		m, ok := d.around[facts.Probe{Row: i, At: start}]
		if ok && m.Before >= facts.Time(at-gap) && !(m.After <= d.end(o)) {
			try(i, fitReused)
		}
	})
	if len(fits) > 1 {
		fits = d.unvetoed(o, fits)
	}
	if len(fits) > 1 {
		for _, f := range fits {
			d.consider(o, f.row, "several-predecessors")
		}
	}
	return fits
}

// unvetoed drops the keys whose chat went on or was left on purpose; all of them stay where none is free of that.
func (d *decider) unvetoed(o *orphan, fits []contiguity) []contiguity {
	var out []contiguity
	for _, f := range fits {
		if vetoes := d.chatVetoes(o, f.key, f.row); len(vetoes) > 0 {
			d.consider(o, f.row, vetoes[0].Code)
			continue
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return fits
	}
	return out
}

// better keeps one row a key: the better fit, and of equal ones the latest.
func (d *decider) better(o *orphan, fits []contiguity, c contiguity) []contiguity {
	k := slices.IndexFunc(fits, func(f contiguity) bool { return f.key == c.key })
	if k < 0 {
		d.consider(o, c.row, "")
		return append(fits, c)
	}
	old := fits[k]
	if c.fit < old.fit || c.fit == old.fit && d.f.Sessions[c.row].Act() >= d.f.Sessions[old.row].Act() {
		fits[k] = c
		d.consider(o, old.row, "older row of the same chat")
		d.consider(o, c.row, "")
	} else {
		d.consider(o, c.row, "older row of the same chat")
	}
	return fits
}

// end is the end of an orphan's span: its newest message, else its last activity.
func (d *decider) end(o *orphan) facts.Time {
	s := &d.f.Sessions[o.row]
	return s.Last.Or(s.Act())
}

// alone says that contiguity cannot mean another chat: the user is named and equal on both sides, or the source has
// one key only; and no other key of the source is compatible with the orphan's user. Otherwise why tells what is open.
func (d *decider) alone(o *orphan) (ok bool, why string) {
	user := d.f.Sessions[o.row].UserID
	t := d.tally(o.lane.source)
	named := user != "" && d.rootUser(o.pred) == user
	if !named && t.keys > 1 {
		return false, "time alone points to this chat: the user is not named on both sides and the platform has other chats"
	}
	others := t.open + t.byUser[user]
	if user == "" {
		others = t.keys
	}
	if t.fits(o.SessionKey, user) {
		others--
	}
	if others > 0 {
		return false, "time alone points to this chat: another chat of the platform may be this user's too"
	}
	if user == "" && d.stranger(o) {
		return false, "time alone points to this chat: another unkeyed row of the platform is another person's, so that this one may be too"
	}
	return true, ""
}

// stranger says that another orphan of the platform names a person whom the chat of an orphan does not name (the review #82665:
// a user who is unknown on one side fits nobody by that).
func (d *decider) stranger(o *orphan) bool {
	if d.people == nil {
		d.people = map[string][]string{}
		for _, p := range d.list {
			source, user := p.lane.source, d.f.Sessions[p.row].UserID
			if list := d.people[source]; user != "" && len(list) < 2 && !slices.Contains(list, user) { // of two, one is a stranger
				d.people[source] = append(list, user)
			}
		}
	}
	owner := d.rootUser(o.pred)
	if owner == "" { // a chat of several people
		return false
	}
	return slices.ContainsFunc(d.people[o.lane.source], func(user string) bool { return user != owner })
}

// rootUser is the user of the keyed row at the head of a chain.
func (d *decider) rootUser(i int32) string { return d.f.Sessions[d.root(i)].UserID }

// root follows a chain of planned links to the keyed row at its head.
func (d *decider) root(i int32) int32 {
	for o := d.byRow[i]; o != nil && o.pred >= 0; o = d.byRow[i] {
		i = o.pred
	}
	return i
}

// tally counts the keys of one source by the users that their rows name.
type tally struct {
	keys, open int             // open: a row of the key names no user
	byUser     map[string]int  // of the keys that are not open
	isOpen     map[string]bool // by key
	hasUser    map[[2]string]bool
}

// fits says that a key may be that of user: its rows name that user, or one of them does not say.
func (t *tally) fits(key, user string) bool {
	return user == "" || t.isOpen[key] || t.hasUser[[2]string{key, user}]
}

func (d *decider) tally(source string) *tally {
	if t, ok := d.tallies[source]; ok {
		return t
	}
	t := &tally{byUser: map[string]int{}, isOpen: map[string]bool{}, hasUser: map[[2]string]bool{}}
	for _, c := range d.chatsOf[source] {
		users, open := map[string]bool{}, false
		for _, i := range d.view.ChatRows(c) {
			u := d.f.Sessions[i].UserID
			users[u], open = true, open || u == ""
		}
		t.keys++
		if open {
			t.open++
			t.isOpen[c.Key] = true
			continue
		}
		for u := range users {
			t.byUser[u]++
			t.hasUser[[2]string{c.Key, u}] = true
		}
	}
	d.tallies[source] = t
	return t
}
