package evidence_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Recheck names the folder in which anything differs, and nothing where nothing does.
func TestRecheckOfAStore(t *testing.T) {
	id := evidence.ProjectHash("/home/you/project")
	now := time.Now()
	tests := []struct {
		name   string
		change func(t *testing.T, dir string)
		want   []string // below the store
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"a ref rewritten in its old time", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "refs/hermes", id)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			text := []byte(string(read(t, path)))
			text[0] ^= 1
			plant(t, path, string(text))
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, []string{"refs/hermes"}},
		{"a json touched", func(t *testing.T, dir string) {
			if err := os.Chtimes(filepath.Join(dir, "projects", id+".json"), now.Add(time.Hour), now.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}, []string{"projects"}},
		{"a file among the objects", func(t *testing.T, dir string) {
			plant(t, filepath.Join(dir, "objects/info/packs"), "x")
		}, []string{"objects", "objects/info"}},
		{"a file in the store", func(t *testing.T, dir string) { plant(t, filepath.Join(dir, "gc.pid"), "x") }, []string{"."}},
		{"a new folder", func(t *testing.T, dir string) { plant(t, filepath.Join(dir, "new/x"), "x") }, []string{".", "new"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			initStore(t, dir)
			addProject(t, dir, "/home/you/project", 2)
			b := openCheckpoints(t, dir)
			inputs, err := b.Inputs(t.Context()) // waits for the first listing
			if err != nil || len(inputs) != 1 || inputs[0].Role != evidence.RoleCheckpoints || inputs[0].Path != dir || inputs[0].Bytes == 0 || inputs[0].SHA256 == "" {
				t.Fatalf("inputs %+v, %v", inputs, err)
			}
			tt.change(t, dir)
			got, err := b.Recheck(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, name := range tt.want {
				want = append(want, filepath.Join(dir, name))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changed (-want +got)\n%s", diff)
			}
			all, store, err := b.Checkpoints[0].Footprint(t.Context())
			if err != nil || all != inputs[0].Bytes || store != all {
				t.Errorf("footprint %d and %d, %v; want %d", all, store, err, inputs[0].Bytes)
			}
		})
	}
}
