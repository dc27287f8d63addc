package fix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// BackupOptions steers VerifyBackup; the zero value is good.
type BackupOptions struct {
	Dir      string           // where the backup, journal and receipt go, a folder that is there; "" = beside the database
	TempDir  string           // for private copies; "" = os.TempDir()
	Now      func() time.Time // names the files and dates the receipt; nil = time.Now
	Progress func(stage string, done, total int64)

	files write.FS // nil = the operating system's
}

// Backup is a proved copy of one database, and the only thing that can write to that database. It writes once. A nil
// pointer, the zero value, a copy of a Backup and one that was used are refused.
type Backup struct {
	self     *Backup // itself, so that neither the zero value nor a copy passes
	used     atomic.Bool
	files    write.FS
	progress func(stage string, done, total int64)
	tempDir  string
	now      func() time.Time

	source  string   // the database, links resolved
	shown   string   // as the caller named it
	paths   []string // that open it, with its home, for a scan
	view    string   // of the examination: evidence.ViewMain or another
	digest  string
	set     []member // the database and its sidecars as they were; the main file first
	rows    write.Digest
	path    string   // of the backup's main file
	stem    string   // what journal and receipt are called after
	made    []string // the backup's files, in the order of set
	startAt time.Time
	named   bool // a journal names it
}

// member is one file of a database.
type member struct {
	end  string // "", "-wal", "-journal" or "-shm"
	path string
	info fs.FileInfo
	sum  write.Sum
}

// Path is the backup's main file; its sidecars lie beside it.
func (b *Backup) Path() string { return b.path }

// SHA256 is the hash of the backup's main file, which is that of the database.
func (b *Backup) SHA256() string { return b.set[0].sum.SHA256 }

// Digest is that of the sources, as a Plan has it.
func (b *Backup) Digest() string { return b.digest }

// Files lists the backup's files, the main file first.
func (b *Backup) Files() []FileSum {
	var out []FileSum
	for i, m := range b.set {
		out = append(out, FileSum{b.made[i], m.sum.Bytes, m.sum.SHA256})
	}
	return out
}

