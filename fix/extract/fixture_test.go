package extract_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
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
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to make a store with")
	}
	s := &store{t, t.TempDir()}
	s.git(nil, "init", "-q", "--bare", filepath.Join(s.dir, "store"))
	return s
}

// git runs a git of which no setting of this machine is part, and gives its output.
func (s *store) git(stdin []byte, args ...string) []byte {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=Hermes Checkpoint", "GIT_AUTHOR_EMAIL=hermes@local", "GIT_COMMITTER_NAME=Hermes Checkpoint", "GIT_COMMITTER_EMAIL=hermes@local",
		"GIT_AUTHOR_DATE=1790000000 +0000", "GIT_COMMITTER_DATE=1790000000 +0000",
	}
	if args[0] != "init" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+filepath.Join(s.dir, "store"))
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, stderr.Bytes())
	}
	return out
}

func (s *store) line(stdin []byte, args ...string) string {
	return strings.TrimSpace(string(s.git(stdin, args...)))
}

// file is one line of a tree: a mode, a path, and a content, a target or a commit.
type file struct{ mode, path, content string }

// commit makes a checkpoint with exactly these files, its objects loose.
func (s *store) commit(files ...file) evidence.ObjectID {
	s.t.Helper()
	var b bytes.Buffer
	b.WriteString("commit refs/hermes/0000000000000001\ncommitter Hermes Checkpoint <hermes@local> 1790000000 +0000\ndata 18\nbefore write_file\n\ndeleteall\n")
	for _, f := range files {
		path := `"` + quote(f.path) + `"`
		if f.mode == "160000" {
			fmt.Fprintf(&b, "M 160000 %s %s\n", f.content, path)
			continue
		}
		fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", f.mode, path, len(f.content), f.content)
	}
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

// quote spells bytes as C does.
func quote(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c < 0x20 || c >= 0x7F || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
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

// tree writes a tree whose entries stand as they are given, whatever git thinks of them.
func (s *store) tree(entries ...file) string {
	s.t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		raw, err := hex.DecodeString(e.content)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\x00%s", e.mode, e.path, raw)
	}
	return s.line(b.Bytes(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

func (s *store) blob(content string) string {
	s.t.Helper()
	return s.line([]byte(content), "hash-object", "-w", "--stdin")
}
