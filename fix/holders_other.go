//go:build !unix

package fix

// usersOf cannot list the files of other processes here; SQLite's locks, which are tested first, show every connection
// that is open in WAL mode or at work.
func usersOf(string) ([]int, error) { return nil, nil }

// ancestors is asked only about processes that usersOf lists.
func ancestors() []int { return nil }

// usesFolder says whether a process may have a file below a folder open, which cannot be found out here.
func usesFolder(int, string) bool { return true }
