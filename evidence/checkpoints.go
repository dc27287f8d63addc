package evidence

import (
	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// CheckpointBase is one checkpoints/ folder: the store of all projects, repositories of the first layout that were
// never migrated, and archives of such repositories. Everything in it is the claim of a stranger.
type CheckpointBase struct {
	Name     string // "checkpoints" or "profiles/NAME/checkpoints", slashes; the caller's path where two would be the same
	Path     string // as the caller named it
	Profile  string // "default", or NAME below profiles/
	Stores   []*CheckpointStore
	Archives []CheckpointArchive
	// LastPrune is what .last_prune says, in epoch seconds; 0 = absent or unreadable.
	LastPrune float64
	// SetAside lists damaged refs that the product moved away, "corrupt-refs/…" below the base. Set, and empty, when
	// the folder is there without a file.
	SetAside []SetAsideRef
	Unknown  []string // entries of the base that nothing explains
	// Problems are of the base itself, paths below it. One without a path means that the base could not be looked at.
	Problems []GitProblem

	dirs    []*gitro.Folder
	listing *listing
	lone    bool // a git directory was named, not its base
}

// CheckpointArchive is a legacy-* folder. Its repositories are in CheckpointBase.Stores.
type CheckpointArchive struct {
	Name     string   // like "legacy-20260507-101500", the local time of the migration
	Modified float64  // of the folder, epoch seconds: retention counts from there
	Strays   []string // entries that are no repository
}

// SetAsideRef is the content of a damaged ref that the product replaced.
type SetAsideRef struct {
	Path    string // below the base
	Project string
	ID      ObjectID // the zero ObjectID when the content is none
	Bytes   int64
}

// CheckpointStore is one git directory: the v2 store, or a v1 repository.
type CheckpointStore struct {
	Base     *CheckpointBase
	Name     string // below the base: "store", "0123456789abcdef", "legacy-20260507-101500/0123456789abcdef"
	Version  int    // 2 for the store of all projects, 1 for a repository of one
	Format   ObjectFormat
	Projects []*CheckpointProject // by id
	Ledgers  []*CheckpointLedger  // by id
	Indexes  []string             // project ids that have an index

	Head     GitHead
	Refs     []GitRef // all of them, by name, also those of no project
	Config   CheckpointConfig
	Exclude  *CheckpointFile // info/exclude; nil = missing
	Packs    GitPacks
	Absent   []string         // of HEAD, config, objects, refs, refs/heads, branches: those that are not there
	Steering []SteeringFile   // what would make git do or see something else
	Locks    []CheckpointFile // *.lock and gc.pid
	Leavings []CheckpointFile // of killed writers and rollbacks
	Pending  bool             // .gc-pending: a ref was rewritten without gc
	GCLog    *CheckpointFile
	Problems []GitProblem // damaged or strange files, paths below the store

	dir  *gitro.Folder
	repo *gitro.Repo
}

// CheckpointFile is a file of a store that was seen.
type CheckpointFile struct {
	Path     string // below the store
	Bytes    int64
	Modified float64 // epoch seconds
	Mode     string  // like "-rw-r--r--"
	Lines    []string
}

// SteeringFile is a file that plain git obeys and that this program only reports.
type SteeringFile struct {
	Kind   Steering
	Path   string   // below the store
	Detail []string // its lines, bounded; nil for a folder or a binary file
}

// Steering says what a SteeringFile would do.
type Steering string

// The kinds of steering.
const (
	SteerAlternates  Steering = "alternates"   // objects of another folder
	SteerGrafts      Steering = "grafts"       // other parents
	SteerShallow     Steering = "shallow"      // a shorter history
	SteerReplace     Steering = "replace"      // refs/replace/*: other objects
	SteerCommitGraph Steering = "commit-graph" // a copy of the history, which may lie
	SteerMultiPack   Steering = "multi-pack-index"
	SteerHook        Steering = "hook"       // a program that git runs; *.sample is none
	SteerAttributes  Steering = "attributes" // info/attributes: filters and drivers
	SteerCommonDir   Steering = "commondir"  // another git directory
	SteerConfig      Steering = "config.worktree"
	SteerModules     Steering = "modules"
	SteerWorktrees   Steering = "worktrees"
	SteerReftable    Steering = "reftable" // refs in a format that is not read here
)

// CheckpointConfig is the file config, as data.
type CheckpointConfig struct {
	Present  bool
	Settings []GitSetting
	Foreign  []GitSetting // keys that neither the product nor `git init` writes
	Flaw     string       // why git would refuse it; "" = nothing
	Version  int          // core.repositoryformatversion
	Worktree string       // core.worktree, which the repositories of the first layout have
	// Unsupported names an extension or version that changes what the files mean; "" = none.
	Unsupported string
}

// These are the words of the object reader, which lives inside this package.
type (
	ObjectID        = gitro.ID
	ObjectFormat    = gitro.Format
	ObjectKind      = gitro.Kind
	ObjectStat      = gitro.ObjectStat
	ObjectError     = gitro.ObjectError
	ObjectFault     = gitro.Fault
	ObjectReader    = gitro.Reader
	ObjectSet       = gitro.Set
	TreeEntry       = gitro.TreeEntry
	TreeMode        = gitro.Mode
	TreeCount       = gitro.Count
	TreeDamage      = gitro.TreeDamage
	LostBlob        = gitro.LostBlob
	TreeCensus      = gitro.Census
	CensusOptions   = gitro.CensusOptions
	WalkOptions     = gitro.WalkOptions
	CommitInfo      = gitro.CommitInfo
	CommitSignature = gitro.Signature
	GitRef          = gitro.Ref
	GitHead         = gitro.Head
	GitSetting      = gitro.Setting
	GitProblem      = gitro.Problem
	GitPacks        = gitro.PackFolder
)

// The kinds of objects.
const (
	KindCommit = gitro.Commit
	KindTree   = gitro.Tree
	KindBlob   = gitro.Blob
	KindTag    = gitro.Tag
)

// The modes of tree entries; compare TreeMode.Canonical with them.
const (
	ModeTree    = gitro.ModeTree
	ModeFile    = gitro.ModeFile
	ModeExec    = gitro.ModeExec
	ModeLink    = gitro.ModeLink
	ModeGitlink = gitro.ModeGitlink
)

// What can be wrong with an object or a file of a store.
const (
	ObjectMissing    = gitro.FaultMissing
	ObjectEmpty      = gitro.FaultEmpty
	ObjectCorrupt    = gitro.FaultCorrupt
	ObjectMismatch   = gitro.FaultMismatch
	ObjectWrongKind  = gitro.FaultKind
	ObjectLimit      = gitro.FaultLimit
	ObjectUnreadable = gitro.FaultUnreadable
)

// ParseObjectID reads 40 or 64 hex digits.
func ParseObjectID(text string) (ObjectID, error) { return gitro.ParseID(text) }

// ObjectIDFrom makes an id of the 20 or 32 bytes that a tree holds.
func ObjectIDFrom(raw []byte) ObjectID { return gitro.IDFrom(raw) }

// ObjectFaultOf gives the fault of an *ObjectError in err's chain; "" for any other error and for nil.
func ObjectFaultOf(err error) ObjectFault { return gitro.FaultOf(err) }
