package evidence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/internal/gittest"
)

// git is gittest.Run between texts.
func git(t testing.TB, dir string, input string, args ...string) string {
	t.Helper()
	return strings.TrimSuffix(string(gittest.Run(t, dir, []byte(input), args...)), "\n")
}

// initStore makes an empty store with the settings that the product gives it.
func initStore(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "", "init", "-q", "--bare", "-b", "master")
	for _, s := range []string{"user.email=hermes@local", "user.name=Hermes Checkpoint", "commit.gpgsign=false", "tag.gpgSign=false", "gc.auto=0"} {
		key, value, _ := strings.Cut(s, "=")
		git(t, dir, "", "config", key, value)
	}
	for _, name := range []string{"projects", "ledgers", "indexes"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// addCommits puts n checkpoints on a ref, from n files of its own and a nested repository.
func addCommits(t testing.TB, dir, ref string, n int) {
	t.Helper()
	var b strings.Builder
	for c := range n {
		fmt.Fprintf(&b, "commit %s\ncommitter Hermes Checkpoint <hermes@local> %d +0200\ndata 18\nbefore write_file\n\n", ref, 1760000000+60*c)
		fmt.Fprintf(&b, "M 100644 inline src/f%d.txt\ndata 6\n%s%d\n\n", c, ref[len(ref)-4:], c)
		if c == 0 {
			fmt.Fprintf(&b, "M 160000 %040d tool\n", 7)
		}
	}
	git(t, dir, b.String(), "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet")
}

// addProject registers a working directory and gives its id.
func addProject(t testing.TB, dir, workdir string, commits int) string {
	t.Helper()
	id := evidence.ProjectHash(workdir)
	data, err := json.Marshal(map[string]any{"workdir": workdir, "created_at": 1759999000.5, "last_touch": 1760009000.25, "workdir_parent_dev": 5, "workdir_parent_ino": 77})
	if err != nil {
		t.Fatal(err)
	}
	plant(t, filepath.Join(dir, "projects", id+".json"), string(data))
	if commits > 0 {
		addCommits(t, dir, "refs/hermes/"+id, commits)
	}
	return id
}

func plant(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// openCheckpoints opens paths that hold stores until the test ends.
func openCheckpoints(t testing.TB, paths ...string) *evidence.Bundle {
	t.Helper()
	b, err := evidence.Open(t.Context(), paths, evidence.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// onlyStore opens a store that is alone in its base.
func onlyStore(t testing.TB, path string) *evidence.CheckpointStore {
	t.Helper()
	b := openCheckpoints(t, path)
	if len(b.Checkpoints) != 1 || len(b.Checkpoints[0].Stores) != 1 {
		t.Fatalf("%q holds %d bases, want one with one store", path, len(b.Checkpoints))
	}
	return b.Checkpoints[0].Stores[0]
}

// project finds a project of a store.
func project(t testing.TB, s *evidence.CheckpointStore, id string) *evidence.CheckpointProject {
	t.Helper()
	for _, p := range s.Projects {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("no project %s", id)
	return nil
}
