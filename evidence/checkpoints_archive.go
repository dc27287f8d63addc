package evidence

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// storedFiles bounds how many files and folders of checkpoint stores are unpacked.
const storedFiles = 1 << 19

// stored says whether a path below a home belongs to its checkpoint store.
func stored(rel string) bool {
	return rel == checkpointsDir || strings.HasPrefix(rel, checkpointsDir+"/")
}

// inStore says the same of a path below the home of all profiles.
func inStore(rel string) bool {
	if rest, ok := strings.CutPrefix(rel, "profiles/"); ok {
		_, rel, _ = strings.Cut(rest, "/")
	}
	return stored(rel)
}

// takeStored unpacks a file of a checkpoint store, or makes a folder: an empty one means something there. Links,
// pipes and devices stay in the archive.
func (u *unpacking) takeStored(ctx context.Context, folder, name string, m member) error {
	if u.skip {
		return nil
	}
	dst := filepath.Join(u.dir, filepath.FromSlash(name))
	if !m.mode.IsRegular() {
		if m.mode&fs.ModeDir == 0 || m.mode&fs.ModeSymlink != 0 {
			return nil
		}
		u.stores[folder] = true
		if err := os.MkdirAll(dst, 0o700); err != nil {
			return fmt.Errorf("unpack %q: %w", name, bare(err))
		}
		return nil
	}
	u.stores[folder] = true
	if u.stored++; u.stored > storedFiles {
		return fmt.Errorf("more than %d files of checkpoint stores", storedFiles)
	}
	if m.size < 0 || m.size > u.caps.bytes-u.written {
		return fmt.Errorf("it unpacks to more than %d bytes", u.caps.bytes)
	}
	if err := sqlitero.Room(u.dir, m.size); err != nil {
		return &InputError{Path: filepath.Dir(filepath.Dir(u.dir)), Reason: cause(err), Next: "free some space, or set TMPDIR to a folder on a larger disk", Err: err}
	}
	if err := u.save(ctx, dst, m); err != nil {
		return fmt.Errorf("unpack %q: %w", name, bare(err))
	}
	return nil
}
