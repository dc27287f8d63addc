package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
)

// Severity says how much a finding matters to the owner of the chats.
type Severity string

// The severities of CONTRACT, weakest first.
const (
	Notice  Severity = "notice"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Rank orders severities: notice 1, warning 2, error 3; anything else 0.
func (s Severity) Rank() int {
	switch s {
	case Notice:
		return 1
	case Warning:
		return 2
	case Error:
		return 3
	}
	return 0
}

// Subject names what a finding is about. Only the fields that apply are set.
type Subject struct {
	Store      string
	SessionID  string
	SessionKey string
	Source     string
	Table      string
	RowID      int64 // 0 = no row
	Path       string
	Project    string // the id of a checkpoint project
	Checkpoint string // the id of a commit of it
}

// Fill is one proposed cell: a value for a place that is NULL or ”.
type Fill = adopt.Fill

// Finding is one statement about damage, with its proof. A Finding without Evidence is refused by Run.
type Finding struct {
	Check    string // the id of the check that made it
	Severity Severity
	Message  string // plain words, one or two sentences, no message text of any user
	Advice   string // what to do next; begins with "update first" where the writer is unpatched
	Subject  Subject
	Evidence []evidence.Item
	Issues   []string // public threads of the same damage, "#82616"
	Adoption *Adoption
	Fills    []Fill
	// Others are the ids of the sessions that a finding stands for which is about many and names none: a verdict counts them.
	Others []string
	// Labelled is set on nested-repo-uncaptured: whether the checkpoint's own text names its nested repositories.
	Labelled *bool
	// Group is the same for findings of a check, one after the other, that tell people the same of several things: they
	// are shown the first of them, and the ids of the rest. "" = it stands alone.
	Group string
	Held  bool // the fills need consent: they are no part of the default plan
	// Intact says that the messages of the finding's sessions were found, whole, in a file that is no database: they are not absent.
	Intact bool
	// File says that the finding is about the bytes of a file rather than about rows: a copy of the rows has it no more.
	File bool
}

// ID is the stable name of a finding: 12 hex digits of a hash over its check and its subject. It is the same in every
// run over the same data, so that baselines, --accept and undo can refer to it.
func (f Finding) ID() string {
	s := f.Subject
	// %q keeps fields apart whatever bytes they hold.
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %d %q",
		f.Check, s.Store, s.SessionID, s.SessionKey, s.Source, s.Table, s.RowID, s.Path))
	if s.Project != "" || s.Checkpoint != "" {
		sum = sha256.Sum256(fmt.Appendf(sum[:], " %q %q", s.Project, s.Checkpoint))
	}
	return hex.EncodeToString(sum[:6])
}

// Adoption is the decision about one orphan, on every orphan-session finding.
type Adoption = adopt.Adoption

// Refusal is one reason against an adoption.
type Refusal = adopt.Refusal

// Candidate is a row that was considered as an orphan's predecessor.
type Candidate = adopt.Candidate
