package checkpoints_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
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
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	base := filepath.Join(t.TempDir(), "checkpoints")
	s := &store{t: t, base: base, dir: filepath.Join(base, "store")}
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	s.git("", "init", "--quiet", "--bare", "--template=", "--object-format="+format, s.dir)
	return s
}

func (s *store) git(input string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.base, "GIT_DIR=" + s.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %q: %v: %s", args, err, errs.String())
	}
	return string(out)
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
	return fmt.Sprintf("M %s inline %s\ndata %d\n%s\n", mode, quoted(path), len(content), content)
}

func link(path, id string) string { return fmt.Sprintf("M 160000 %s %s\n", id, quoted(path)) }

func remove(path string) string { return "D " + quoted(path) + "\n" }

// quoted spells a path for fast-import, whatever bytes it holds.
func quoted(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

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
