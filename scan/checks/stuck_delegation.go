package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// How long a delegation may take, and how long its result may wait, before it counts as stuck, in seconds.
const (
	runsFor  = 86400
	waitsFor = 3600
)

var stuckDelegation = &scan.Check{
	ID: "stuck-delegation", Severity: scan.Notice,
	Title:  "a background task never ended, or its result still waits to be delivered",
	Issues: []string{"#97202", "#65491", "#116000", "#79199"},
	Needs:  scan.NeedSessions,
	Doc: scan.Doc{
		What:   "A row of async_delegations says that a task runs, and nothing was heard of it for a day by the file's own clock; or the task is over and its result has waited for delivery for more than an hour. At the next start such a result is put into its chat as a fresh turn, and work may start unasked.",
		Not:    "Whether the task's process still lives cannot be seen in a file.",
		Origin: "The process that ran the task ended without a word: a one-shot run, a crash, a kill.",
		Safe:   "Knowing it before the next start: what will be delivered, and to which chat.",
		Unsafe: "Deleting rows while the gateway runs.",
		ByHand: "SELECT delegation_id, state, delivery_state, dispatched_at, completed_at, updated_at FROM async_delegations WHERE state = 'running' OR delivery_state = 'pending'",
	},
	Run: func(_ context.Context, p *scan.Pass) error {
		for _, d := range p.Facts.Delegations {
			heard := facts.Later(facts.Later(d.Dispatched.Known(), d.Updated.Known()), d.Completed.Known())
			if heard.Blank() {
				continue
			}
			quiet := p.Now - float64(heard)
			what := ""
			switch {
			case running(d.State) && quiet > runsFor:
				what = fmt.Sprintf("says that it is %s, and nothing was heard of it for %s", d.State, scan.Age(quiet))
			case !running(d.State) && d.Delivery == "pending" && d.Event && quiet > waitsFor:
				what = fmt.Sprintf("is over (%s), and its result has waited for %s: the next start delivers it as a fresh turn", d.State, scan.Age(quiet))
			default:
				continue
			}
			p.Report(scan.Finding{
				Subject: scan.Subject{SessionID: d.SessionID, SessionKey: d.Key, Table: "async_delegations", RowID: d.RowID},
				Message: fmt.Sprintf("the background task %s %s", d.ID, what),
				Advice:  "Nothing is changed here. Decide before the next start whether its result may still arrive in the chat.",
				Evidence: []evidence.Item{{
					At:  evidence.Ref{Store: p.Facts.Store, Table: "async_delegations", Key: d.ID},
					Saw: fmt.Sprintf("state %s, delivery_state %s, last heard of %s", d.State, d.Delivery, scan.Moment(heard)),
					How: "SELECT * FROM async_delegations WHERE delegation_id = " + evidence.Quote(d.ID),
				}},
			})
		}
		return nil
	},
}

// running says that a state is one of a task that is not over.
func running(state string) bool {
	return slices.Contains([]string{"", "queued", "pending", "dispatched", "running"}, state)
}
