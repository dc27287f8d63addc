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
	// RoleCheckpoints is a checkpoints/ folder. Its SHA256 is that of the listing of its files with their sizes, times
	// and modes, and of the content of everything but the objects.
	RoleCheckpoints Role = "checkpoints"
	RoleArchive     Role = "archive" // the zip or tar.gz that holds the rest
	RoleLog         Role = "log"
	RoleDump        Role = "request-dump"
	RoleSessionFile Role = "session-json"
	RoleSpool       Role = "spool"  // messages that were never written to the database
	RoleBackup      Role = "backup" // an older copy of the database or of its routing index
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
