package fix

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Advice is a change that a plan never makes, because it would replace a value: source, a counter, an end, a parent or
// model_config. Its owner may make it by hand, on a copy.
type Advice struct {
	Finding   string
	Check     string
	SessionID string
	Message   string // what the finding says
	Statement string // SQL, one line, without a semicolon
}

// advise lists the statements of the findings about the planned store, in their order.
func (d *draft) advise() {
	for k := range d.result.Findings {
		f := &d.result.Findings[k]
		if f.Subject.Store != d.planner.Store() {
			continue
		}
		if s := statement(f); s != "" {
			d.plan.Advice = append(d.plan.Advice, Advice{Finding: f.ID(), Check: f.Check, SessionID: f.Subject.SessionID, Message: f.Message, Statement: s})
		}
	}
}

// statement takes the statement out of the advice of a finding; "" = there is none. In every such advice it stands
// between these words; ids in it may hold any, so that the last ones count.
func statement(f *scan.Finding) string {
	if f.Check == "dangling-parent" { // whose advice leaves the cell as it is
		return "UPDATE sessions SET parent_session_id = NULL WHERE id = " + evidence.Quote(f.Subject.SessionID)
	}
	from, to := strings.Index(f.Advice, "UPDATE "), strings.LastIndex(f.Advice, "; this tool does not run it")
	if from < 0 || to < from || strings.Contains(f.Advice[from:to], "\n") {
		return ""
	}
	return f.Advice[from:to]
}
