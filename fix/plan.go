package fix

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Lineage says when a plan records the predecessor in the adopted row.
type Lineage string

// LineageSafe, the default, records it where the product keeps listing the row; LineageAlways wherever the cell is
// blank, although most parents hide a row from the product's lists; LineageNever leaves the row without.
const (
	LineageSafe   Lineage = "safe"
	LineageAlways Lineage = "always"
	LineageNever  Lineage = "never"
)

// AcceptContiguity in Options.Accept consents to every adoption that needs it.
const AcceptContiguity = "contiguity"

// Options says what a plan holds; the zero value is the default plan.
type Options struct {
	Accept        []string // consent: ids of findings or sessions, or AcceptContiguity
	Only          []string // ids of findings; nil = all. The adoption of one chat stays whole
	Steps         []string // ids of steps of a plan that was shown; nil = all. A unit with a step left out is left out whole
	RecordLineage Lineage  // "" = LineageSafe
}

// Plan is what a repair would do. NewPlan makes it, it is bound to the sources of the scan, and it must not be changed.
type Plan struct {
	Digest    string // of the sources, see evidence.Digest
	Store     string
	Steps     []Step
	Adoptions []Link
	Held      []Held
	Refused   []Refused
	Advice    []Advice         // what the plan does not do, and a person may
	Routes    []scan.RouteLine // the routing entries that contradict what the plan comes to

	promised []scan.ResumeLine // what each chat resumes now and with the steps
	now      float64           // the clock of the scan
	seal     string            // of the exported fields, as NewPlan made them
}

// Step is one cell to be filled. Old is nil or "", New a string or a float64 (epoch seconds).
type Step struct {
	ID      string // 12 hex digits: stable between runs on the same data
	Finding string
	Table   string
	Key     string // the row's primary key
	Column  string
	Old     any
	New     any
	Because string
}

// Link names the predecessor of an adopted row and what ties it to it, whether or not the row records it. A link by
// contiguity alone is a guess: no later run may take it for a recorded fact.
type Link struct {
	Finding     string   `json:"finding"`
	SessionID   string   `json:"session_id"`
	Predecessor string   `json:"predecessor"`
	SessionKey  string   `json:"session_key"`
	Evidence    []string `json:"evidence"`
}

// Held is a repair that waits for consent.
type Held struct {
	Finding   string
	Check     string
	SessionID string
	Why       []string // what speaks against doing it without asking
	With      []string // other findings that must be accepted too: one chat is repaired whole
	Steps     []Step
}

// Refused is a repair that is not made.
type Refused struct {
	Finding   string
	Check     string
	SessionID string
	Code      string
	Text      string
}

// NewPlan plans the repair of the one store of a result, which must come from a scan with Options.Plan. It does no
// I/O. All steps of one chat's adoption are in the plan or none is; what needs consent is held until it is accepted;
// and the resolver, over the facts with exactly the planned cells filled, must give each adopted row for its chat and
// the same row as before for every chat that the plan does not touch, in the file's generation and the newest.
//
// The error is a *RefusedError for a result that no plan may be made from, or an *UnknownIDError.
func NewPlan(r *scan.Result, o Options) (*Plan, error) {
	if err := usable(r); err != nil {
		return nil, err
	}
	d := &draft{result: r, planner: r.Planner, options: o, plan: &Plan{Digest: r.Digest, Store: r.Planner.Store(), now: r.Now}}
	if err := d.known(); err != nil {
		return nil, err
	}
	d.collect()
	d.hold()
	d.choose()
	d.write()
	d.advise()
	d.plan.Routes = d.planner.Routes(fillsIn(d.chosen))
	d.plan.seal = d.plan.Sum()
	return d.plan, nil
}

// usable refuses a result that did not see everything.
func usable(r *scan.Result) error {
	switch {
	case r == nil || len(r.Databases) != 1 && r.Planner == nil:
		return &RefusedError{Code: CodeSeveral, Reason: "a repair is for exactly one database", Next: "name one state.db"}
	case r.Partial || r.Planner == nil:
		return &RefusedError{Code: CodeIncomplete, Reason: "the database could not be read as a whole, so that nothing may be concluded from it",
			Next: recovery("state.db")}
	case !r.Unchanged || r.Digest == "":
		return &RefusedError{Code: CodeChanged, Reason: "the file changed while it was read", Next: "stop whatever uses it, copy it again, and scan the copy"}
	}
	return nil
}

// Empty says that there is nothing to do.
func (p *Plan) Empty() bool { return len(p.Steps) == 0 }

// Sum is a SHA-256 over everything that the plan would do, for receipts.
func (p *Plan) Sum() string {
	h := sha256.New()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(h, format, args...) } // documented never to fail
	say("%q %q\n", p.Digest, p.Store)
	for _, s := range p.Steps {
		say("step %q %q %q %q %q %#v %#v %q\n", s.ID, s.Finding, s.Table, s.Key, s.Column, s.Old, s.New, s.Because)
	}
	for _, a := range p.Adoptions {
		say("link %q %q %q %q %q\n", a.Finding, a.SessionID, a.Predecessor, a.SessionKey, a.Evidence)
	}
	for _, l := range p.promised {
		say("resume %q %q %q %q %q\n", l.Source, l.SessionKey, l.Resolver, l.Now, l.AfterFix)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stepID names a step by what it would do.
func stepID(finding string, f scan.Fill) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %v", finding, f.Table, f.Key, f.Column, f.Value))
	return hex.EncodeToString(sum[:6])
}
