package report

import (
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/fix"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// Plan is what fix would do. Digest is that of the sources, which --plan compares.
type Plan struct {
	Digest    string `json:"digest"`
	Store     string `json:"store"`
	StoreB64  string `json:"store_b64,omitempty"`
	Steps     []Step `json:"steps"`
	Adoptions []Link `json:"adoptions"`
	// Advice is what the plan never does, and Routes are the routing entries that contradict what it comes to.
	Advice []Advised `json:"advice"`
	Routes []Routed  `json:"routes"`
}

// Advised is a statement that would replace a value, for a person to run on a copy.
type Advised struct {
	Finding      string `json:"finding"`
	Check        string `json:"check"`
	SessionID    string `json:"session_id"`
	SessionIDB64 string `json:"session_id_b64,omitempty"`
	Message      string `json:"message"`
	MessageB64   string `json:"message_b64,omitempty"`
	Statement    string `json:"statement"`
}

// Routed is a routing entry that names another session than its chat resumes with the plan; null = none.
type Routed struct {
	Source        string  `json:"source"`
	SourceB64     string  `json:"source_b64,omitempty"`
	SessionKey    string  `json:"session_key"`
	SessionKeyB64 string  `json:"session_key_b64,omitempty"`
	Resolver      string  `json:"resolver"`
	At            string  `json:"at"`
	AtB64         string  `json:"at_b64,omitempty"`
	Names         *string `json:"names"`
	NamesB64      string  `json:"names_b64,omitempty"`
	AfterFix      *string `json:"after_fix"`
	AfterFixB64   string  `json:"after_fix_b64,omitempty"`
	Does          string  `json:"does"` // what the product does about it at its start
}

// Step is one cell of a plan. Old is null or "" in a repair; New is null only for a number that JSON cannot hold.
type Step struct {
	ID         string `json:"id"`
	Finding    string `json:"finding"`
	Table      string `json:"table"`
	Key        string `json:"key"`
	KeyB64     string `json:"key_b64,omitempty"`
	Column     string `json:"column"`
	Old        any    `json:"old"`
	OldB64     string `json:"old_b64,omitempty"`
	New        any    `json:"new"`
	NewB64     string `json:"new_b64,omitempty"`
	Because    string `json:"because"`
	BecauseB64 string `json:"because_b64,omitempty"`
}

// Link names the predecessor of an adopted row.
type Link struct {
	Finding        string   `json:"finding"`
	SessionID      string   `json:"session_id"`
	SessionIDB64   string   `json:"session_id_b64,omitempty"`
	Predecessor    string   `json:"predecessor"`
	PredecessorB64 string   `json:"predecessor_b64,omitempty"`
	SessionKey     string   `json:"session_key"`
	SessionKeyB64  string   `json:"session_key_b64,omitempty"`
	Evidence       []string `json:"evidence"`
}

// Held is a repair that waits for consent; With are findings that must be accepted together with it.
type Held struct {
	Finding      string    `json:"finding"`
	Check        string    `json:"check"`
	SessionID    string    `json:"session_id"`
	SessionIDB64 string    `json:"session_id_b64,omitempty"`
	Why          []string  `json:"why"`
	With         []string  `json:"with"`
	Steps        []Step    `json:"steps"`
	Compared     *Compared `json:"compared,omitempty"`
}

// Compared is the pair of rows that a consent is about.
type Compared struct {
	Predecessor ComparedRow `json:"predecessor"`
	Orphan      ComparedRow `json:"orphan"`
	Gap         *float64    `json:"gap_seconds"` // null = unknown
	Candidates  []Candidate `json:"candidates"`
}

// ComparedRow is a row with its first and last message.
type ComparedRow struct {
	Row
	FirstMessage *MessageRef `json:"first_message"`
	LastMessage  *MessageRef `json:"last_message"`
}

// MessageRef names one message; Text only with --show-text.
type MessageRef struct {
	ID      string   `json:"id"`
	IDB64   string   `json:"id_b64,omitempty"`
	At      *float64 `json:"at"`
	Role    string   `json:"role"`
	RoleB64 string   `json:"role_b64,omitempty"`
	Text    *string  `json:"text,omitempty"`
	TextB64 string   `json:"text_b64,omitempty"`
}

// RefusedRepair is a repair that is not made, with one of its reasons.
type RefusedRepair struct {
	Finding      string `json:"finding"`
	Check        string `json:"check"`
	SessionID    string `json:"session_id"`
	SessionIDB64 string `json:"session_id_b64,omitempty"`
	Code         string `json:"code"`
	Text         string `json:"text"`
}

func (r *Repair) json(w io.Writer) error {
	j := newJSONWriter(w)
	j.head(r.Tool, r.Inputs, r.Result)
	p := Plan{Digest: r.Plan.Digest, Steps: steps(r.Plan.Steps), Adoptions: make([]Link, len(r.Plan.Adoptions))}
	p.Store, p.StoreB64 = text(r.Plan.Store)
	for i, a := range r.Plan.Adoptions {
		p.Adoptions[i] = link(a)
	}
	p.Advice = slices.AppendSeq(make([]Advised, 0, len(r.Plan.Advice)), each(r.Plan.Advice, advised))
	p.Routes = slices.AppendSeq(make([]Routed, 0, len(r.Plan.Routes)), each(r.Plan.Routes, routed))
	j.member("plan", p)
	list(j, "held", each(r.Plan.Held, r.held))
	list(j, "refused", each(r.Plan.Refused, refusedRepair))
	list(j, "resume", each(r.Resume, resumeAfter))
	r.ending().write(j)
	return j.finish()
}

func advised(a fix.Advice) Advised {
	out := Advised{Finding: a.Finding, Check: a.Check, Statement: shownText(a.Statement)}
	out.SessionID, out.SessionIDB64 = text(a.SessionID)
	out.Message, out.MessageB64 = text(a.Message)
	return out
}

func routed(l scan.RouteLine) Routed {
	out := Routed{Resolver: l.Resolver, Does: shownText(l.Does)}
	out.Source, out.SourceB64 = text(l.Source)
	out.SessionKey, out.SessionKeyB64 = text(l.SessionKey)
	out.At, out.AtB64 = text(l.At.String())
	out.Names, out.NamesB64 = optionalText(l.Names)
	out.AfterFix, out.AfterFixB64 = optionalText(l.AfterFix)
	return out
}

// jsonLines writes a step a line.
func (r *Repair) jsonLines(w io.Writer) error {
	j := newJSONWriter(w)
	for _, s := range r.Plan.Steps {
		j.value(step(s))
		j.raw("\n")
	}
	return j.flush()
}

func (r *Repair) ending() ending {
	return ending{outcome: r.Outcome, refused: r.Refused, failed: r.Failed, undo: r.Undo}
}

func steps(all []fix.Step) []Step {
	return slices.AppendSeq(make([]Step, 0, len(all)), each(all, step))
}

func step(s fix.Step) Step {
	out := Step{ID: s.ID, Finding: s.Finding, Table: shownText(s.Table), Column: shownText(s.Column)}
	out.Key, out.KeyB64 = text(s.Key)
	out.Because, out.BecauseB64 = text(s.Because)
	out.Old, out.OldB64 = cell(s.Old)
	out.New, out.NewB64 = cell(s.New)
	return out
}

// cell spells a cell of a database: null, a string or a number.
func cell(v any) (shown any, b64 string) {
	switch v := v.(type) {
	case string:
		s, b64 := text(v)
		return s, b64
	case float64:
		if n := number(v); n != nil {
			return *n, ""
		}
		return nil, ""
	}
	return v, ""
}

func link(l fix.Link) Link {
	out := Link{Finding: l.Finding, Evidence: texts(l.Evidence)}
	out.SessionID, out.SessionIDB64 = text(l.SessionID)
	out.Predecessor, out.PredecessorB64 = text(l.Predecessor)
	out.SessionKey, out.SessionKeyB64 = text(l.SessionKey)
	return out
}

func (r *Repair) held(h fix.Held) Held {
	out := Held{Finding: h.Finding, Check: h.Check, Why: texts(h.Why), With: texts(h.With), Steps: steps(h.Steps)}
	out.SessionID, out.SessionIDB64 = text(h.SessionID)
	if c := r.Compared[h.Finding]; c != nil {
		out.Compared = &Compared{Predecessor: comparedRow(c.Predecessor), Orphan: comparedRow(c.Orphan), Gap: number(c.Gap),
			Candidates: slices.AppendSeq(make([]Candidate, 0, len(c.Candidates)), each(c.Candidates, candidate))}
	}
	return out
}

func comparedRow(s Side) ComparedRow {
	return ComparedRow{Row: row(s.Row), FirstMessage: messageRef(s.First), LastMessage: messageRef(s.Last)}
}

func messageRef(m *Message) *MessageRef {
	if m == nil {
		return nil
	}
	out := &MessageRef{At: number(m.At)}
	out.ID, out.IDB64 = text(m.ID)
	out.Role, out.RoleB64 = text(m.Role)
	if m.HasText {
		shown, b64 := text(m.Text)
		out.Text, out.TextB64 = &shown, b64
	}
	return out
}

func candidate(c scan.Candidate) Candidate {
	out := Candidate{RejectedBy: shownText(c.RejectedBy)}
	out.SessionID, out.SessionIDB64 = text(c.SessionID)
	return out
}

func refusedRepair(x fix.Refused) RefusedRepair {
	out := RefusedRepair{Finding: x.Finding, Check: x.Check, Code: x.Code, Text: shownText(x.Text)}
	out.SessionID, out.SessionIDB64 = text(x.SessionID)
	return out
}

// resumeAfter leaves out why: the reasons are those of a scan, and of the rows as they are.
func resumeAfter(l scan.ResumeLine) ResumeAfter {
	r := resumeLine(l)
	return ResumeAfter{r.Store, r.StoreB64, r.Source, r.SourceB64, r.SessionKey, r.SessionKeyB64, r.Resolver, r.Now, r.NowB64, r.AfterFix, r.AfterFixB64}
}

// ResumeAfter is what a chat resumes now and with the steps of a plan; null = a new session.
type ResumeAfter struct {
	Store         string  `json:"store"`
	StoreB64      string  `json:"store_b64,omitempty"`
	Source        string  `json:"source"`
	SourceB64     string  `json:"source_b64,omitempty"`
	SessionKey    string  `json:"session_key"`
	SessionKeyB64 string  `json:"session_key_b64,omitempty"`
	Resolver      string  `json:"resolver"`
	Now           *string `json:"now"`
	NowB64        string  `json:"now_b64,omitempty"`
	AfterFix      *string `json:"after_fix"`
	AfterFixB64   string  `json:"after_fix_b64,omitempty"`
}
