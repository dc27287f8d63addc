package contents_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

const (
	project      = "55e8fbffcaa6d84b" // of /home/you/project
	nestedCommit = "1111111111111111111111111111111111111111"
)

// store is a checkpoint store that git makes.
type store struct {
	t   *testing.T
	dir string // the base
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{t, t.TempDir()}
	gittest.Init(t, s.store())
	s.write("projects/"+project+".json", `{"workdir": "/home/you/project", "created_at": 1790000000.0, "last_touch": 1790000000.5}`)
	return s
}

func (s *store) store() string { return filepath.Join(s.dir, "store") }

func (s *store) git(stdin []byte, args ...string) []byte {
	s.t.Helper()
	return gittest.Run(s.t, s.store(), stdin, args...)
}

func (s *store) line(stdin []byte, args ...string) string {
	return strings.TrimSpace(string(s.git(stdin, args...)))
}

func (s *store) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.dir, "store", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

type file = gittest.File

// commits are checkpoints for one run of fast-import.
type commits struct {
	stream bytes.Buffer
	begun  map[string]bool // projects that have a commit in the run: the next one goes on from there
}

// add makes a checkpoint with exactly these files the newest of a project. n is 0 for the first.
func (c *commits) add(project string, n int, files ...file) {
	b := &c.stream
	fmt.Fprintf(b, "commit refs/hermes/%s\ncommitter Hermes Checkpoint <hermes@local> %d +0000\ndata 18\nbefore write_file\n\n", project, 1790000000+n)
	if n > 0 && !c.begun[project] {
		fmt.Fprintf(b, "from refs/hermes/%s^0\n", project)
	}
	if c.begun == nil {
		c.begun = map[string]bool{}
	}
	c.begun[project] = true
	b.WriteString("deleteall\n")
	gittest.Stream(b, files...)
}

// load makes the commits, their objects loose, or in a pack where there are many.
func (s *store) load(c *commits) {
	s.t.Helper()
	limit := "100000"
	if c.stream.Len() > 1<<17 {
		limit = "1"
	}
	s.git(c.stream.Bytes(), "-c", "fastimport.unpackLimit="+limit, "-c", "core.fsync=none", "fast-import", "--quiet")
}

// checkpoint adds one.
func (s *store) checkpoint(project string, n int, files ...file) {
	s.t.Helper()
	var c commits
	c.add(project, n, files...)
	s.load(&c)
}

// open reads the store with the program's own reader.
func (s *store) open() (*evidence.CheckpointStore, *evidence.ObjectReader) {
	s.t.Helper()
	bundle, err := evidence.Open(s.t.Context(), []string{s.dir}, evidence.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	cp := bundle.Checkpoints[0].Stores[0]
	r := cp.Reader()
	s.t.Cleanup(func() {
		if err := r.Close(); err != nil {
			s.t.Error(err)
		}
		if err := bundle.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return cp, r
}

// lose deletes a loose object.
func (s *store) lose(id string) {
	s.t.Helper()
	gittest.Lose(s.t, s.store(), id)
}

func (s *store) tree(entries ...file) string {
	s.t.Helper()
	return gittest.Tree(s.t, s.store(), entries...)
}

func (s *store) blob(content string) string {
	s.t.Helper()
	return gittest.Blob(s.t, s.store(), content)
}

// id is what git calls an object.
func (s *store) id(name string) evidence.ObjectID {
	s.t.Helper()
	return parse(s.t, s.line(nil, "rev-parse", name))
}

func parse(t *testing.T, hex string) evidence.ObjectID {
	t.Helper()
	id, err := evidence.ParseObjectID(hex)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func projectOf(t *testing.T, s *evidence.CheckpointStore, id string) *evidence.CheckpointProject {
	t.Helper()
	for _, p := range s.Projects {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("the store has no project %s", id)
	return nil
}
