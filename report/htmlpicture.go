package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// The picture is laid out in pixels from top to bottom and in percent from left to right, so that it fits a telephone
// and a wide screen without its letters growing or shrinking.
const (
	picHead    = 26 // above the tracks, for what the arrow means
	picTrack   = 74
	picBar     = 40 // from the top of a track
	picBarHigh = 24
	picFoot    = 38 // below them, for the axis
	picLeft    = 1.0
	picWide    = 82.0
	picRestart = 92.0
	picName    = 30 // characters of an id
)

type htmlPicture struct {
	Panels    []htmlPanel
	Unchanged string // why there is no picture of after a repair
	Caption   string
	Table     *htmlTable
	More      string
}

// htmlPanel is one drawing: the rows in time, and what a restart does.
type htmlPanel struct {
	ID, Kind, Title, Says, Label string
	Height, Top, Foot            int
	TickY, UnderY                int
	Restart                      string
	Ticks                        []htmlTick
	Marks                        []htmlMark
	Tracks                       []htmlTrack
	Lines                        []htmlLine
	From                         *htmlPoint
	Head                         *htmlHead
}

type htmlTick struct{ X, Anchor, Text, Under string }

type htmlPoint struct {
	X string
	Y int
}

// htmlMark is a moment of the gateway.
type htmlMark struct {
	X     string
	Crash bool
	Says  string
}

type htmlLine struct {
	Class, X1, X2 string
	Y1, Y2        int
}

type htmlHead struct {
	X    string
	Y    int
	Path string
}

// htmlTrack is one row as a bar from its first to its last message, with columns for how many fell when.
type htmlTrack struct {
	Role, Badge, Name, What string
	X, W                    string
	BarY, BarH              int
	BadgeY, NameY, WhatY    int
	Columns                 []htmlBar
	end                     float64 // in percent
	id                      string
}

type htmlBar struct {
	X, W string
	Y, H int
}

func utc(epoch float64) time.Time { return time.Unix(int64(math.Floor(epoch)), 0).UTC() }

// scene is a lane with the moments of the gateway that fall into its time or right behind it.
type scene struct {
	*scan.Lane
	until   float64 // the end of what is drawn
	moments []*scan.Event
}

// picture draws a lane before and after the repair; nil where no row has a time that counts.
func picture(lane *scan.Lane, letters *htmlLetters, events []scan.Event, id, next string) *htmlPicture {
	if len(lane.Rows) == 0 || math.IsNaN(lane.From) {
		return nil
	}
	l := scene{Lane: lane, until: lane.To}
	for i := range events {
		// A crash comes after the last message, and beside it only: what came much later would press the rows together.
		if e := &events[i]; gateway(e) && e.At >= l.From && e.At <= l.To+(l.To-l.From)/4 {
			l.until = max(l.until, e.At)
			l.moments = append(l.moments, e)
		}
	}
	p := &htmlPicture{Caption: "Each bar runs from a row's first message to its last; the higher the columns in it, the more messages in that time. Times are UTC."}
	if len(l.moments) > 0 {
		p.Caption += " A full diamond is a crash of the gateway and its next start, an empty one a line of its log that tells of trouble; the list of events says which."
	}
	p.Table = laneTable(lane, letters)
	if l.More > 0 {
		p.More = "and " + plural(int64(l.More), "more row") + " of this chat, listed by hermes-doctor resume"
	}
	if !l.Picked {
		p.Panels = []htmlPanel{panel(l, letters, id+"a", "now", "The rows in time", "")}
		return p
	}
	p.Panels = []htmlPanel{panel(l, letters, id+"a", "before", "Before the repair", l.Now)}
	switch {
	case l.AfterFix != l.Now:
		p.Panels = append(p.Panels, panel(l, letters, id+"b", "after", "After the repair", l.AfterFix))
	case l.Now != l.Talk && strings.HasPrefix(next, "hermes-doctor fix "):
		p.Unchanged = "No repair is made before the owner says that these rows are one conversation; the command above says so. The reasons stand below."
	case l.Now != l.Talk:
		p.Unchanged = "No repair is offered, so that a restart does the same after it. The reasons stand below."
	}
	return p
}

