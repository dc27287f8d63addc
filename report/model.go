package report

// The JSON model of CONTRACT.md. A field that ends in B64 is set only where the text beside it is not valid
// UTF-8: that text then shows U+FFFD for each byte that is wrong, and B64 holds the bytes.

// Tool says which build made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SQLite  string `json:"sqlite"` // the version of the library
	FTS5    bool   `json:"fts5"`   // without it, full text indexes cannot be checked
}

// Input is one file that was read.
type Input struct {
	Role     string   `json:"role"`
	Path     string   `json:"path"`
	PathB64  string   `json:"path_b64,omitempty"`
	Bytes    int64    `json:"bytes"`
	SHA256   string   `json:"sha256"`
	Modified *float64 `json:"modified"` // epoch seconds
	Mode     string   `json:"mode"`
}

// Database is one state.db as it was read.
type Database struct {
	Store         string   `json:"store"`
	StoreB64      string   `json:"store_b64,omitempty"`
	SchemaVersion *int     `json:"schema_version"` // null = none recorded
	Newer         bool     `json:"newer"`          // newer than any version this build knows
	Generation    string   `json:"generation"`     // the resolver of the file's own generation
	JournalMode   string   `json:"journal_mode"`
	PageSize      int      `json:"page_size"`
	Pages         int64    `json:"pages"`
	Sessions      int64    `json:"sessions"`
	Messages      int64    `json:"messages"`
	View          string   `json:"view"`
	Views         []View   `json:"views"`
	Notes         []string `json:"notes"`
}

// View is what one way of opening a database shows.
type View struct {
	Name     string   `json:"name"`
	Sessions int64    `json:"sessions"`
	Messages int64    `json:"messages"`
	Newest   *float64 `json:"newest"` // epoch seconds; null = no trusted time
	Error    string   `json:"error,omitempty"`
}

// Verdict is the first line of every report.
type Verdict struct {
	Word     string `json:"word"`
	Sentence string `json:"sentence"`
}

// Census counts the rows of one store, source and class.
type Census struct {
	Store     string `json:"store"`
	StoreB64  string `json:"store_b64,omitempty"`
	Source    string `json:"source"`
	SourceB64 string `json:"source_b64,omitempty"`
	Verdict   string `json:"verdict"`
	Sessions  int    `json:"sessions"`
	Messages  int64  `json:"messages"`
}

// End counts the rows of one store and source that ended alike, by the days since they were last used.
type End struct {
	Store        string  `json:"store"`
	StoreB64     string  `json:"store_b64,omitempty"`
	Source       string  `json:"source"`
	SourceB64    string  `json:"source_b64,omitempty"`
	EndReason    *string `json:"end_reason"` // null = none is recorded
	EndReasonB64 string  `json:"end_reason_b64,omitempty"`
	Open         bool    `json:"open"` // there is no time of the end
	Sessions     int     `json:"sessions"`
	Ages         Ages    `json:"ages"`
}

// Ages parts rows by the days since they were last used, by the scan's clock.
type Ages struct {
	Day     int `json:"day"`     // at most one day
	Week    int `json:"week"`    // at most 7
	Month   int `json:"month"`   // at most 30
	Quarter int `json:"quarter"` // at most 90
	Older   int `json:"older"`
	Unknown int `json:"unknown"` // no time can be used
}

// CheckStatus is how a check ended.
type CheckStatus struct {
	ID     string   `json:"id"`
	Status string   `json:"status"`
	Reason string   `json:"reason,omitempty"`
	Millis *float64 `json:"ms,omitempty"` // only with Options.Timings
}

// Finding is one statement about damage with its proof.
type Finding struct {
	ID         string     `json:"id"`
	Check      string     `json:"check"`
	Severity   string     `json:"severity"`
	Message    string     `json:"message"`
	MessageB64 string     `json:"message_b64,omitempty"`
	Advice     string     `json:"advice"`
	AdviceB64  string     `json:"advice_b64,omitempty"`
	Subject    Subject    `json:"subject"`
	Evidence   []Evidence `json:"evidence"`
	Issues     []string   `json:"issues"`
	Adoption   *Adoption  `json:"adoption,omitempty"`
	Fills      []Fill     `json:"fills"`
	Held       bool       `json:"held"` // the fills need consent
	Labelled   *bool      `json:"labelled,omitempty"`

	Suppressed *Suppressed `json:"suppressed,omitempty"` // known before: it does not count
}

// KnownBefore sums up a baseline and an ignore file.
type KnownBefore struct {
	Suppressed int      `json:"suppressed"` // findings that do not count
	Notes      []string `json:"notes"`
}

// NotDamage is something that looks like damage and is none, with why.
type NotDamage struct {
	ID            string     `json:"id"` // explain takes it
	Store         string     `json:"store"`
	StoreB64      string     `json:"store_b64,omitempty"`
	Verdict       *string    `json:"verdict"`     // the census class of its rows; null where they are in several, or none is meant
	SessionKey    *string    `json:"session_key"` // null = it is about no one chat
	SessionKeyB64 string     `json:"session_key_b64,omitempty"`
	Sessions      int        `json:"sessions"`
	Message       string     `json:"message"`
	Evidence      []Evidence `json:"evidence"`
	Issues        []string   `json:"issues"`
}

