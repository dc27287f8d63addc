package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Digest is one hash over what the databases among the inputs hold: the SHA-256 of each main file, -wal and -journal,
// in order of their paths. Names, times and modes do not count, nor do empty sidecars and the -shm, which hold no row.
// It is "" where no input is a database.
func Digest(inputs []Input) string {
	h := sha256.New()
	found := false
	for _, in := range inputs {
		switch in.Role {
		case RoleDatabase:
			found = true
		case RoleWAL, RoleJournal:
			if in.Bytes == 0 {
				continue
			}
		default:
			continue
		}
		_, _ = fmt.Fprintf(h, "%s %d %s\n", in.Role, in.Bytes, in.SHA256) // documented never to fail
	}
	if !found {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
