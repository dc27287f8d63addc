package extract_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/extract"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// A tree that was made to write elsewhere writes nothing elsewhere.
func TestHostileTree(t *testing.T) {
	s := newStore(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "victim"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := s.blob("stolen")
	inner := s.tree(file{"100644", "victim", b}, file{"100644", "new", b})
	root := s.tree(
		file{"120000", "dir", s.blob(outside)}, file{"40000", "dir", inner}, file{"120000", "victim", s.blob(outside + "/victim")}, file{"100644", "victim", b},
		file{"40000", "..", inner}, file{"100644", outside + "/victim", b}, file{"100644", "../victim", b}, file{"40000", ".git", inner}, file{"100644", ".", b},
		file{"120000", "first", s.blob(".")}, file{"100644", "first/victim", b},
	)
	r := s.open()
	base := t.TempDir()
	dir, path := filepath.Join(base, "out"), filepath.Join(base, "out.tar")
	id, err := evidence.ParseObjectID(root)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := contents.NewPlan(t.Context(), r, id, contents.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := extract.Folder(t.Context(), r, plan, dir)
	if err != nil || len(out.Failed) > 0 || out.Files != 11 || out.Links != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := extract.Tar(t.Context(), r, plan, path, extract.Stamp{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{`100644 "victim" "mine"`}, listing(t, outside)); d != "" {
		t.Errorf("outside (-want +got):\n%s", d)
	}
	beside, err := os.ReadDir(base)
	if err != nil || len(beside) != 2 {
		t.Errorf("beside the target: %v, %v", beside, err)
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := entries(t, archive)
	links := map[string]bool{}
	for _, e := range list {
		name := strings.Trim(strings.Fields(e)[2], `"`)
		if strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..") || slices.Contains(strings.Split(name, "/"), ".git") {
			t.Errorf("the archive holds %s", e)
		}
		if e[0] == '2' {
			links[name] = true
		}
	}
	for _, e := range list {
		name := strings.Trim(strings.Fields(e)[2], `"`)
		if first, _, deep := strings.Cut(name, "/"); deep && links[first] {
			t.Errorf("the archive writes %q through a link", name)
		}
	}
}

// What is there already stays as it is, and a run that cannot end leaves nothing.
func TestNothingIsOverwritten(t *testing.T) {
	s := newStore(t)
	commit := s.commit(file{"100644", "a", "a"})
	r := s.open()
	plan := s.plan(r, commit, nil)
	base := t.TempDir()
	for name, make := range map[string]func(string) error{
		"folder": func(p string) error { return os.Mkdir(p, 0o755) },
		"file":   func(p string) error { return os.WriteFile(p, []byte("mine"), 0o644) },
		"link":   func(p string) error { return os.Symlink(filepath.Join(base, "nosuch"), p) },
	} {
		path := filepath.Join(base, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := extract.Folder(t.Context(), r, plan, path); !errors.Is(err, fs.ErrExist) {
			t.Errorf("folder over a %s: %v", name, err)
		}
		if _, err := extract.Tar(t.Context(), r, plan, path, extract.Stamp{}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("archive over a %s: %v", name, err)
		}
		after, err := os.Lstat(path)
		if err != nil || !os.SameFile(before, after) || before.Mode() != after.Mode() || !before.ModTime().Equal(after.ModTime()) {
			t.Errorf("the %s changed: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(base, "nosuch")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written through the link: %v", err)
	}
	for _, broken := range []extract.Source{full{r, io.ErrShortWrite}, full{r, errors.New("no space left")}} {
		path := filepath.Join(base, "new")
		if _, err := extract.Folder(t.Context(), broken, plan, path); err == nil {
			t.Error("a failing write is no error")
		}
		if _, err := extract.Tar(t.Context(), broken, plan, path, extract.Stamp{}); err == nil {
			t.Error("a failing write is no error")
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a failed run leaves something: %v", err)
		}
	}
}

// full gives what it should and then fails as a disk does that is full.
type full struct {
	extract.Source
	err error
}

func (f full) Blob(id evidence.ObjectID, w io.Writer) (int64, error) {
	n, err := f.Source.Blob(id, w)
	if err != nil {
		return n, err
	}
	return n, f.err
}

// An interrupted run leaves nothing.
func TestInterrupted(t *testing.T) {
	s := newStore(t)
	commit := s.commit(file{"100644", "a/b", "b"}, file{"100644", "c", "c"}, file{"120000", "l", "c"})
	r := s.open()
	plan := s.plan(r, commit, nil)
	for after := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		path := filepath.Join(t.TempDir(), "new")
		if _, err := extract.Folder(ctx, &stopper{r, after, cancel}, plan, path); after < 2 && !errors.Is(err, context.Canceled) {
			t.Errorf("folder after %d files: %v", after, err)
		} else if _, there := os.Lstat(path); after < 2 && !errors.Is(there, fs.ErrNotExist) {
			t.Errorf("folder after %d files: something is left: %v", after, there)
		}
		ctx, cancel = context.WithCancel(t.Context())
		path += ".tar"
		if _, err := extract.Tar(ctx, &stopper{r, after, cancel}, plan, path, extract.Stamp{}); after < 2 && !errors.Is(err, context.Canceled) {
			t.Errorf("archive after %d files: %v", after, err)
		} else if _, there := os.Lstat(path); after < 2 && !errors.Is(there, fs.ErrNotExist) {
			t.Errorf("archive after %d files: something is left: %v", after, there)
		}
		cancel()
	}
}

// stopper interrupts the run when it has given some contents.
type stopper struct {
	extract.Source
	left   int
	cancel context.CancelFunc
}

func (s *stopper) Blob(id evidence.ObjectID, w io.Writer) (int64, error) {
	if s.left--; s.left < 0 {
		s.cancel()
	}
	return s.Source.Blob(id, w)
}
