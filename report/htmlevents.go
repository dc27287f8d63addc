package report

import (
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// eventsShown bounds the events that stand with one chat.
const eventsShown = 60

// htmlStep is one step of how the incident came about.
type htmlStep struct {
	Name, At string
	Says     []span
	From     string
}

// laneEvents are the events of a story's chat and of the rows in its picture, in the order of time.
func (r *Report) laneEvents(st *scan.Story) []scan.Event {
	t := r.result.Timeline
	if t == nil {
		return nil
	}
	var out []scan.Event
	for e := range t.Events() {
		if e.Store == st.Store && (st.SessionKey != "" && e.Concerns(st.SessionKey, "") || laneRow(st.Lane, e.SessionID) != nil) {
			out = append(out, e)
		}
	}
	return out
}

// htmlSteps are the steps that the evidence names, as a list to read from top to bottom.
func htmlSteps(events []scan.Event, letters *htmlLetters) []htmlStep {
	var out []htmlStep
	for _, e := range events {
		if e.Step != "" {
			out = append(out, htmlStep{Name: stepTitle(e.Step), At: Time(e.At), Says: letters.prose(capital(e.What) + "."), From: Clean(e.Source.String(), cellLimit)})
		}
	}
	if len(out) > eventsShown {
		out = out[:eventsShown]
	}
	return out
}

func stepTitle(s scan.Step) string {
	switch s {
	case scan.Fork:
		return "The fork"
	case scan.SilentGrowth:
		return "Silent growth"
	case scan.Crash:
		return "The crash"
	case scan.Jump:
		return "The jump"
	case scan.JumpAhead:
		return "The jump, at the next restart"
	}
	return Clean(string(s), cellLimit)
}

// htmlEvents lists the events, each with the place that says so.
func htmlEvents(events []scan.Event, t *lang.Tongue) *htmlBlock {
	g := &grid{columns: []column{left("when"), left("what"), left("which place says so")}}
	events = slices.DeleteFunc(slices.Clone(events), func(e scan.Event) bool { return e.Step != "" })
	for _, e := range events[:min(len(events), eventsShown)] {
		g.add(Time(e.At), t.Prose(e.What), e.Source.String())
	}
	if len(g.rows) == 0 {
		return nil
	}
	b := &htmlBlock{Title: plural(int64(len(events)), "event") + " in the order of time", Fold: true}
	b.Table, _ = htmlGrid("Events of the chat", g, "event")
	if n := len(events) - eventsShown; n > 0 {
		b.More = hidden(n, "event")
	}
	return b
}

// htmlHappened tells everything that has a time, in order, on the page of one chat.
func (r *Report) htmlHappened(o Options) htmlSection {
	s := htmlSection{ID: "happened", Title: "What happened"}
	if !o.Events || r.result.Timeline == nil {
		return s
	}
	g := &grid{columns: []column{left("when"), left("what"), left("which place says so")}}
	n := 0
	for e := range r.result.Timeline.Events() {
		if n++; n <= rowsShown {
			g.add(Time(e.At), stepName(e.Step)+o.Lang.Prose(e.What), e.Source.String())
		}
	}
	s.Count = Count(int64(n))
	if n == 0 {
		s.Intro = [][]span{spans(capital(noEvents) + ".")}
		return s
	}
	b := htmlBlock{}
	b.Table, _ = htmlGrid(s.Title, g, "event")
	if n > rowsShown {
		b.More = hidden(n-rowsShown, "event")
	}
	s.Blocks = []htmlBlock{b}
	return s
}

// gateway says that an event is a moment of the gateway's own life, which the picture marks: a line of its log, a turn that
// never ended, a crash.
func gateway(e *scan.Event) bool {
	return e.Kind == scan.LogLine || e.Kind == scan.TurnBegan || e.Kind == scan.Reconstructed && e.Step == scan.Crash
}
