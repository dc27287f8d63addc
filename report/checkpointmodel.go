package report

// CheckpointDoc is what checkpoints list, show and audit write as JSON.
type CheckpointDoc struct {
	Schema          int                 `json:"schema"`
	Tool            Tool                `json:"tool"`
	Inputs          []Input             `json:"inputs"`
	InputsUnchanged bool                `json:"inputs_unchanged"`
	InputsChanged   []string            `json:"inputs_changed,omitempty"`
	Bases           []CheckpointBase    `json:"bases"`
	Projects        []CheckpointProject `json:"projects"`
	Entries         []CheckpointEntry   `json:"entries,omitempty"` // of show --checkpoint
	Lost            []LostObject        `json:"lost,omitempty"`    // of audit
	Unlisted        []UnlistedCommit    `json:"unlisted,omitempty"`
	Checks          []CheckStatus       `json:"checks,omitempty"`
	Findings        []Finding           `json:"findings,omitempty"`
	Known           *KnownBefore        `json:"known,omitempty"` // with --baseline or --ignore-file
	Notes           []string            `json:"notes"`
}

// CheckpointBase is one checkpoints/ folder.
type CheckpointBase struct {
	Name      string            `json:"name"`
	NameB64   string            `json:"name_b64,omitempty"`
	Profile   string            `json:"profile"`
	Stores    []CheckpointStore `json:"stores"`
	LastPrune *float64          `json:"last_prune"` // epoch seconds; null = never, or unreadable
	Gaps      []Gap             `json:"gaps"`
}

// CheckpointStore is one git directory of a base.
type CheckpointStore struct {
	Name     string `json:"name"`
	Layout   int    `json:"layout"` // 2 = the store of all projects, 1 = a repository of one
	Format   string `json:"format"` // sha1 or sha256
	Projects int    `json:"projects"`
	Unlisted *int   `json:"unlisted_commits"` // null where nobody looked: audit does
	Gaps     []Gap  `json:"gaps"`
	Limit    string `json:"limit,omitempty"` // what was too much to be looked at
}

// Gap is a reason why a list is empty, short, or not shown by the product.
type Gap struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// CheckpointProject is one working directory.
type CheckpointProject struct {
	ID          string       `json:"id"`
	IDB64       string       `json:"id_b64,omitempty"`
	Base        string       `json:"base"`
	BaseB64     string       `json:"base_b64,omitempty"`
	Store       string       `json:"store"`
	Layout      int          `json:"layout"`
	Workdir     *string      `json:"workdir"` // null = not recorded
	WorkdirB64  string       `json:"workdir_b64,omitempty"`
	WorkdirFrom string       `json:"workdir_from,omitempty"`
	JSON        string       `json:"json"`       // present, absent or damaged
	Ref         string       `json:"ref"`        // sound, absent, damaged, …
	Tip         *string      `json:"tip"`        // null = no commit can be reached
	CreatedAt   *float64     `json:"created_at"` // epoch seconds
	LastTouch   *float64     `json:"last_touch"`
	Size        *Size        `json:"size"` // null where it was not asked for
	Gaps        []Gap        `json:"gaps"`
	Checkpoints []Checkpoint `json:"checkpoints"`
}

// Size is in bytes of contents, each once, before compression.
type Size struct {
	Bytes   int64 `json:"bytes"`
	Unique  int64 `json:"unique_bytes"` // nothing else in the store holds them
	Shared  int64 `json:"shared_bytes"`
	Missing int   `json:"missing_objects"` // they weigh nothing here
}

// Checkpoint is one commit of a project's chain.
type Checkpoint struct {
	ID          string       `json:"id"`
	N           int          `json:"n"`
	At          *float64     `json:"at"`
	Reason      string       `json:"reason"`
	ReasonB64   string       `json:"reason_b64,omitempty"`
	Nested      []string     `json:"nested"`
	NestedB64   []*string    `json:"nested_b64,omitempty"`
	Labelled    bool         `json:"labelled"` // the text names the nested repositories, or there are none
	Label       string       `json:"label"`    // none, labelled, predates or wrong
	Told        string       `json:"told,omitempty"`
	ToldB64     string       `json:"told_b64,omitempty"`
	NestedRepos []NestedRepo `json:"nested_repos"`
	NestedTotal int64        `json:"nested_total"`
	Tree        string       `json:"tree"`
	Files       int64        `json:"files"`
	Links       int64        `json:"links"`
	Folders     int64        `json:"folders"`
	Whole       bool         `json:"whole"` // every folder could be read
	Size        *Size        `json:"size"`
}

// NestedRepo is a repository of which a checkpoint holds nothing but the commit.
type NestedRepo struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	Commit  string `json:"commit"`
	InStore bool   `json:"in_store"` // normally not
	Since   int    `json:"since"`    // n of the oldest checkpoint in an unbroken row that records the path so
}

// CheckpointEntry is one file of a checkpoint.
type CheckpointEntry struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	Kind    string `json:"kind"`
	ID      string `json:"id"`
}

// LostObject is a tree or blob that checkpoints need and that cannot be read.
type LostObject struct {
	Project string `json:"project"`
	Store   string `json:"store"`
	Path    string `json:"path"` // in the newest checkpoint that needs it; "" = the whole checkpoint
	PathB64 string `json:"path_b64,omitempty"`
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Fault   string `json:"fault"`
	Newest  int    `json:"newest"`
	Oldest  int    `json:"oldest"`
	Number  int    `json:"checkpoints"`
}

// UnlistedCommit is a commit that no chain leads to: dropped from one, behind a gap, or of a lost ref.
type UnlistedCommit struct {
	Store     string   `json:"store"`
	Projects  []string `json:"projects"` // that it belongs to, by its tree or its neighbours; empty = not known
	ID        string   `json:"id"`
	Tree      string   `json:"tree"`
	At        *float64 `json:"at"`
	Reason    string   `json:"reason"`
	ReasonB64 string   `json:"reason_b64,omitempty"`
}
