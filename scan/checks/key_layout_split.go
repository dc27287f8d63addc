package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

var keyLayoutSplit = &scan.Check{
	ID: "key-layout-split", Severity: scan.Warning,
	Title:  "one chat's rows stand under keys of two layouts",
	Issues: []string{},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedKeys,
	Doc: scan.Doc{
		What:   "Rows of one chat and thread, all with messages, have keys that were made by different rules: shared and per participant, with and without the Slack scope, by the chat and by the participant, or with two namespaces of one profile. Every build looks up by the exact key first, so that the part under the other layout is not resumed.",
		Not:    "Several participants of a chat that is kept per participant have a key each, and several threads of a chat too: that is one layout. Second ids of a participant are not compared.",
		Origin: "group_sessions_per_user, thread_sessions_per_user or multiplex_profiles was changed, or an update began to write the scope into Slack keys. v0.21 claims an unscoped Slack key once; v0.18 and v0.20.1 do not.",
		Safe:   "Setting the option back brings the older part back; /resume reaches it too.",
		Unsafe: "Giving the rows of one layout the keys of the other: in a shared chat that shows one participant's talk to all.",
		ByHand: "SELECT source, chat_id, chat_type, thread_id, count(DISTINCT session_key) AS keys FROM sessions WHERE session_key <> '' AND chat_id <> '' GROUP BY source, chat_id, chat_type, thread_id HAVING keys > 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		spots, order := spotsOf(p)
		for _, at := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			if layouts := spots[at]; len(layouts) > 1 {
				p.Report(splitFinding(p, at, layouts))
			}
		}
		return nil
	},
}

func splitFinding(p *scan.Pass, at spot, layouts map[string]*laid) scan.Finding {
	names := make([]string, 0, len(layouts))
	for name := range layouts {
		names = append(names, name)
	}
	slices.Sort(names)
	least := layouts[names[0]].keys[0]
	f := scan.Finding{
		Message: fmt.Sprintf("the rows of one chat of %s stand under keys of %s", at.source, scan.Count(len(layouts), "layout")),
		Advice:  "See which layout the configuration gives today; the rows under the other are whole and reachable by /resume.",
	}
	for _, name := range names {
		l := layouts[name]
		slices.Sort(l.keys)
		least = min(least, l.keys[0])
		quoted := make([]string, len(l.keys))
		for k, key := range l.keys {
			quoted[k] = evidence.Quote(key)
		}
		f.Evidence = append(f.Evidence, evidence.Item{
			At:  evidence.Ref{Store: p.Facts.Store, Table: "sessions", Column: "session_key"},
			Saw: fmt.Sprintf("%s: %s, %s", name, scan.Count(l.sessions, "row"), scan.Count(l.messages, "message")),
			How: fmt.Sprintf("SELECT id, session_key, started_at, message_count FROM sessions WHERE source = %s AND session_key IN (%s)",
				evidence.Quote(at.source), strings.Join(quoted, ", ")),
		})
	}
	f.Subject = scan.Subject{SessionKey: least, Source: at.source, Table: "sessions"}
	return f
}
