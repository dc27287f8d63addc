package checkpoints_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// store is a checkpoint store that git made.
type store struct {
	t    *testing.T
	base string // the checkpoints/ folder
	dir  string // the git directory
}

// newStore makes an empty store of a hash.
func newStore(t *testing.T, format string) *store {
	t.Helper()
	base := filepath.Join(t.TempDir(), "checkpoints")
	s := &store{t: t, base: base, dir: filepath.Join(base, "store")}
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	gittest.Init(t, s.dir, "--template=", "--object-format="+format)
	return s
}

func (s *store) git(input string, args ...string) string {
	s.t.Helper()
	return string(gittest.Run(s.t, s.dir, []byte(input), args...))
}

// commit is one checkpoint to be made: lines of fast-import behind its head.
type commit struct{ ref, message, changes string }

// take makes checkpoints, a minute apart.
func (s *store) take(list ...commit) {
	s.t.Helper()
	var b strings.Builder
	for i, c := range list {
		fmt.Fprintf(&b, "commit %s\ncommitter Hermes Checkpoint <hermes@local> %d +0200\ndata %d\n%s\n%s\n", c.ref, 1786352400+60*i, len(c.message), c.message, c.changes)
	}
	s.git(b.String(), "-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet", "--force")
}

// file is a change that fast-import understands; path is quoted as C does.
func file(mode, path, content string) string {
	return fmt.Sprintf("M %s inline %s\ndata %d\n%s\n", mode, gittest.Quote(path), len(content), content)
}

func link(path, id string) string { return fmt.Sprintf("M 160000 %s %s\n", id, gittest.Quote(path)) }

func remove(path string) string { return "D " + gittest.Quote(path) + "\n" }

// read audits the store's base.
func (s *store) read(o checkpoints.Options) *checkpoints.Base {
	s.t.Helper()
	b, err := evidence.Open(context.Background(), []string{s.base}, evidence.Options{TempDir: s.t.TempDir()})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := b.Close(); err != nil {
			s.t.Error(err)
		}
	})
	if len(b.Checkpoints) != 1 {
		s.t.Fatalf("%d bases, want one", len(b.Checkpoints))
	}
	audit, err := checkpoints.Read(context.Background(), b.Checkpoints[0], o)
	if err != nil {
		s.t.Fatal(err)
	}
	return audit
}

// damage changes the file of a loose object.
func (s *store) damage(rev string, change func(path string) error) string {
	s.t.Helper()
	id := strings.TrimSpace(s.git("", "rev-parse", rev))
	path := filepath.Join(s.dir, "objects", id[:2], id[2:])
	if err := os.Chmod(path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := change(path); err != nil {
		s.t.Fatal(err)
	}
	return id
}
