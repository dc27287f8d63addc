package adopt

// Decision is what may be done about an orphan without asking.
type Decision string

// The three decisions of CONTRACT's adoption table.
const (
	Adopt   Decision = "adopt"
	Consent Decision = "consent"
	Refuse  Decision = "refuse"
)

// rank orders decisions from the strongest to the weakest.
func (d Decision) rank() int {
	switch d {
	case Adopt:
		return 0
	case Consent:
		return 1
	}
	return 2
}

// The kinds of evidence, strongest first.
const (
	Recorded     = "recorded"
	Corroborated = "corroborated"
	ByIdentity   = "identity"
	Lineage      = "lineage"
	Contiguity   = "contiguity"
)

// Adoption is the decision about one orphan, with everything that was weighed.
type Adoption struct {
	Decision    Decision
	Predecessor string // session id; "" = none
	SessionKey  string // the key that the orphan would get; "" = none
	Evidence    []string
	Refusals    []Refusal
	Candidates  []Candidate
	Caveats     []string // why consent is needed, and what should be known although it decides nothing
}

// Refusal is one reason against an adoption; Code is from CONTRACT's table.
type Refusal struct{ Code, Text string }

// Candidate is a row that was considered as the orphan's predecessor; RejectedBy is "" for the one that was taken.
type Candidate struct{ SessionID, RejectedBy string }

// Fill is one proposed cell: a value for a place that is NULL or ”. It is data: a check has no way to write.
type Fill struct {
	Table   string
	Key     string // the row's primary key: the session id
	Column  string
	Value   any // string or float64 (epoch seconds)
	Because string
}

// refuse adds a reason, once per code.
func (a *Adoption) refuse(code, text string) {
	for _, r := range a.Refusals {
		if r.Code == code {
			return
		}
	}
	a.Refusals = append(a.Refusals, Refusal{code, text})
	a.Decision = Refuse
}

// soften lowers the decision to consent, with the reason.
func (a *Adoption) soften(text string) {
	a.Caveats = append(a.Caveats, text)
	if a.Decision == Adopt {
		a.Decision = Consent
	}
}
