package scan

import "github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"

// Status is how a check ended.
type Status string

// A check ran, was skipped (no input, deselected, only with --deep), or failed: then the scan is incomplete.
const (
	Ran     Status = "ran"
	Skipped Status = "skipped"
	Failed  Status = "failed"
)

// CheckStatus is one check's outcome over all stores. Reason is set for skipped and failed.
type CheckStatus struct {
	ID     string
	Status Status
	Reason string
	Millis float64
}

// CensusLine counts the session rows of one store, source and class; every row is in exactly one line.
type CensusLine struct {
	Store, Source string
	Verdict       Class
	Sessions      int
	Messages      int64
}

// ResumeLine is the row that one generation of the product gives to one chat after a restart.
type ResumeLine struct {
	Store, Source, SessionKey string
	Resolver                  string
	Now, AfterFix             string // session id; "" = none: the next message mints a new session
	RunnerUp                  string
	Why                       string
}

// SessionLine is one row with its class, for --all and for the rows side by side that resume prints.
type SessionLine struct {
	Store, ID, Source, SessionKey string
	Verdict                       Class
	First, Last                   float64 // epoch seconds of its messages; NaN = none
	Started, Ended                float64 // epoch seconds as stored; NaN = blank
	EndReason                     string
	Messages                      int64
	Parent                        string
	Pruned                        bool // the next prune of the product takes it
}

// Word is the verdict in one word, worst first: damaged, inconclusive, absent, sound-elsewhere, sound.
type Word string

// The verdict words of CONTRACT.
const (
	Damaged        Word = "damaged"
	Inconclusive   Word = "inconclusive"
	Absent         Word = "absent"
	SoundElsewhere Word = "sound-elsewhere"
	Sound          Word = "sound"
)

// Verdict is the first line of every report.
type Verdict struct {
	Word     Word
	Sentence string
}

// Database describes one state.db as it was read.
type Database struct {
	Store         string
	SchemaVersion int    // 0 = none recorded
	Newer         bool   // newer than any version this build knows: read by introspection
	Generation    string // the resolver of the file's own generation
	JournalMode   string
	PageSize      int
	Pages         int64
	Sessions      int64
	Messages      int64
	View          string
	Views         []View
	Notes         []string // what a reader must know: another view exists, a table is missing
}

// View is what one way of opening the database shows: the main file alone, or with its WAL.
type View struct {
	Name     string
	Sessions int64
	Messages int64
	Newest   float64 // epoch seconds of the newest trusted message; NaN = none
	Error    string
}

// Story is one chat in trouble told in plain words, with the next command.
type Story struct {
	Store, Source, SessionKey string
	Text                      []string
	Next                      string
	Lane                      *Lane // its picture; nil unless Options.Lanes, and for stories beyond the first of a store
}

// Result is everything a scan found out; it holds no clock, no host and no temporary path.
type Result struct {
	Databases []Database
	Verdict   Verdict
	Census    []CensusLine
	Ends      []EndLine
	Checks    []CheckStatus
	Findings  []Finding
	NotDamage []NotDamage // what looks like damage and is none
	Resume    []ResumeLine
	Stories   []Story
	Bases     []Base // the checkpoint bases that were looked at
	// Checkpoints is every project of them, in the order of the bases; its checkpoints newest first.
	Checkpoints []checkpoints.ProjectLine
	Sessions    []SessionLine // every row, in store and row order; only with Options.Rows
	Partial     bool          // a store could not be read: "nothing found" is not "clean"
	Unchanged   bool          // the inputs hashed the same at the end
	Changed     []string      // the inputs that did not
	Now         float64       // the clock that was used, epoch seconds
	Digest      string        // of the sources, see evidence.Digest; "" where they could not be hashed
	Timeline    *Timeline     // what happened to the chats in trouble, or everything with Options.Timeline
	Planner     *Planner      // nil unless Options.Plan, and then nil too where not exactly one store could be read
}

// Class is a session row's place in the census; the first that fits, in this order.
type Class uint8

// The classes in the order of CONTRACT's census, first match wins. The zero value is none.
const (
	Unreadable Class = iota + 1
	Tool
	Branch
	Delegate
	UnkeyedByDesign
	BeforeKeys
	Orphan
	Empty
	Hollow
	Compressed
	Zombie
	Fenced
	Duplicate
	Ended
	Healthy
)

// String is the name of the class in CONTRACT.md; "" for none.
func (c Class) String() string {
	return [...]string{
		"", "unreadable", "tool", "branch", "delegate", "unkeyed-by-design", "before-keys", "orphan", "empty", "hollow", "compressed",
		"zombie", "fenced", "duplicate", "ended", "healthy",
	}[c]
}
