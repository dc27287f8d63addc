package scan

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// stories tells each chat in trouble in plain words: what lies where, what a restart resumes, and what to do next.
// Orphans that no chat can be named for get a story each.
//
// target names what was examined, and single the one database, both quoted for a shell: a repair is of one.
func (e *exam) stories(now float64, target, single string) []Story {
	if target == "" {
		target = "COPY"
	}
	if single == "" {
		single = target
	}
	var out []Story
	told := map[facts.Chat]bool{}
	for _, i := range e.adopted.Orphans {
		a := e.adopted.Adoption(i)
		c := facts.Chat{Source: e.facts.Sessions[i].Source, Key: a.SessionKey}
		if a.Decision == adopt.Refuse || c.Key == "" {
			out = append(out, e.refusedStory(i, a, target))
			continue
		}
		if told[c] {
			continue
		}
		told[c] = true
		out = append(out, e.orphanStory(c, now, single))
	}
	for _, z := range e.zombies {
		c := e.facts.Sessions[z.Row].Chat()
		if z.Resumed && !told[c] && z.By != ByOrphan {
			told[c] = true
			out = append(out, e.zombieStory(z, c, now, target))
		}
	}
	return out
}

// single names the database of e, where several were given in a home; "" where what was examined names it already, or where
// no path of its own leads to it.
func (r *runner) single(e *exam) string {
	if h := e.store.Home; len(r.bundle.Stores) > 1 && h != nil && !h.Archived() {
		return ShellQuote(filepath.Join(h.Name, "state.db"))
	}
	return ""
}

func (e *exam) orphanStory(c facts.Chat, now float64, target string) Story {
	st := Story{Store: e.facts.Store, Source: c.Source, SessionKey: c.Key, Lane: &Lane{}}
	var last *adopt.Adoption
	winner, consent := "", ""
	for _, i := range e.adopted.Orphans {
		s, a := &e.facts.Sessions[i], e.adopted.Adoption(i)
		if a.Decision == adopt.Refuse || a.SessionKey != c.Key || s.Source != c.Source {
			continue
		}
		last, winner = a, s.ID
		st.Lane.talk, st.Lane.asked = i, append(st.Lane.asked, i)
		if a.Decision == adopt.Consent {
			consent += "--accept=" + ShellQuote(s.ID) + " "
		}
		st.Text = append(st.Text, Intact(s)+".")
	}
	st.Text = append(st.Text, e.resumes(c, now))
	if e.updateFirst != "" {
		st.Text = append(st.Text, e.updateFirst)
	}
	if last.Decision == adopt.Adopt {
		st.Text = append(st.Text, fmt.Sprintf("Filling only blank cells makes every build resume %s again (evidence: %s).",
			winner, strings.Join(last.Evidence, ", ")))
	} else {
		st.Text = append(st.Text, "What speaks for it is not proof: the owner must say that these rows are one conversation ("+strings.Join(last.Caveats, "; ")+").")
	}
	st.Next = "hermes-doctor fix " + consent + target
	return st
}

// resumes says what a restart gives to a chat, and how old that is at now.
func (e *exam) resumes(c facts.Chat, now float64) string {
	a := e.answer(c)
	switch {
	case a.ID == "":
		return "After a restart this chat gets a new, empty session."
	case a.Row < 0:
		return fmt.Sprintf("After a restart this chat is routed to %s, which has no row.", a.ID)
	}
	s := &e.facts.Sessions[a.Row]
	// A row that was used to the end of what the file knows is not older than anything.
	if s.Act().Blank() || e.orphans[a.Row] || now-float64(s.Act()) < 60 {
		return fmt.Sprintf("After a restart this chat resumes row %s.", s.ID)
	}
	return fmt.Sprintf("After a restart this chat resumes row %s, %s older.", s.ID, Age(now-float64(s.Act())))
}

func (e *exam) refusedStory(i int32, a *adopt.Adoption, target string) Story {
	s := &e.facts.Sessions[i]
	why := make([]string, len(a.Refusals))
	for k, r := range a.Refusals {
		why[k] = r.Text + " (" + r.Code + ")"
	}
	lane := &Lane{talk: i, asked: []int32{i}}
	for _, c := range a.Candidates {
		if k, ok := e.facts.Index(c.SessionID); ok {
			lane.asked = append(lane.asked, k)
		}
	}
	return Story{
		Lane:  lane,
		Store: e.facts.Store, Source: s.Source, SessionKey: a.SessionKey,
		Text: []string{
			Intact(s) + ".",
			"No chat is named for it: " + strings.Join(why, "; ") + ".",
		},
		Next: "hermes-doctor scan --session " + ShellQuote(s.ID) + " " + target,
	}
}

func (e *exam) zombieStory(z ZombieRow, c facts.Chat, now float64, target string) Story {
	st := Story{Store: e.facts.Store, Source: c.Source, SessionKey: c.Key, Next: "hermes-doctor resume --chat " + ShellQuote(c.Key) + " " + target,
		Lane: &Lane{talk: z.Newer, stray: z.Stray}}
	if z.Line != nil && z.Newer < 0 { // nothing of it is here but that moment
		st.Lane.stray = &facts.Stray{SessionID: z.Line.Session, First: z.Line.At, Last: z.Line.At}
	}
	if z.Line != nil {
		st.Text = append(st.Text, fmt.Sprintf("By a line of a log of %s (%s) this chat went on in session %s, %s.",
			Moment(z.Line.At), z.Line.Saw.At, z.Line.Session, lineWords(z)))
	} else if z.Stray != nil {
		st.Text = append(st.Text, fmt.Sprintf("%s of %s name the session %s, which has no row.",
			Count(z.Stray.Messages, "message"), Days(z.Stray.First, z.Stray.Last), z.Stray.SessionID))
	} else {
		n := &e.facts.Sessions[z.Newer]
		st.Text = append(st.Text, fmt.Sprintf("The newest talk of this chat, %s of %s, is in row %s%s.",
			Count(n.Messages, "message"), Days(n.First, n.Last), n.ID, endWords(n)))
	}
	st.Text = append(st.Text, e.resumes(c, now))
	if e.updateFirst != "" {
		st.Text = append(st.Text, e.updateFirst)
	}
	return st
}

func lineWords(z ZombieRow) string {
	if z.Newer < 0 {
		return "of which this file has no row"
	}
	return "whose row has no routing identity"
}

func endWords(s *facts.Session) string {
	switch {
	case s.Live():
		return ""
	case s.EndReason == "":
		return ", which was ended"
	}
	return ", which was ended (" + s.EndReason + ")"
}

// ShellQuote makes a word safe to paste into a POSIX shell.
func ShellQuote(s string) string { return evidence.ShellQuote(s) }
