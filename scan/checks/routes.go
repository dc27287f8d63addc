package checks

import (
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
)

// loadedRoutes lists the entries that the file's generation loads, one a key: the table first, then the file.
func loadedRoutes(p *scan.Pass) []*facts.Route {
	var out []*facts.Route
	seen := map[string]bool{}
	rt := &p.Facts.Routes
	lists := [][]facts.Route{rt.Table}
	if rt.FileLost == "" || p.Resolver.Generation() == resume.V021 {
		lists = append(lists, rt.File)
	}
	if p.Resolver.Generation() == resume.V018 && len(rt.Table) == 0 {
		lists = [][]facts.Route{rt.File}
	}
	for _, list := range lists {
		for k := range list {
			if r := &list[k]; r.Refused == "" && !seen[r.Key] {
				seen[r.Key] = true
				out = append(out, r)
			}
		}
	}
	return out
}

// routeSubject names a routing entry as a finding's subject.
func routeSubject(r *facts.Route) scan.Subject {
	c := resume.RouteChat(r)
	return scan.Subject{SessionID: r.SessionID, SessionKey: r.Key, Source: c.Source, Path: r.At.Path, Table: r.At.Table}
}

// routeEvidence shows the entry itself.
func routeEvidence(r *facts.Route) evidence.Item {
	return evidence.Item{At: r.At, Saw: "session_id " + r.SessionID, How: r.How}
}

// nextWords says what the chat gets with its next message.
func nextWords(p *scan.Pass, r *facts.Route) string {
	a := p.Resolver.Resolve(resume.RouteChat(r))
	if a.ID == "" {
		return "the chat's next message gets " + a.Why()
	}
	return fmt.Sprintf("the chat's next message goes to %s (%s)", a.ID, a.Why())
}

// entries spells a number of routing entries.
func entries[N int | int64](n N) string {
	if n == 1 {
		return "1 routing entry"
	}
	return fmt.Sprintf("%d routing entries", n)
}
