package scan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// The bounds of what is drawn. Each row costs a query over its messages, and nobody reads a picture of a hundred rows.
const (
	laneLimit = 24 // stories of one store
	laneRows  = 6
)

// LaneStretches is in how many equal stretches of time a lane counts messages.
const LaneStretches = 96

// Lane is the picture of one chat in trouble as data: its rows in time, and which of them a restart picks. Times are
// epoch seconds.
type Lane struct {
	Rows     []LaneRow // oldest first, no more than a picture can show
	More     int       // rows of the chat that are not among them
	Talk     string    // the row that holds the newest talk
	Picked   bool      // a chat is named, so that Now and AfterFix mean something
	Now      string    // what a restart picks; "" = nothing, and the next message begins a new session
	AfterFix string    // the same after the default plan
	Why      string    // of Now, in the resolver's words
	Resolver string    // of the file's own generation
	From, To float64   // of what is drawn; NaN where no row has a trusted time

	talk  int32 // -1 where stray holds it
	stray *facts.Stray
	asked []int32 // rows to draw although they do not carry the chat's key
}

// LaneRow is one row of a lane. Density counts its messages in LaneStretches equal stretches from From to To of the
// lane; nil where they could not be counted.
type LaneRow struct {
	SessionLine
	Stray   bool // messages of a session without a row
	Density []evidence.Bucket
}

// draw fills in the lanes of the stories of this store, whose answers are lines, and drops those that are too many or that nobody
// asked for.
func (e *exam) draw(ctx context.Context, stories []Story, lines []ResumeLine, wanted bool) error {
	if !wanted {
		for i := range stories {
			stories[i].Lane = nil
		}
		return nil
	}
	answers := map[facts.Chat]*ResumeLine{}
	for i := range lines {
		if l := &lines[i]; l.Resolver == string(e.gen) {
			answers[facts.Chat{Source: l.Source, Key: l.SessionKey}] = l
		}
	}
	shown := e.heaviest(stories)
	for i := range stories {
		st := &stories[i]
		if !shown[i] {
			st.Lane = nil
			continue
		}
		c := facts.Chat{Source: st.Source, Key: st.SessionKey}
		if l := answers[c]; l != nil && c.Key != "" {
			st.Lane.Picked, st.Lane.Now, st.Lane.AfterFix, st.Lane.Why = true, l.Now, l.AfterFix, l.Why
		}
		st.Lane.Resolver = string(e.gen)
		if err := e.fill(ctx, st.Lane, c); err != nil {
			return err
		}
	}
	return nil
}

// heaviest chooses the stories that are drawn: those with the most messages at stake.
func (e *exam) heaviest(stories []Story) map[int]bool {
	at := make([]int, len(stories))
	for i := range at {
		at[i] = i
	}
	weight := func(i int) int64 {
		switch l := stories[i].Lane; {
		case l.stray != nil:
			return l.stray.Messages
		case l.talk >= 0:
			return e.facts.Sessions[l.talk].Messages
		}
		return 0
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	out := map[int]bool{}
	for _, i := range at[:min(len(at), laneLimit)] {
		out[i] = true
	}
	return out
}

// fill chooses the rows of a lane and counts their messages.
func (e *exam) fill(ctx context.Context, l *Lane, c facts.Chat) error {
	l.From, l.To = math.NaN(), math.NaN()
	for _, i := range e.choose(l, c) {
		r := LaneRow{SessionLine: e.row(i)}
		if l.talk == i {
			l.Talk = r.ID
		}
		l.reach(e.facts.Sessions[i].Start(), e.facts.Sessions[i].First, e.facts.Sessions[i].Last)
		l.Rows = append(l.Rows, r)
	}
	if s := l.stray; s != nil {
		l.Talk = s.SessionID
		l.reach(s.First, s.Last)
		l.Rows = append(l.Rows, LaneRow{Stray: true, SessionLine: SessionLine{
			Store: e.facts.Store, ID: s.SessionID, First: float64(s.First), Last: float64(s.Last),
			Started: math.NaN(), Ended: math.NaN(), Messages: s.Messages,
		}})
	}
	for k := range l.Rows {
		r := &l.Rows[k]
		var err error
		r.Density, err = e.store.DB.Density(ctx, r.ID, l.From, l.To, LaneStretches)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the checks tell what is wrong with the table
			r.Density = nil
		}
	}
	return nil
}

// reach widens what is drawn.
func (l *Lane) reach(times ...facts.Time) {
	for _, t := range times {
		if !t.Trusted() {
			continue
		}
		if at := float64(t); math.IsNaN(l.From) {
			l.From, l.To = at, at
		} else {
			l.From, l.To = min(l.From, at), max(l.To, at)
		}
	}
}

// choose takes the rows that the story is about, then the chat's newest, and gives them oldest first.
func (e *exam) choose(l *Lane, c facts.Chat) []int32 {
	var out []int32
	add := func(i int32) {
		if i >= 0 && len(out) < laneRows && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	add(l.talk)
	for _, id := range []string{l.Now, l.AfterFix} {
		if i, ok := e.facts.Index(id); ok && l.Picked {
			add(i)
		}
	}
	all := map[int32]bool{}
	for _, i := range l.asked {
		all[i] = true
		add(i)
	}
	rows := slices.Clone(e.facts.View().ChatRows(c))
	for _, i := range rows {
		all[i] = true
	}
	slices.SortFunc(rows, func(a, b int32) int {
		x, y := &e.facts.Sessions[a], &e.facts.Sessions[b]
		return cmp.Or(cmp.Compare(y.Act().OrZero(), x.Act().OrZero()), cmp.Compare(b, a))
	})
	for _, i := range rows {
		add(i)
	}
	for _, i := range out {
		all[i] = true
	}
	l.More = len(all) - len(out)
	slices.SortFunc(out, func(a, b int32) int {
		x, y := &e.facts.Sessions[a], &e.facts.Sessions[b]
		return cmp.Or(cmp.Compare(x.Start().OrZero(), y.Start().OrZero()), cmp.Compare(a, b))
	})
	return out
}