// Subject names what a finding is about; only what applies is set.
type Subject struct {
	Store         string `json:"store,omitempty"`
	StoreB64      string `json:"store_b64,omitempty"`
	SessionID     string `json:"session_id,omitempty"`
	SessionIDB64  string `json:"session_id_b64,omitempty"`
	SessionKey    string `json:"session_key,omitempty"`
	SessionKeyB64 string `json:"session_key_b64,omitempty"`
	Source        string `json:"source,omitempty"`
	SourceB64     string `json:"source_b64,omitempty"`
	Table         string `json:"table,omitempty"`
	TableB64      string `json:"table_b64,omitempty"`
	RowID         int64  `json:"rowid,omitempty"`
	Path          string `json:"path,omitempty"`
	PathB64       string `json:"path_b64,omitempty"`
	Project       string `json:"project,omitempty"`
	ProjectB64    string `json:"project_b64,omitempty"`
	Checkpoint    string `json:"checkpoint,omitempty"`
}

// Evidence is one observation: where, what was seen, and the SQL or command that shows it again.
type Evidence struct {
	At     string `json:"at"`
	AtB64  string `json:"at_b64,omitempty"`
	Saw    string `json:"saw"`
	SawB64 string `json:"saw_b64,omitempty"`
	How    string `json:"how"`
	HowB64 string `json:"how_b64,omitempty"`
}

// Adoption is the decision about one orphan.
type Adoption struct {
	Decision       string      `json:"decision"`
	Predecessor    *string     `json:"predecessor"`
	PredecessorB64 string      `json:"predecessor_b64,omitempty"`
	SessionKey     *string     `json:"session_key"`
	SessionKeyB64  string      `json:"session_key_b64,omitempty"`
	Evidence       []string    `json:"evidence"`
	Refusals       []Refusal   `json:"refusals"`
	Candidates     []Candidate `json:"candidates"`
	Caveats        []string    `json:"caveats"`
}

// Refusal is one reason against an adoption.
type Refusal struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Candidate is a row that was weighed as a predecessor.
type Candidate struct {
	SessionID    string `json:"session_id"`
	SessionIDB64 string `json:"session_id_b64,omitempty"`
	RejectedBy   string `json:"rejected_by,omitempty"`
}

// Fill is one proposed cell. Value is a string, a number, or null for a number that JSON cannot hold.
type Fill struct {
	Table      string `json:"table"`
	Key        string `json:"key"`
	KeyB64     string `json:"key_b64,omitempty"`
	Column     string `json:"column"`
	Value      any    `json:"value"`
	ValueB64   string `json:"value_b64,omitempty"`
	Because    string `json:"because"`
	BecauseB64 string `json:"because_b64,omitempty"`
}

// Resume is the row that one generation of the product gives to one chat after a restart.
type Resume struct {
	Store         string  `json:"store"`
	StoreB64      string  `json:"store_b64,omitempty"`
	Source        string  `json:"source"`
	SourceB64     string  `json:"source_b64,omitempty"`
	SessionKey    string  `json:"session_key"`
	SessionKeyB64 string  `json:"session_key_b64,omitempty"`
	Resolver      string  `json:"resolver"`
	Now           *string `json:"now"` // null = the next message mints a new session
	NowB64        string  `json:"now_b64,omitempty"`
	AfterFix      *string `json:"after_fix"`
	AfterFixB64   string  `json:"after_fix_b64,omitempty"`
	RunnerUp      string  `json:"runner_up,omitempty"`
	RunnerUpB64   string  `json:"runner_up_b64,omitempty"`
	Why           string  `json:"why"`
	WhyB64        string  `json:"why_b64,omitempty"`
}

// Chat is a Resume with the rows that compete for the chat, side by side.
type Chat struct {
	Resume
	Rows []Row `json:"rows"`
}

// Row is one session row of a chat. Times are epoch seconds; null = blank.
type Row struct {
	SessionID    string   `json:"session_id"`
	SessionIDB64 string   `json:"session_id_b64,omitempty"`
	Started      *float64 `json:"started"`
	Ended        *float64 `json:"ended"`
	EndReason    *string  `json:"end_reason"`
	EndReasonB64 string   `json:"end_reason_b64,omitempty"`
	First        *float64 `json:"first"`
	Last         *float64 `json:"last"`
	Messages     int64    `json:"messages"`
	Verdict      string   `json:"verdict"`
}

// Session is one session row, for --all.
type Session struct {
	Store         string   `json:"store"`
	StoreB64      string   `json:"store_b64,omitempty"`
	ID            string   `json:"id"`
	IDB64         string   `json:"id_b64,omitempty"`
	Source        string   `json:"source"`
	SourceB64     string   `json:"source_b64,omitempty"`
	SessionKey    *string  `json:"session_key"`
	SessionKeyB64 string   `json:"session_key_b64,omitempty"`
	Verdict       string   `json:"verdict"`
	First         *float64 `json:"first"`
	Last          *float64 `json:"last"`
	Messages      int64    `json:"messages"`
	Parent        *string  `json:"parent"`
	ParentB64     string   `json:"parent_b64,omitempty"`
	Pruned        bool     `json:"pruned,omitempty"` // the next prune of the product takes it
}

// Story is one chat in trouble in plain words, with the next command.
type Story struct {
	Store         string   `json:"store"`
	StoreB64      string   `json:"store_b64,omitempty"`
	Source        string   `json:"source"`
	SourceB64     string   `json:"source_b64,omitempty"`
	SessionKey    string   `json:"session_key"`
	SessionKeyB64 string   `json:"session_key_b64,omitempty"`
	Text          []string `json:"text"`
	Next          string   `json:"next"`
}
