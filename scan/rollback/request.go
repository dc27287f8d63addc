package rollback

import "slices"

// Request is the rollback to simulate.
type Request struct {
	Selection string   // one pathspec; "" = the whole checkpoint
	Platform  Platform // "" = POSIX
	Backend   string   // where the session's commands run: "", local and ssh have checkpoints, containers have none
	Work      string   // the working directory as the project records it; "" = not known
	Today     *Today   // the working directory as it is now; nil = not known
	All       bool     // a full rollback without the safe mode, as --all asks for
	// Ledger holds the SHA-256 in lower-case hex of the files that the agent wrote last, by path below the working
	// directory. A full rollback in safe mode touches those only; where it is empty, all.
	Ledger map[string]string
}

// Kind is what stands at a path of the working directory.
type Kind uint8

// The kinds that a rollback tells apart.
const (
	Plain   Kind = iota // a regular file
	Link                // a symbolic link, followed by nothing but a selection that names it
	Folder              // a directory
	Special             // a socket, a FIFO or a device
)

// Now is what stands at one path.
type Now struct {
	Kind   Kind
	Target string // of a Link, as it is written
	Mode   Mode   // of a Plain file: Regular or Executable; 0 = not known
	ID     string // the id that the store would give the content; "" = not known
	SHA256 string // lower-case hex of a Plain file's bytes; "" = not known
	Size   int64  // of a Plain file, bytes
}

// Today is a working directory as data. Paths are relative to it, with slashes, and hold every folder above a file.
type Today struct {
	Root        string // where it lies on this machine; absolute links into it count as inside
	Paths       map[string]Now
	MaxFileSize int64 // above how many bytes files are not captured; 0 = no limit
	// Unstaged are files that the agent wrote and that git does not see today, so that the safe mode, which compares
	// what git sees, does not delete them: Ignored or InNested.
	Unstaged map[string]KeptReason
}

// container reports whether a backend keeps its files where no checkpoint is taken (#113518, #114923). What is neither
// local nor ssh is a container: plug-ins may add more.
func container(backend string) bool {
	return !slices.Contains([]string{"", "local", "ssh"}, backend)
}
