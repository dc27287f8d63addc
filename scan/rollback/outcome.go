package rollback

// Verdict is what a rollback would come to.
type Verdict string

// The verdicts. Unknown is given only where git attributes decide.
const (
	Restores Verdict = "restores"
	Refused  Verdict = "refused"
	Failed   Verdict = "error"
	Unknown  Verdict = "unknown"
)

// Class tells the errors apart.
type Class string

// The classes of errors, in the order of the rules that give them.
const (
	InvalidPath    Class = "invalid-path" // of the selection, or of an entry that git refuses
	MissingObject  Class = "missing-object"
	BadPath        Class = "bad-pathspec"
	NoMatch        Class = "no-match"
	EmptySelection Class = "empty-selection" // everything that matched was excluded
)

// Stage is how far a rollback gets before it fails. Before Checkout nothing is changed.
type Stage string

// The stages at which the product stops.
const (
	Validate Stage = "validate"
	Inspect  Stage = "inspect"
	Checkout Stage = "checkout" // after the safety snapshot
)

// Missing is an object that the rollback needs and that the store does not give.
type Missing struct {
	Path string // where the checkpoint has it; "" = its top folder
	ID   string
}

// Kept is a path of today that a rollback leaves as it is, and why.
type Kept struct {
	Path string
	Why  KeptReason
}

// KeptReason says why a path stays.
type KeptReason string

// The reasons. The first three come from the safe mode.
const (
	HandEdited  KeptReason = "hand-edited"          // the ledger knows another content: a user changed it since
	NotByAgent  KeptReason = "not-by-agent"         // the ledger does not know it
	Oversize    KeptReason = "oversize"             // above the size limit, so no checkpoint ever held it
	Ignored     KeptReason = "ignored"              // git leaves it out, so that the product does not see it
	InNested    KeptReason = "in-nested-repository" // git sees the repository that it lies in, and nothing of its files
	NotRecorded KeptReason = "not-recorded"         // the checkpoint does not have it: a rollback only lays files over
	NotSelected KeptReason = "not-selected"         // recorded with another content, outside the selection
)

// Outcome is what Simulate found. All paths are full paths of the checkpoint, in byte order.
type Outcome struct {
	Verdict  Verdict
	Class    Class    // of an error, else ""
	Stage    Stage    // where an error or a refusal comes up, else ""
	Message  string   // one sentence: what happens and why
	Nested   []string // the nested repositories that a refusal names
	Restored []string // what comes back; of an error, what comes back before it fails
	// BeforeFix is what a build without the refusal did: Restores, Failed or Unknown. It reported success for nested
	// repositories and brought nothing of them back.
	BeforeFix Verdict
	// Missing are the objects that the store lacks. Deleted holds the files that a real rollback would then delete.
	Missing []Missing
	Deleted []string
	Written []string // with Today: the restored paths whose content or mode differs now
	Kept    []Kept   // with Today: what stays although it differs from the checkpoint
	Assumes []string // sentences: what was taken for granted because it was not given
}
