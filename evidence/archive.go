package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/sqlitero"
)

// caps bound what an archive from a stranger may unpack to.
type caps struct {
	bytes   int64 // of all members together; for a tar.gz also of those that are left out
	entries int   // listed, wanted or not
	files   int   // unpacked
	ratio   int64 // unpacked to packed, once more than slack bytes are unpacked
	slack   int64
}

// ordinaryCaps leave room for the largest stores. Much of a zeroed store is NUL bytes, which shrink a
// thousandfold, so the ratio only counts beyond the slack.
func ordinaryCaps() caps {
	return caps{bytes: 64 << 30, entries: 1 << 20, files: 1 << 14, ratio: 200, slack: 1 << 30}
}

// archiveKind tells by its first bytes whether a file is an archive that is read here: "zip", "tar.gz" or "".
func archiveKind(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return "zip"
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "tar.gz"
	}
	return ""
}

// member is one regular file in an archive.
type member struct {
	name     string
	size     int64
	modified time.Time
	mode     fs.FileMode
	open     func() (io.ReadCloser, error)
}

// unpacking is the work on one archive.
type unpacking struct {
	caps    caps
	dir     string // private
	tell    func(stage string, done, total int64)
	packed  func() int64     // bytes of the archive read so far
	written int64            // bytes unpacked so far
	entries int              // seen so far
	files   map[string]saved // by path below dir, without those of checkpoint stores
	stores  map[string]bool  // leading folders that have a checkpoint store
	stored  int              // files of checkpoint stores
	skip    bool             // leave checkpoint stores in the archive
}

// saved is a member that was unpacked.
type saved struct {
	folder string // the leading folder in the archive, "" = none
	rel    string // the path below it
	was    stat
}

// locateArchive unpacks what matters of an archive and finds the databases in it.
func (b *Bundle) locateArchive(ctx context.Context, shown, real, kind string, f *os.File, info fs.FileInfo) ([]*source, error) {
	b.custody.add(&tracked{role: RoleArchive, path: shown, real: real, present: true, was: statOf(info)})
	dir, err := b.private.folder(info.Size())
	if err != nil {
		return nil, err
	}
	u := &unpacking{caps: ordinaryCaps(), dir: dir, tell: b.progress, files: map[string]saved{}, stores: map[string]bool{}, skip: b.noCheckpoints}
	walk := u.walkTar
	if kind == "zip" {
		walk = u.walkZip
	}
	if err := walk(ctx, f, info.Size()); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var in *InputError
		if errors.As(err, &in) {
			return nil, err
		}
		return nil, &InputError{Path: shown, Reason: "this " + kind + " cannot be unpacked: " + oneLine(err), Next: "unpack it yourself and name the folder", Err: err}
	}
	return b.unpacked(u, shown)
}

// unpacked finds homes among what was unpacked; without one, the one lone database of another name.
func (b *Bundle) unpacked(u *unpacking, shown string) ([]*source, error) {
	var homes, lone []string
	for name, m := range u.files {
		if m.rel == stateDB || strings.HasPrefix(m.rel, "profiles/") && path.Base(m.rel) == stateDB {
			if !slices.Contains(homes, m.folder) {
				homes = append(homes, m.folder)
			}
		} else if loneDatabase(m.rel) && !isSidecar(m.rel) {
			lone = append(lone, name)
		}
	}
	for folder := range u.stores {
		if !slices.Contains(homes, folder) {
			homes = append(homes, folder)
		}
	}
	slices.Sort(homes)
	var sources []*source
	for _, folder := range homes {
		found, err := b.locateFolder(filepath.Join(shown, folder), filepath.Join(u.dir, filepath.FromSlash(folder)), true)
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	if len(sources) == 0 && len(lone) == 1 {
		sources = append(sources, &source{place: place{name: stateDB, profile: defaultProfile, path: filepath.Join(shown, lone[0]), real: filepath.Join(u.dir, lone[0])}, archive: true})
	}
	if len(sources) == 0 && len(u.stores) == 0 {
		return nil, &InputError{Path: shown, Reason: fmt.Sprintf("this archive holds no state.db and no profiles/*/state.db (of %d files, %d other databases)", u.entries, len(lone)),
			Next: "pack the Hermes home folder, usually ~/.hermes, or the database file itself"}
	}
	return sources, nil
}

// wanted splits a member's name into a leading folder and a path that matters; ok is false for all others. At
// most one leading folder is looked through.
func wanted(name string) (folder, rel string, ok bool) {
	if matters(name) {
		return "", name, true
	}
	if first, rest, found := strings.Cut(name, "/"); found && matters(rest) {
		return first, rest, true
	}
	return "", "", false
}

// matters says whether a path below a home is evidence.
func matters(rel string) bool {
	if stored(rel) {
		return true
	}
	if rest, ok := strings.CutPrefix(rel, "profiles/"); ok {
		if name, below, ok := strings.Cut(rest, "/"); ok && validProfile(name) {
			return (matters(below) || stored(below)) && !strings.HasPrefix(below, "profiles/")
		}
		return false
	}
	switch rel {
	case stateDB, stateDB + "-wal", stateDB + "-journal", stateDB + "-shm", "sessions/sessions.json", "config.yaml",
		"gateway.json", ".clean_shutdown", ".restart_failure_counts":
		return true
	}
	return loneDatabase(rel) || beside(rel)
}

// beside says whether a path below a home is that of a witness: a log, a request dump, a spooled message, or an older
// copy of the database or of its routing index.
func beside(rel string) bool {
	dir, name := path.Split(rel)
	switch dir {
	case "":
		return strings.HasPrefix(name, stateDB+".") || strings.HasPrefix(name, "state") && strings.Contains(name, ".db")
	case "logs/":
		return strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(name, packedEnd), ".0123456789"), ".log")
	case "sessions/":
		return dumpName.MatchString(name) || oldMirror(name)
	case "pending_messages/":
		return strings.HasSuffix(name, ".json")
	}
	top, below, _ := strings.Cut(rel, "/")
	if strings.HasPrefix(top, retiredWAL) {
		return strings.HasPrefix(below, stateDB) && !strings.Contains(below, "/")
	}
	if top == "state-snapshots" {
		_, below, _ = strings.Cut(below, "/")
		switch below {
		case stateDB, stateDB + "-wal", stateDB + "-journal", stateDB + "-shm", "sessions.json", "sessions/sessions.json":
			return true
		}
	}
	return false
}

