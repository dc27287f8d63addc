package evidence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// checkpointsDir is the folder of the stores in a home.
const checkpointsDir = "checkpoints"

// baseSource is one checkpoints/ folder, or one git directory, to be opened.
type baseSource struct {
	place
	lone    bool // a git directory without its base
	link    bool // a link stands in its place
	archive bool // a private copy out of an archive
	listing *listing
}

// locateCheckpoints finds the stores that a folder stands for: those of a home and its profiles, or the folder itself.
// Only the caller's own path may lead through links; a link in the place of a store is reported, not followed.
func (b *Bundle) locateCheckpoints(path, real string, archive bool) {
	before := len(b.bases)
	defer func() {
		for _, s := range b.bases[before:] {
			s.archive = archive
		}
	}()
	b.addBase(filepath.Join(path, checkpointsDir), real, checkpointsDir, defaultProfile)
	entries, _ := os.ReadDir(filepath.Join(real, "profiles")) // that it cannot be read is told with the databases
	for _, e := range entries {
		if name := e.Name(); validProfile(name) {
			dir, err := filepath.EvalSymlinks(filepath.Join(real, "profiles", name))
			if err == nil {
				b.addBase(filepath.Join(path, "profiles", name, checkpointsDir), dir, "profiles/"+name+"/"+checkpointsDir, name)
			}
		}
	}
	if len(b.bases) > before {
		return
	}
	dir, err := gitro.OpenFolder(real)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }() // opened for reading
	switch {
	case isGitDir(dir):
		b.bases = append(b.bases, &baseSource{place: place{name: checkpointsDir, profile: defaultProfile, path: path, real: real}, lone: true})
	case isBase(dir):
		b.bases = append(b.bases, &baseSource{place: place{name: checkpointsDir, profile: defaultProfile, path: path, real: real}})
	}
}

// addBase adds the checkpoints/ of a home when something is there.
func (b *Bundle) addBase(shown, home, name, profile string) {
	real := filepath.Join(home, checkpointsDir)
	info, err := os.Lstat(real)
	if err != nil || !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	b.bases = append(b.bases, &baseSource{place: place{name: name, profile: profile, path: shown, real: real}, link: !info.IsDir()})
}

// isGitDir says whether a folder is a store: objects beside anything else that git or the product puts there.
func isGitDir(dir *gitro.Folder) bool {
	return hasDir(dir, "objects") && (has(dir, "HEAD") || has(dir, "refs") || has(dir, "packed-refs") || has(dir, "projects"))
}

// isBase says whether a folder holds a store, a repository of the first layout, or an archive of such.
func isBase(dir *gitro.Folder) bool {
	if hasDir(dir, "store") {
		return true
	}
	entries, err := dir.List(1 << 16)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.Mode.IsDir() || !IsProjectID(e.Name) && !strings.HasPrefix(e.Name, legacyPrefix) {
			continue
		}
		if strings.HasPrefix(e.Name, legacyPrefix) {
			return true
		}
		if sub, err := dir.Sub(e.Name); err == nil {
			v1 := has(sub, "HEAD") || hasDir(sub, "objects")
			_ = sub.Close() // opened for reading
			if v1 {
				return true
			}
		}
	}
	return false
}

func has(dir *gitro.Folder, name string) bool {
	_, err := dir.Stat(name)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

func hasDir(dir *gitro.Folder, name string) bool {
	st, err := dir.Stat(name)
	return err == nil && st.Mode.IsDir()
}
