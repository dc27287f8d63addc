package evidence

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// BesideKind says what a file beside a database is; spec/state-db.md 1.1 to 1.3.
type BesideKind string

// The kinds of files beside a database.
const (
	MalformedBackup BesideKind = "malformed-backup" // the raw bytes from before a repair of the schema or the search index
	BackupStaging   BesideKind = "backup-staging"   // an incomplete copy, on its way to become one of those
	ZeroedAside     BesideKind = "zeroed"           // a database of NUL bytes that was moved aside
	RetiredWAL      BesideKind = "retired-wal"      // a folder: a -wal that lost its database
	Snapshot        BesideKind = "snapshot"         // a folder below state-snapshots
	OtherCopy       BesideKind = "copy"             // a database that may be a copy
	Transcript      BesideKind = "transcript"       // sessions/ID.jsonl: messages as an old build, or a fence, wrote them
	TornMirror      BesideKind = "torn-mirror"      // a write of sessions.json that was never finished
	RepairLock      BesideKind = "lock"
	RepairLedger    BesideKind = "repair-ledger" // failed attempts of a repair
)

// Beside is a file or a folder beside a database that is no part of it.
type Beside struct {
	Path     string // as evidence spells it
	Kind     BesideKind
	Bytes    int64   // of all its files, its sidecars too
	Files    int     // how many those are
	Modified float64 // epoch seconds
	Begins   bool    // it begins as a database does
}

// besideFiles bounds how many files one folder is looked at for.
const besideFiles = 10000

// Beside lists what lies beside the home's database, by name. Sidecars of the database itself are not among them, and
// those of a copy count as part of it. Nothing but names, sizes and first bytes is read.
func (h *Home) Beside() ([]Beside, error) {
	entries, err := h.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var out []Beside
	for _, e := range entries {
		kind, ok := besideKind(e.Name(), e.IsDir())
		if !ok || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		if b, ok := h.beside(e.Name(), kind, e.IsDir()); ok {
			out = append(out, b)
		}
	}
	for _, in := range []struct {
		dir  string
		kind func(name string, dir bool) (BesideKind, bool)
	}{{"state-snapshots", func(_ string, dir bool) (BesideKind, bool) { return Snapshot, dir }}, {"sessions", sessionsKind}} {
		entries, err := h.ReadDir(in.dir)
		if err != nil { // most homes have no such folder, and another check says so where it matters
			continue
		}
		for _, e := range entries[:min(len(entries), besideFiles)] {
			kind, ok := in.kind(e.Name(), e.IsDir())
			if !ok || !e.IsDir() && !e.Type().IsRegular() {
				continue
			}
			if b, ok := h.beside(path.Join(in.dir, e.Name()), kind, e.IsDir()); ok {
				out = append(out, b)
			}
		}
	}
	slices.SortFunc(out, func(a, b Beside) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// besideKind sorts a name at the top of a home; spec/state-db.md 1.2.
func besideKind(name string, dir bool) (BesideKind, bool) {
	rest, own := strings.CutPrefix(name, stateDB+".")
	switch {
	case isSidecar(name):
		return "", false
	case dir:
		return RetiredWAL, strings.HasPrefix(name, retiredWAL)
	case keptKind(name) != "":
		return keptKind(name), true
	case own && strings.HasSuffix(rest, ".lock"):
		return RepairLock, true
	case own && rest == "repair-attempts.json":
		return RepairLedger, true
	}
	return OtherCopy, copyName(name) && !strings.HasSuffix(name, ".json")
}

// retiredWAL begins the name of a folder that holds a -wal that lost its database; spec/state-db.md 1.2.
const retiredWAL = stateDB + ".retired-wal-"

// keptKind sorts a file that the product set aside, by its name alone; "" = it is none. See spec/state-db.md 1.2.
func keptKind(name string) BesideKind {
	for _, kind := range []BesideKind{MalformedBackup, BackupStaging, ZeroedAside} {
		if strings.HasPrefix(name, stateDB+"."+string(kind)+"-") {
			return kind
		}
	}
	return ""
}

// sessionsKind sorts a name in the folder of sessions.
func sessionsKind(name string, dir bool) (BesideKind, bool) {
	switch {
	case dir:
		return "", false
	case strings.HasPrefix(name, ".sessions_") && strings.HasSuffix(name, ".tmp"):
		return TornMirror, true
	}
	return Transcript, strings.HasSuffix(name, ".jsonl")
}

// beside measures a file with its sidecars, or a folder with the files in it.
func (h *Home) beside(rel string, kind BesideKind, dir bool) (Beside, bool) {
	b := Beside{Path: h.Path(rel), Kind: kind}
	info, err := h.root.Lstat(filepath.FromSlash(rel))
	if err != nil {
		return b, false
	}
	b.Modified = float64(info.ModTime().UnixMicro()) / 1e6
	if !dir {
		b.Bytes, b.Files = info.Size(), 1
		for _, sc := range sidecars() {
			if side, err := h.root.Lstat(filepath.FromSlash(rel) + sc.suffix); err == nil && side.Mode().IsRegular() {
				b.Bytes += side.Size()
				b.Files++
			}
		}
		b.Begins, _ = begins(h, rel) // one that cannot be read is told where it is read
		return b, true
	}
	err = fs.WalkDir(h.root.FS(), rel, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			b.Bytes += info.Size()
			if b.Files++; b.Files >= besideFiles {
				return errEnough
			}
		}
		return nil
	})
	return b, err == nil || errors.Is(err, errEnough)
}

// errEnough ends a walk that has seen as much as it may.
var errEnough = errors.New("enough")
