package scan

import (
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// RouteLine is a routing entry that names another session than the one that its chat resumes once some cells are filled.
type RouteLine struct {
	Store, Source, SessionKey string
	Resolver                  string       // the generation that reads the entry so
	Names                     string       // the session that the entry names; "" = none
	AfterFix                  string       // the session that the chat resumes; "" = a new one
	Does                      string       // what the product does about the entry at its start, in words
	At                        evidence.Ref // the entry
}

// Routes lists the routing entries that contradict what their chats resume with the fills, in the generations that
// decide about a plan, in the order in which the product loads them.
func (p *Planner) Routes(fills []Fill) []RouteLine {
	f := p.exam.facts
	v := f.View()
	adopt.Change(v, fills)
	ends := map[string]bool{}
	for _, c := range fills {
		ends[c.Key] = ends[c.Key] || c.Column == "end_reason"
	}
	var out []RouteLine
	for _, g := range resume.Generations() {
		if !p.Decides(string(g)) {
			continue
		}
		after := resume.New(f, g, p.now).Load(v)
		for _, e := range loaded(&f.Routes, g) {
			c := resume.RouteChat(e)
			a := after.Resolve(c)
			if a.ID == e.SessionID {
				continue
			}
			out = append(out, RouteLine{Store: f.Store, Source: c.Source, SessionKey: c.Key, Resolver: string(g),
				Names: e.SessionID, AfterFix: a.ID, Does: does(&a, ends[e.SessionID]), At: e.At})
		}
	}
	return out
}

// does says what the start makes of an entry. An entry is passed over for the lookup only where its row has ended.
func does(a *resume.Answer, planned bool) string {
	switch {
	case a.ByRoute:
		return a.Why()
	case planned:
		return "the entry does not hold, because the plan ends the row that it names; " + a.Why()
	}
	return "the entry does not hold, because the row that it names has ended; " + a.Why()
}

// loaded lists the entries that a generation loads, one a key: those of the table before those of the file.
func loaded(rt *facts.Routes, g resume.Generation) []*facts.Route {
	var lists [][]facts.Route
	if g != resume.V018 {
		lists = append(lists, rt.Table)
	}
	if rt.FileLost == "" || g == resume.V021 {
		lists = append(lists, rt.File)
	}
	var out []*facts.Route
	seen := map[string]bool{}
	for _, list := range lists {
		for k := range list {
			if e := &list[k]; e.Refused == "" && !seen[e.Key] {
				seen[e.Key] = true
				out = append(out, e)
			}
		}
	}
	return out
}
