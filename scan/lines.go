package scan

import (
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// lines answers for every chat in every generation, now and over the planned rows: by chat, oldest generation first.
// One generation is loaded at a time.
func (e *exam) lines(planned *facts.View) []ResumeLine {
	chats, gens := e.now[e.gen].Chats(), resume.Generations()
	out := make([]ResumeLine, len(chats)*len(gens))
	for n, g := range gens {
		before, after := e.now[g], e.resolvers[g].Load(planned)
		if before == nil {
			before = e.resolvers[g].Load(e.facts.View())
		}
		for k, c := range chats {
			now := before.Resolve(c)
			l := ResumeLine{Store: e.facts.Store, Source: c.Source, SessionKey: c.Key, Resolver: string(g),
				Now: now.ID, AfterFix: after.ID(c), Why: now.Why()}
			if now.RunnerUp >= 0 {
				l.RunnerUp = e.facts.Sessions[now.RunnerUp].ID
			}
			out[k*len(gens)+n] = l
		}
	}
	return out
}

// rows lists every row with its class.
func (e *exam) rows(now float64) []SessionLine {
	out := make([]SessionLine, len(e.facts.Sessions))
	for i := range e.facts.Sessions {
		out[i] = e.row(int32(i))
		out[i].Pruned = prunable(&e.facts.Sessions[i], now)
	}
	return out
}

func (e *exam) row(i int32) SessionLine {
	s := &e.facts.Sessions[i]
	id := s.ID
	if s.NoID {
		id = fmt.Sprintf("rowid %d", s.RowID)
	}
	return SessionLine{
		Store: e.facts.Store, ID: id, Source: s.Source, SessionKey: s.SessionKey, Verdict: e.classes[i],
		First: float64(s.First), Last: float64(s.Last), Started: float64(s.Started), Ended: float64(s.Ended),
		EndReason: s.EndReason, Messages: s.Messages, Parent: s.ParentID,
	}
}

// answer is the file's own generation's answer for a chat.
func (e *exam) answer(c facts.Chat) resume.Answer { return e.now[e.gen].Resolve(c) }
