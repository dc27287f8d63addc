package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// storiesShown bounds the chats that a page tells; those without a picture are told in words.
const storiesShown = 100

type htmlStory struct {
	ID      string
	Title   []span
	Answers []htmlAnswer
	Picture *htmlPicture
	Steps   []htmlStep
	Events  *htmlBlock
	Text    [][]span
}

// htmlAnswer answers one question that the owner of a chat has.
type htmlAnswer struct {
	Question string
	Lines    [][]span
	Command  string
	Note     []span
}

// weighty orders the stories of a page: those that can be repaired first, then by how many messages are at stake, so that
// the one that most readers came for stands first.
func (r *Report) weighty() []scan.Story {
	out := slices.Clone(r.result.Stories)
	weight := func(s *scan.Story) (fixable int, messages int64) {
		if strings.HasPrefix(s.Next, "hermes-doctor fix ") {
			fixable = 1
		}
		if s.Lane != nil {
			if row := laneRow(s.Lane, s.Lane.Talk); row != nil {
				messages = row.Messages
			}
		}
		return fixable, messages
	}
	slices.SortStableFunc(out, func(a, b scan.Story) int {
		x, m := weight(&a)
		y, n := weight(&b)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(n, m))
	})
	return out
}

func (r *Report) htmlStories(o Options) htmlSection {
	all := r.weighty()
	s := htmlSection{ID: "happened", Title: "What happened, chat by chat", Count: Count(int64(len(all)))}
	for i := range all {
		if i == storiesShown {
			s.More = hidden(len(all)-i, "chat")
			break
		}
		s.Stories = append(s.Stories, r.htmlStory(&all[i], i+1, o))
	}
	return s
}

func (r *Report) htmlStory(st *scan.Story, n int, o Options) htmlStory {
	out := htmlStory{ID: fmt.Sprintf("chat-%d", n), Title: spans(capital(o.Lang.Title(storyTitle(*st, len(r.result.Databases) > 1))))}
	letters, events := &htmlLetters{of: map[string]letter{}, lang: o.Lang}, []scan.Event(nil)
	if st.Lane != nil {
		letters, events = laneLetters(st.Lane, o.Lang), r.laneEvents(st)
		out.Picture = picture(st.Lane, letters, events, fmt.Sprintf("p%d", n), st.Next)
		out.Answers = laneAnswers(st.Lane, letters)
	}
	out.Steps, out.Events = htmlSteps(events, letters), htmlEvents(events, o.Lang)
	if st.Next != "" {
		out.Answers = append(out.Answers, htmlAnswer{Question: "What to type next", Command: Clean(st.Next, codeLimit), Note: spans(nextNote(st.Next))})
	}
	for _, t := range st.Text {
		out.Text = append(out.Text, letters.prose(t))
	}
	return out
}

// laneLetters names rows A, B, C, oldest first.
func laneLetters(l *scan.Lane, t *lang.Tongue) *htmlLetters {
	out := &htmlLetters{of: map[string]letter{}, lang: t}
	for i, row := range l.Rows {
		out.of[Clean(row.ID, wordLimit)] = letter{string(rune('A' + i)), laneRole(l, &row)}
	}
	return out
}

// laneRole is the colour of a row: the one that holds the talk, the one that a restart gives instead, or another.
func laneRole(l *scan.Lane, row *scan.LaneRow) string {
	switch {
	case row.ID == l.Talk:
		return "talk"
	case l.Picked && row.ID == l.Now && !row.Stray:
		return "back"
	}
	return "other"
}

func laneAnswers(l *scan.Lane, letters *htmlLetters) []htmlAnswer {
	talk, now := laneRow(l, l.Talk), laneRow(l, l.Now)
	var out []htmlAnswer
	one := func(question string, lines ...[]span) {
		out = append(out, htmlAnswer{Question: question, Lines: lines})
	}
	if talk != nil {
		held := fmt.Sprintf("%s, %s.", plural(talk.Messages, "message"), moments(talk.First, talk.Last))
		if talk.Stray {
			one("Where the talk is", letters.say("In no row: the session that it names is %, which has none. ", rowName(talk.ID), held))
		} else {
			one("Where the talk is", letters.say("Row %: ", rowName(talk.ID), held))
		}
	}
	switch {
	case !l.Picked:
		one("What a restart picks", letters.prose("Not this row: it names no chat, so that no restart finds it."))
	case l.Now == "":
		one("What a restart picks", letters.prose("Nothing: the next message begins a new, empty session."))
	case l.Now == l.Talk:
		one("What a restart picks", letters.say("Row % itself.", rowName(l.Now)))
	case now == nil:
		one("What a restart picks", letters.say("The session %, which has no row.", rowName(l.Now)))
	default:
		s := fmt.Sprintf("%s, %s.", plural(now.Messages, "message"), moments(now.First, now.Last))
		if back := jump(talk, now); back > 0 {
			s += fmt.Sprintf(" Its last message is %s older than that of the talk.", Duration(back))
		}
		one("What a restart picks", letters.say("Row %: ", rowName(now.ID), s))
	}
	if l.Picked && l.Now != l.Talk {
		if why := laneWhy(l, letters, talk, now); len(why) > 0 {
			one("Why that one", why...)
		}
	}
	return out
}

// laneWhy says why a restart passes the talk by. Only what the rows themselves show is said; the rest is the resolver's
// own answer.
func laneWhy(l *scan.Lane, letters *htmlLetters, talk, now *scan.LaneRow) [][]span {
	var out [][]span
	switch {
	case talk == nil:
	case talk.Stray:
		out = append(out, letters.prose("A restart picks among rows, and these messages have none."))
	case talk.SessionKey == "" && now != nil && now.SessionKey != "":
		more := "."
		if math.IsNaN(now.Ended) && now.EndReason == "" {
			more = " and was never ended, so that it looks like the running conversation."
		}
		out = append(out, letters.say("A restart looks for the key of the chat. Row % carries none, so that it cannot be found; row % carries it",
			rowName(talk.ID), rowName(now.ID), more))
	case talk.SessionKey == "":
		out = append(out, letters.say("A restart looks for the key of the chat, and row % carries none.", rowName(talk.ID)))
	}
	if l.Why != "" {
		out = append(out, letters.prose(fmt.Sprintf("The rule of build %s: %s.", l.Resolver, strings.TrimRight(l.Why, "."))))
	}
	return out
}

func laneRow(l *scan.Lane, id string) *scan.LaneRow {
	for i := range l.Rows {
		if id != "" && l.Rows[i].ID == id {
			return &l.Rows[i]
		}
	}
	return nil
}

// jump is how far a restart goes back, in seconds; NaN where a time is missing.
func jump(talk, now *scan.LaneRow) float64 {
	if talk == nil || now == nil {
		return math.NaN()
	}
	return talk.Last - now.Last
}

// moments spells a span of time for people: to the minute.
func moments(first, last float64) string {
	if math.IsNaN(first) || math.IsNaN(last) {
		return "at unknown times"
	}
	a, b := utc(first), utc(last)
	switch {
	case a.Year() != b.Year():
		return a.Format("2 January 2006 15:04") + " to " + b.Format("2 January 2006 15:04")
	case a.YearDay() != b.YearDay():
		return a.Format("2 January 15:04") + " to " + b.Format("2 January 2006 15:04")
	}
	return a.Format("2 January 2006 15:04") + " to " + b.Format("15:04")
}
