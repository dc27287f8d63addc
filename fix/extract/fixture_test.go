package extract_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

const nestedCommit = "1111111111111111111111111111111111111111"

// store is a checkpoint store that git makes.
type store struct {
	t   *testing.T
	dir string // the base
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{t, t.TempDir()}
	gittest.Init(t, s.store())
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

type file = gittest.File

// commit makes a checkpoint with exactly these files, its objects loose.
func (s *store) commit(files ...file) evidence.ObjectID {
	s.t.Helper()
	var b bytes.Buffer
	b.WriteString("commit refs/hermes/0000000000000001\ncommitter Hermes Checkpoint <hermes@local> 1790000000 +0000\ndata 18\nbefore write_file\n\ndeleteall\n")
	gittest.Stream(&b, files...)
	s.git(b.Bytes(), "-c", "fastimport.unpackLimit=100000", "-c", "core.fsync=none", "fast-import", "--quiet")
	id, err := evidence.ParseObjectID(s.line(nil, "rev-parse", "refs/hermes/0000000000000001"))
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// plan lays out a commit.
func (s *store) plan(r *evidence.ObjectReader, commit evidence.ObjectID, files []string) *contents.Plan {
	s.t.Helper()
	c, err := r.Commit(commit)
	if err != nil {
		s.t.Fatal(err)
	}
	plan, err := contents.NewPlan(s.t.Context(), r, c.Tree, contents.PlanOptions{Files: files})
	if err != nil {
		s.t.Fatal(err)
	}
	return plan
}

// open reads the store with the program's own reader.
func (s *store) open() *evidence.ObjectReader {
	s.t.Helper()
	bundle, err := evidence.Open(s.t.Context(), []string{s.dir}, evidence.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	r := bundle.Checkpoints[0].Stores[0].Reader()
	s.t.Cleanup(func() {
		if err := r.Close(); err != nil {
			s.t.Error(err)
		}
		if err := bundle.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return r
}

func (s *store) tree(entries ...file) string {
	s.t.Helper()
	return gittest.Tree(s.t, s.store(), entries...)
}

func (s *store) blob(content string) string {
	s.t.Helper()
	return gittest.Blob(s.t, s.store(), content)
}