// loneDatabase says whether a name at the top is that of a database, or of its sidecar, under another name.
func loneDatabase(rel string) bool {
	base := rel
	for _, sc := range sidecars() {
		base = strings.TrimSuffix(base, sc.suffix)
	}
	return !strings.Contains(rel, "/") && (strings.HasSuffix(base, ".db") || strings.HasSuffix(base, ".sqlite") || strings.HasSuffix(base, ".sqlite3"))
}

func isSidecar(rel string) bool {
	return slices.ContainsFunc(sidecars(), func(sc sidecar) bool { return strings.HasSuffix(rel, sc.suffix) })
}

// take unpacks one member if it matters. Names that lead out of the archive are refused, wanted or not.
func (u *unpacking) take(ctx context.Context, m member) error {
	if u.entries++; u.entries > u.caps.entries {
		return fmt.Errorf("more than %d entries", u.caps.entries)
	}
	name := path.Clean(strings.TrimPrefix(m.name, "./"))
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(m.name, "\\\x00") || slices.Contains(strings.Split(m.name, "/"), "..") {
		return fmt.Errorf("the name %q leads out of the archive", m.name)
	}
	folder, rel, ok := wanted(name)
	if ok && inStore(rel) {
		return u.takeStored(ctx, folder, name, m)
	}
	if !ok || !m.mode.IsRegular() {
		return nil
	}
	if _, again := u.files[name]; again {
		return fmt.Errorf("%q is in it twice", name)
	}
	// A home may hold any number of small witnesses; half of the room is left for what cannot be done without.
	if beside(rel) && len(u.files) >= u.caps.files/2 {
		return nil
	}
	if len(u.files) >= u.caps.files {
		return fmt.Errorf("more than %d files that matter", u.caps.files)
	}
	if m.size < 0 || m.size > u.caps.bytes-u.written {
		return fmt.Errorf("it unpacks to more than %d bytes", u.caps.bytes)
	}
	if err := sqlitero.Room(u.dir, m.size); err != nil {
		return &InputError{Path: filepath.Dir(filepath.Dir(u.dir)), Reason: cause(err), Next: "free some space, or set TMPDIR to a folder on a larger disk", Err: err}
	}
	if err := u.save(ctx, filepath.Join(u.dir, filepath.FromSlash(name)), m); err != nil {
		return fmt.Errorf("unpack %q: %w", name, bare(err))
	}
	u.files[name] = saved{folder: folder, rel: rel, was: stat{size: m.size, modified: m.modified, mode: m.mode}}
	return nil
}

// save writes one member. Its time is kept: custody reports it.
func (u *unpacking) save(ctx context.Context, dst string, m member) error {
	if err := os.MkdirAll(filepath.Dir(dst), 0o700); err != nil {
		return err
	}
	r, err := m.open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // opened for reading
	w, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = u.fill(ctx, w, r, m.size)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return os.Chtimes(dst, m.modified, m.modified)
}

// fill copies exactly size bytes and minds the ratio cap.
func (u *unpacking) fill(ctx context.Context, w io.Writer, r io.Reader, size int64) error {
	for left := size; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(w, r, min(left, 1<<22))
		left -= n
		u.written += n
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if u.written > u.caps.slack && u.written/u.caps.ratio > u.packed() {
			return fmt.Errorf("it unpacks to more than %d times its size", u.caps.ratio)
		}
		u.tell("unpack", u.written, 0)
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return errors.New("it is longer than it says, or damaged at its end")
	}
	return nil
}
