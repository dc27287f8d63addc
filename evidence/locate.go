package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// source is one database to be opened.
type source struct {
	place
	home    *Home // nil for a lone file
	archive bool  // a private copy out of an archive
}

// sidecar is one of the files that SQLite keeps beside a database.
type sidecar struct {
	suffix string
	role   Role
}

func sidecars() []sidecar {
	return []sidecar{{"-wal", RoleWAL}, {"-journal", RoleJournal}, {"-shm", RoleShm}}
}

// locate finds the databases that one path stands for.
func (b *Bundle) locate(ctx context.Context, path string) ([]*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreachable(path, err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, unreachable(path, err)
	}
	switch {
	case info.IsDir():
		return b.locateFolder(path, real, false)
	case !info.Mode().IsRegular():
		return nil, notAFile(path, info.Mode())
	}
	f, info, err := openRegular(real)
	if err != nil {
		return nil, unreachable(path, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	head := make([]byte, 8)
	n, _ := f.ReadAt(head, 0) // whether it can be read is seen below
	if kind := archiveKind(head[:n]); kind != "" {
		return b.locateArchive(ctx, path, real, kind, f, info)
	}
	return []*source{{place: place{name: stateDB, profile: defaultProfile, path: path, real: real}}}, nil
}

// The name of the database in a home, and of the profile whose home is the home itself.
const (
	stateDB        = "state.db"
	defaultProfile = "default"
)

// validProfile is the product's rule for the names of profiles: a lower-case letter or a digit, then up to 63
// letters, digits, "_" and "-".
func validProfile(name string) bool {
	if len(name) == 0 || len(name) > 64 {
		return false
	}
	for i, c := range []byte(name) {
		first := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !first && (i == 0 || !(c >= 'A' && c <= 'Z' || c == '_' || c == '-')) {
			return false
		}
	}
	return true
}

// errNoDatabase is why a folder is refused that holds neither a database nor a checkpoint store.
var errNoDatabase = errors.New("no state.db")

// locateFolder finds the databases and the checkpoint stores of a folder; one of both must be there.
func (b *Bundle) locateFolder(path, real string, archive bool) ([]*source, error) {
	known := len(b.bases)
	b.locateCheckpoints(path, real, archive)
	sources, err := b.locateHome(path, real, archive)
	if len(b.bases) > known && errors.Is(err, errNoDatabase) {
		return nil, nil
	}
	return sources, err
}

// locateHome finds the databases of a home folder and of its profiles, and opens these as homes. A link in the
// place of a database or of a profile's folder is followed, as the product does.
func (b *Bundle) locateHome(path, real string, archive bool) ([]*source, error) {
	var sources []*source
	home, err := b.addHome(path, real, defaultProfile, archive, nil)
	if err != nil {
		return nil, err
	}
	own, err := databaseIn(path, real)
	if err != nil {
		return nil, err
	}
	if own != "" {
		sources = append(sources, &source{place: place{name: stateDB, profile: defaultProfile, path: filepath.Join(path, stateDB), real: own}, home: home, archive: archive})
	}
	entries, err := os.ReadDir(filepath.Join(real, "profiles"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && own == "" {
		return nil, unreachable(filepath.Join(path, "profiles"), err)
	}
	for _, e := range entries { // sorted by name
		name := e.Name()
		if !validProfile(name) {
			continue
		}
		shown, dir := filepath.Join(path, "profiles", name), filepath.Join(real, "profiles", name)
		db, err := databaseIn(shown, dir)
		if err != nil {
			return nil, err
		}
		if db == "" {
			continue
		}
		profile, err := b.addHome(shown, dir, name, archive, home)
		if err != nil {
			return nil, err
		}
		sources = append(sources, &source{place: place{name: "profiles/" + name + "/" + stateDB, profile: name, path: filepath.Join(shown, stateDB), real: db}, home: profile, archive: archive})
	}
	if len(sources) == 0 {
		reason := "this folder holds no state.db and no profiles/*/state.db"
		if filepath.Base(path) == stateDB {
			reason = "is a folder named state.db, not a database"
		}
		return nil, &InputError{Path: path, Reason: reason, Next: "name the folder that holds state.db (usually ~/.hermes), or the database file itself", Err: errNoDatabase}
	}
	return sources, nil
}

// databaseIn gives the real path of the state.db of a home; "" when there is none.
func databaseIn(shown, dir string) (string, error) {
	shown, path := filepath.Join(shown, stateDB), filepath.Join(dir, stateDB)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", unreachable(shown, err)
	}
	if !info.Mode().IsRegular() {
		return "", notAFile(shown, info.Mode())
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", unreachable(shown, err)
	}
	return real, nil
}

// addHome opens a folder so that nothing outside it can be read through it. parent is the home that a profile's lies in.
func (b *Bundle) addHome(path, dir, profile string, archive bool, parent *Home) (*Home, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreachable(path, err)
	}
	h := &Home{Dir: dir, Name: path, Profile: profile, root: root, custody: b.custody, bundle: b, parent: parent, archive: archive}
	b.Homes = append(b.Homes, h)
	return h, nil
}

// track puts a database and the places of its sidecars into custody. A sidecar that is no file is refused: the
// database cannot be read as SQLite would, and guessing what it holds is not reading.
func (s *source) track(c *custody) error {
	info, err := os.Lstat(s.real)
	if err != nil {
		return unreachable(s.path, err)
	}
	c.add(&tracked{role: RoleDatabase, path: s.path, real: s.real, member: s.archive, present: true, was: statOf(info)})
	for _, sc := range sidecars() {
		t := &tracked{role: sc.role, path: s.path + sc.suffix, real: s.real + sc.suffix, member: s.archive}
		switch info, err := os.Lstat(t.real); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return unreachable(t.path, err)
		case !info.Mode().IsRegular():
			e := notAFile(t.path, info.Mode())
			e.Next = "copy state.db and its -wal and -shm together from the machine, and name the copy"
			return e
		default:
			t.present, t.was = true, statOf(info)
		}
		c.add(t)
	}
	return nil
}
