package evidence

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Nearby is a file that may hold a copy of a database: one that is named like a copy or begins like one, or an archive.
type Nearby struct {
	Path    string // as the caller named the place, joined with the name below it
	Profile string // "default", or NAME below profiles/
	// Kind is "database", which is the one in use of the home or of a profile, "archive", or one of the kinds of a BesideKind that
	// hold a database: "malformed-backup", "backup-staging", "zeroed", "retired-wal", "snapshot" and "copy".
	Kind     string
	Bytes    int64
	Modified float64 // epoch seconds
}

// The bounds of a search for copies.
const (
	nearbyDepth   = 6
	nearbyEntries = 50_000
)

// errFull ends a search that reached its bound.
var errFull = errors.New("too many entries")

// FindNearby lists what may be a copy of a database in a folder, by path; a file stands for itself. Links are not
// followed, and folders that hold other things (checkpoints, logs, repositories) are passed over. limited says that a
// bound was reached or a folder could not be listed, so that a copy may be missing. An error is an *InputError.
func FindNearby(given string) (list []Nearby, limited bool, err error) {
	info, err := os.Stat(given)
	if err != nil {
		return nil, false, unreachable(given, err)
	}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return nil, false, notAFile(given, info.Mode())
		}
		return []Nearby{{given, defaultProfile, nearbyKind(filepath.Base(given)), info.Size(), modifiedOf(info)}}, false, nil
	}
	root, err := os.OpenRoot(given)
	if err != nil {
		return nil, false, unreachable(given, err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		if seen++; seen > nearbyEntries {
			return errFull
		}
		switch {
		case err != nil:
			if rel == "." {
				return err
			}
			limited = true
			return fs.SkipDir
		case d.IsDir():
			if rel != "." && (elsewhere(d.Name()) || strings.Count(rel, "/") >= nearbyDepth) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || isSidecar(d.Name()):
			return nil
		}
		info, err := d.Info()
		if err != nil || !maybeCopy(root, rel) {
			return nil
		}
		profile := defaultProfile
		if parts := strings.Split(rel, "/"); len(parts) > 2 && parts[0] == "profiles" && validProfile(parts[1]) {
			profile = parts[1]
		}
		list = append(list, Nearby{filepath.Join(given, filepath.FromSlash(rel)), profile, nearbyKind(rel), info.Size(), modifiedOf(info)})
		return nil
	})
	switch {
	case errors.Is(err, errFull):
		limited = true
	case err != nil:
		return nil, false, unreachable(given, err)
	}
	return list, limited, nil
}

func modifiedOf(info fs.FileInfo) float64 { return float64(info.ModTime().UnixMicro()) / 1e6 }

// elsewhere names folders that hold no copy of a database and may hold very many files.
func elsewhere(name string) bool {
	switch name {
	case "checkpoints", "logs", ".git", "node_modules", "venv", ".venv", "__pycache__":
		return true
	}
	return false
}

// maybeCopy looks at a file's name and its first bytes. The databases that the product keeps for other things are none.
func maybeCopy(root *os.Root, rel string) bool {
	name := path.Base(rel)
	if strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl") {
		return false
	}
	if name == stateDB || strings.HasPrefix(name, stateDB+".") {
		return true
	}
	f, err := root.Open(filepath.FromSlash(rel))
	if err != nil {
		return copyName(name)
	}
	defer func() { _ = f.Close() }() // opened for reading
	head := make([]byte, len(magic))
	n, _ := f.ReadAt(head, 0) // whether it can be read is seen when it is opened
	if kind := archiveKind(head[:n]); kind != "" {
		return archiveName(name)
	}
	return bytes.Equal(head[:n], []byte(magic)) || strings.HasPrefix(name, "state") && copyName(name)
}

// archiveName says whether an archive is named as whole homes are.
func archiveName(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".zip") || strings.HasSuffix(lower, ".tar.gz") || strings.HasSuffix(lower, ".tgz")
}

// nearbyKind says by its path below a home what a file that may be a copy is; spec/state-db.md 1.2.
func nearbyKind(rel string) string {
	name := path.Base(filepath.ToSlash(rel))
	dir := path.Dir(filepath.ToSlash(rel))
	switch {
	case keptKind(name) != "":
		return string(keptKind(name))
	case strings.Contains(dir, retiredWAL):
		return string(RetiredWAL)
	case strings.HasPrefix(dir, "state-snapshots/") || strings.Contains(dir, "/state-snapshots/"):
		return string(Snapshot)
	case archiveName(name):
		return "archive"
	case name == stateDB && (dir == "." || path.Dir(dir) == "profiles"):
		return "database"
	}
	return string(OtherCopy)
}