// panel draws the rows and, where a chat is named, the way from the row that holds the talk to the picked one.
func panel(l scene, letters *htmlLetters, id, kind, title, picked string) htmlPanel {
	p := htmlPanel{ID: id, Kind: kind, Title: title, Top: picHead - 6, Restart: percent(picRestart)}
	if kind == "now" {
		p.Restart = ""
	}
	most := int64(1)
	for _, r := range l.Rows {
		for _, b := range r.Density {
			most = max(most, b.Messages)
		}
	}
	for i := range l.Rows {
		p.Tracks = append(p.Tracks, track(l, &l.Rows[i], letters, i, most, picked))
	}
	if kind != "now" && picked == "" {
		p.Tracks = append(p.Tracks, void(len(p.Tracks), "a new session", "empty, made by the next message"))
	} else if kind != "now" && laneRow(l.Lane, picked) == nil {
		p.Tracks = append(p.Tracks, void(len(p.Tracks), shorten(picked), "a session that has no row"))
	}
	p.Foot = picHead + picTrack*len(p.Tracks) + 4
	p.Height, p.TickY, p.UnderY = p.Foot+picFoot, p.Foot+17, p.Foot+31
	p.Ticks = ticks(l.From, l.until)
	for _, e := range l.moments {
		m := htmlMark{X: percent(across(l, e.At)), Crash: e.Kind != scan.LogLine, Says: Clean(Time(e.At)+" "+e.What, cellLimit)}
		if n := len(p.Marks); n > 0 && p.Marks[n-1].X == m.X { // what is told twice, or within a moment
			p.Marks[n-1].Crash = p.Marks[n-1].Crash || m.Crash
			continue
		}
		p.Marks = append(p.Marks, m)
	}
	p.say(l, letters, picked)
	return p
}

// across is where a time is drawn, in percent.
func across(l scene, at float64) float64 {
	if l.until <= l.From {
		return picLeft + picWide/2
	}
	return picLeft + picWide*(min(max(at, l.From), l.until)-l.From)/(l.until-l.From)
}

func percent(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) + "%" }

func shorten(id string) string {
	s := []rune(Clean(id, cellLimit))
	if len(s) > picName {
		return string(s[:picName-1]) + "…"
	}
	return string(s)
}

func track(l scene, r *scan.LaneRow, letters *htmlLetters, n int, most int64, picked string) htmlTrack {
	b := letters.of[Clean(r.ID, wordLimit)]
	t := void(n, shorten(r.ID), "")
	t.Role, t.Badge, t.id, t.What = b.role, b.letter, r.ID, laneWhat(l.Lane, r, picked)+" · "+plural(r.Messages, "message")
	first, last := r.First, r.Last
	if math.IsNaN(first) || math.IsNaN(last) {
		first, last = r.Started, r.Started
	}
	if !(first >= 1 && first <= 4.2e9) { // no time that counts: nothing to draw
		t.W, t.end = "0%", picLeft
		return t
	}
	from, to := across(l, first), across(l, last)
	t.X, t.W, t.end = percent(from), percent(max(to-from, .8)), max(to, from+.8)
	step := (l.To - l.From) / scan.LaneStretches
	width := .8 // of a row whose messages are of one moment
	if l.To > l.From {
		width = max(across(l, l.From+step)-picLeft, .2)
	}
	for _, d := range r.Density {
		h := 3 + int(math.Round(float64(picBarHigh-3)*math.Sqrt(float64(d.Messages)/float64(most))))
		x := min(max(across(l, l.From+step*float64(d.N)), from), max(to-width, from))
		t.Columns = append(t.Columns, htmlBar{X: percent(x), W: percent(width * .82), Y: t.BarY + picBarHigh - h, H: h})
	}
	return t
}

// void is a track without a row, at the right end of the time.
func void(n int, name, what string) htmlTrack {
	y := picHead + n*picTrack
	return htmlTrack{Role: "void", Name: name, What: what, X: percent(picLeft + picWide - 6), W: "6%", end: picLeft + picWide,
		BarY: y + picBar, BarH: picBarHigh, BadgeY: y, NameY: y + 13, WhatY: y + 31}
}

// laneWhat says in a few words what a row is where a restart picks the row picked.
func laneWhat(l *scan.Lane, r *scan.LaneRow, picked string) string {
	what := ""
	switch {
	case r.Stray:
		what = "the newest talk, without a row"
	case r.ID == l.Talk && l.Picked && r.ID == picked:
		what = "holds the newest talk, is picked"
	case r.ID == l.Talk && r.SessionKey == "":
		what = "holds the newest talk, has no key"
	case r.ID == l.Talk:
		what = "holds the newest talk"
	case l.Picked && r.ID == picked:
		what = "what a restart picks"
	case l.Picked && r.ID == l.Now:
		what = "no longer picked"
	case r.EndReason != "" || !math.IsNaN(r.Ended):
		what = "ended"
	default:
		what = r.Verdict.String()
	}
	return what
}

