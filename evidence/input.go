package evidence

// Role says what a file is to the examination.
type Role string

// The roles of CONTRACT's inputs.
const (
	RoleDatabase Role = "state.db"
	RoleWAL      Role = "wal"
	RoleJournal  Role = "journal"
	RoleShm      Role = "shm"
	RoleSessions Role = "sessions.json"
	RoleConfig   Role = "config"
	RoleRunState Role = "run-state" // .clean_shutdown, .restart_failure_counts
	RoleArchive  Role = "archive"   // the zip or tar.gz that holds the rest
)

// Input is one file that was read, as custody records it.
type Input struct {
	Role     Role
	Path     string  // as the caller named it, joined with the name below it
	Bytes    int64   // size
	SHA256   string  // lower-case hex of the whole content
	Modified float64 // mtime, epoch seconds
	Mode     string  // like "-rw-r--r--"
}