// VerifyBackup copies the one database of a bundle with its -wal, -journal and -shm to files named
// "<name>.doctor-<UTC>.bak" that must not exist and that only their owner can read, forces them to disk, reads them back
// and compares hashes, opens the copy, lets SQLite check its integrity, and compares every row of every ordinary table
// with the source. The free space is looked at first. A damaged source is refused before anything is made, and what was
// made is removed when a later step fails.
//
// The bundle must be closed before Apply: closing a file drops SQLite's locks on it. The error is a *RefusedError, or
// that of ctx.
func VerifyBackup(ctx context.Context, bundle *evidence.Bundle, o BackupOptions) (*Backup, error) {
	b := &Backup{files: o.files, progress: o.Progress, tempDir: o.TempDir, now: o.Now}
	if b.files == nil {
		b.files = write.OS{}
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.progress == nil {
		b.progress = func(string, int64, int64) {}
	}
	b.startAt = b.now().UTC()
	err := b.locate(ctx, bundle)
	if err == nil {
		err = b.examine(ctx, bundle.Stores[0])
	}
	if err == nil {
		err = b.make(ctx, o.Dir)
	}
	if err == nil {
		b.self = b
		return b, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, refuse(CodeBackup, "make a backup", err)
}

// locate finds the files of the bundle's one database.
func (b *Backup) locate(ctx context.Context, bundle *evidence.Bundle) error {
	if len(bundle.Stores) != 1 {
		return &RefusedError{Code: CodeSeveral, Reason: fmt.Sprintf("a repair is for exactly one database, and here are %d", len(bundle.Stores)), Next: "name one state.db"}
	}
	inputs, err := bundle.Inputs(ctx)
	if err != nil {
		return fmt.Errorf("hash the source: %w", err)
	}
	b.digest = evidence.Digest(inputs)
	for _, in := range inputs {
		end := ""
		switch in.Role {
		case evidence.RoleArchive:
			return &RefusedError{Code: CodeArchive, Path: in.Path, Reason: "the database lies inside an archive, which is never written", Next: "unpack it and name the state.db"}
		case evidence.RoleDatabase:
			b.shown = in.Path
		case evidence.RoleWAL, evidence.RoleJournal, evidence.RoleShm:
			end = "-" + string(in.Role)
		default:
			continue
		}
		b.set = append(b.set, member{end: end, sum: write.Sum{SHA256: in.SHA256, Bytes: in.Bytes}})
	}
	abs, err := filepath.Abs(b.shown)
	if err != nil {
		return err
	}
	if b.source, err = filepath.EvalSymlinks(abs); err != nil {
		return err
	}
	for i := range b.set {
		m := &b.set[i]
		m.path = b.source + m.end
		if m.info, err = os.Lstat(m.path); err != nil {
			return &RefusedError{Code: CodeChanged, Path: m.path, Reason: "it is gone since it was read", Err: err}
		}
	}
	b.paths = []string{b.source}
	if s := bundle.Stores[0]; s.Home != nil {
		b.paths = []string{bundle.Homes[0].Name}
	}
	return nil
}

// examine refuses a damaged source and sums up its rows.
func (b *Backup) examine(ctx context.Context, s *evidence.Store) error {
	b.view = s.View
	switch {
	case s.Fault != nil:
		return corrupt(b.shown, s.Fault.Reason)
	case s.View == evidence.ViewMain && s.Views != nil:
		return &RefusedError{Code: CodeSidecar, Path: b.shown, Reason: "the sidecar beside it belongs to another file, or cannot be read: Hermes would read other rows than these",
			Next: "move the -wal and -shm (or the -journal) away, keep them, and scan again"}
	}
	b.progress("check the source", 0, 0)
	if err := sound(ctx, s.DB, b.shown); err != nil {
		return err
	}
	b.progress("read every row", 0, 0)
	var err error
	if b.rows, err = write.DigestOf(ctx, s.DB); err != nil && ctx.Err() == nil {
		return corrupt(b.shown, err.Error())
	}
	return err
}

func corrupt(path, what string) error {
	return &RefusedError{Code: CodeCorrupt, Path: path, Reason: "it is damaged, so that neither a backup nor a repair of it would be worth anything: " + what,
		Next: recovery(path)}
}

// recovery is what can be done about a database that cannot be read as a whole.
func recovery(path string) string {
	return "restore from the newest state-snapshots/*/state.db or *.bak beside it; or let the sqlite3 shell make a new file of what can be read, and scan that: sqlite3 " +
		scan.ShellQuote(path) + " .recover | sqlite3 NEW.db"
}

// sound lets SQLite look at every page and every index. What it says about the values of rows, or about a search index
// that is not in step, is no damage of the file: a repair leaves both as they are.
func sound(ctx context.Context, db *evidence.DB, path string) error {
	var first string
	err := db.Query(ctx, "PRAGMA integrity_check(1000000)", nil, func(row []evidence.Value) error {
		line := row[0].String()
		if first == "" && line != "ok" && !slices.ContainsFunc(remarks(), func(r string) bool { return strings.HasPrefix(line, r) }) {
			first = line
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return corrupt(path, oneLine(err))
	case first != "":
		return corrupt(path, strings.ReplaceAll(first, "\n", " "))
	}
	return nil
}

// remarks are how SQLite's integrity check begins what it says about values and search indexes.
func remarks() []string {
	return []string{"NULL value in ", "TEXT value in ", "NUMERIC value in ", "CHECK constraint failed in ",
		"malformed inverted index for FTS", "unable to validate the inverted index for FTS"}
}

// usable says why a Backup cannot write; nil for one that can.
func (b *Backup) usable() error {
	if b == nil || b.self != b {
		return &RefusedError{Code: CodeUnbacked, Reason: "there is no verified backup"}
	}
	if !b.used.CompareAndSwap(false, true) {
		return &RefusedError{Code: CodeUnbacked, Path: b.path, Reason: "this backup was made for a change that was tried already"}
	}
	return nil
}

// unchanged refuses a source whose files are not those that were backed up.
func (b *Backup) unchanged() error {
	changed := func(path string) error {
		return &RefusedError{Code: CodeChanged, Path: path, Reason: "it is not the file that was scanned and backed up", Next: "scan again, and look at the plan again"}
	}
	known := map[string]member{}
	for _, m := range b.set {
		known[m.end] = m
	}
	for _, end := range sidecarNames() {
		info, err := os.Lstat(b.source + end)
		m, ours := known[end]
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if ours {
				return changed(b.source + end)
			}
		case err != nil:
			return refuse(CodeChanged, "look at the source", err)
		case !ours, !os.SameFile(info, m.info), info.Size() != m.info.Size(), !info.ModTime().Equal(m.info.ModTime()), info.Mode() != m.info.Mode():
			return changed(b.source + end)
		}
	}
	return nil
}