// say draws the arrow and words it.
func (p *htmlPanel) say(l scene, letters *htmlLetters, picked string) {
	var from, to *htmlTrack
	for i := range p.Tracks {
		t := &p.Tracks[i]
		if t.id != "" && t.id == l.Talk {
			from = t
		}
		if t.id != "" && t.id == picked || t.Role == "void" && t.id == "" {
			to = t
		}
	}
	say := letters.lang.Prose
	p.Says = say("Rows of the chat as bars over time") + letters.lang.Say(": ") + rowsAloud(l.Lane, letters, picked)
	if p.Kind == "now" || to == nil {
		return
	}
	mid := func(t *htmlTrack) int { return t.BarY + t.BarH/2 }
	if from == nil {
		from = to
	}
	p.From = &htmlPoint{percent(from.end), mid(from)}
	name := func(t *htmlTrack) string { return cmp.Or(t.Badge, t.Name) }
	if from == to {
		p.Label = "a restart goes on in " + name(to)
		p.Lines = []htmlLine{{"", percent(from.end), percent(picRestart - .5), mid(from), mid(from)}}
		p.Head = &htmlHead{percent(picRestart), mid(to), "M0 0 L-10 -6 L-10 6 Z"}
		p.Says += " " + say(p.Title+" a restart goes on in "+name(to)+", which holds the newest talk.")
		return
	}
	p.Label = "a restart jumps to " + name(to)
	if to.Badge == "" && picked != "" { // an id does not fit a telephone; it stands with its track
		p.Label = "a restart finds no row"
	}
	if back := jump(laneRow(l.Lane, l.Talk), laneRow(l.Lane, picked)); back > 0 {
		p.Label = fmt.Sprintf("a restart jumps back %s, to %s", Duration(back), name(to))
	}
	p.Lines = []htmlLine{
		{"wait", percent(from.end), percent(picRestart), mid(from), mid(from)},
		{"", percent(picRestart), percent(picRestart), mid(from), mid(to)},
		{"", percent(picRestart), percent(to.end + .8), mid(to), mid(to)},
	}
	p.Head = &htmlHead{percent(to.end + .4), mid(to), "M0 0 L10 -6 L10 6 Z"}
	p.Says += " " + letters.lang.Say(p.Title) + letters.lang.Say(": ") + letters.lang.Title(p.Label) + letters.lang.Say(".") + " " +
		say(fmt.Sprintf("The arrow leads from %s, which holds the newest talk, to %s.", name(from), name(to)))
}

func rowsAloud(l *scan.Lane, letters *htmlLetters, picked string) string {
	s := ""
	for i := range l.Rows {
		r := &l.Rows[i]
		t := letters.lang
		s += fmt.Sprintf("%s, %s %s, %s, %s, %s. ", letters.of[Clean(r.ID, wordLimit)].letter, t.Say("row"), Clean(r.ID, cellLimit), t.Say(laneWhat(l, r, picked)),
			t.Title(plural(r.Messages, "message")), t.Days(moments(r.First, r.Last)))
	}
	return s
}

// ticks marks round moments, in UTC, no more than fit a telephone.
func ticks(from, to float64) []htmlTick {
	const hour, day = 3600.0, 86400.0
	step := 365 * day
	for _, s := range []float64{1, 10, 60, 300, 900, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day, 7 * day, 14 * day, 30 * day, 91 * day, 182 * day, 365 * day} {
		if (to-from)/s <= 5 {
			step = s
			break
		}
	}
	for (to-from)/step > 5 {
		step *= 2
	}
	var out []htmlTick
	under := ""
	for at := math.Ceil(from/step) * step; at <= to; at += step {
		t := utc(at)
		tick := htmlTick{X: percent(picLeft + picWide*(at-from)/max(to-from, 1)), Anchor: "middle", Text: t.Format("2 Jan"), Under: t.Format("2006")}
		switch {
		case step < 60:
			tick.Text, tick.Under = t.Format("15:04:05"), t.Format("2 Jan 2006")
		case step < day:
			tick.Text, tick.Under = t.Format("15:04"), t.Format("2 Jan 2006")
		}
		if tick.Under == under {
			tick.Under = ""
		} else {
			under = tick.Under
		}
		if (at-from)/max(to-from, 1) < .1 {
			tick.Anchor = "start"
		}
		out = append(out, tick)
	}
	return out
}

func laneTable(l *scan.Lane, letters *htmlLetters) *htmlTable {
	g := &grid{columns: []column{left("row"), left("what it is"), right("messages"), left("first message"), left("last message"), left("ended"), left("key")}}
	for i := range l.Rows {
		r := &l.Rows[i]
		ended := Time(r.Ended)
		if r.EndReason != "" {
			ended += " " + r.EndReason
		}
		key := cmp.Or(r.SessionKey, letters.lang.Say("none"))
		g.add(r.ID, letters.lang.Say(laneWhat(l, r, l.Now)), Count(r.Messages), Time(r.First), Time(r.Last), ended, key)
	}
	t, _ := htmlGrid("The rows of the chat", g, "row")
	for i := range t.Rows {
		b := letters.of[Clean(l.Rows[i].ID, wordLimit)]
		t.Rows[i][0].Badge, t.Rows[i][0].Role = b.letter, b.role
	}
	return t
}
