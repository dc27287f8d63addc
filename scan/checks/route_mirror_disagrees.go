package checks

import (
	"context"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

var routeMirrorDisagrees = &scan.Check{
	ID: "route-mirror-disagrees", Class: "S3", Severity: scan.Notice,
	Title:  "the routing table and sessions.json name different sessions for one chat",
	Issues: []string{"#9006"},
	Needs:  scan.NeedSessions | scan.NeedRoutes,
	Doc: scan.Doc{
		What:   "gateway_routing and sessions.json both hold an entry for a key, and the two name different sessions. Builds since mid-July 2026 load the table first and take the file only for keys that the table lacks; older ones read the file alone.",
		Not:    "It does not say which of the two is right: the newer entry is the likelier, and what each generation resumes is told under resume.",
		Origin: "A downgrade and an upgrade, a save that failed, or gateway.write_sessions_json switched off, which leaves the file as it was.",
		Safe:   "Nothing: the next save of the index writes the file anew from the table.",
		Unsafe: "Going back to a build that reads the file alone before the two agree.",
		ByHand: "SELECT session_key, json_extract(entry_json, '$.session_id') FROM gateway_routing ORDER BY session_key",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		file := map[string]*facts.Route{}
		for k := range p.Facts.Routes.File {
			r := &p.Facts.Routes.File[k]
			file[r.Key] = r
		}
		for k := range p.Facts.Routes.Table {
			t := &p.Facts.Routes.Table[k]
			m := file[t.Key]
			if m == nil || m.SessionID == t.SessionID {
				continue
			}
			p.Report(scan.Finding{
				Subject:  scan.Subject{SessionKey: t.Key, Source: routeSubject(t).Source, Table: "gateway_routing"},
				Message:  fmt.Sprintf("for %s the routing table names %q and sessions.json names %q; %s", t.Key, t.SessionID, m.SessionID, newerWords(t, m)),
				Advice:   "As the file stands, " + nextWords(p, t) + ". Let a gateway of one build run and save its index before another build reads it.",
				Evidence: []evidence.Item{updatedEvidence(t), updatedEvidence(m)},
			})
		}
		return nil
	},
}

// newerWords says which of two entries was used last.
func newerWords(table, file *facts.Route) string {
	switch {
	case table.Updated > file.Updated:
		return "the table's entry is the newer, and wins"
	case file.Updated > table.Updated:
		return "the file's entry is the newer"
	}
	return "neither entry is newer than the other"
}

func updatedEvidence(r *facts.Route) evidence.Item {
	return evidence.Item{At: r.At, Saw: fmt.Sprintf("session_id %s, updated %s", r.SessionID, scan.Moment(r.Updated)), How: r.How}
}
