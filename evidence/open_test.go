package evidence_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func TestOpenHome(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	for _, name := range []string{"state.db", "profiles/coder/state.db", "profiles/0a_b-C/state.db", "profiles/.hidden/state.db", "profiles/_x/state.db", "profiles/Upper/state.db"} {
		healthy(t, filepath.Join(home, name))
	}
	write(t, filepath.Join(home, "profiles/notafolder"), nil)
	write(t, filepath.Join(home, "profiles/nodb/config.yaml"), nil)
	want := listing(t, home)
	b := open(t, home)
	type line struct{ Name, Profile, Home, View, Journal string }
	var got []line
	for _, s := range b.Stores {
		got = append(got, line{s.Name, s.Profile, s.Home.Name, s.View, s.JournalMode})
		if s.PageSize != 4096 || s.Pages == 0 || s.Views != nil || s.Notes != nil {
			t.Errorf("%s: page size %d, pages %d, views %v, notes %q", s.Name, s.PageSize, s.Pages, s.Views, s.Notes)
		}
	}
	wantLines := []line{
		{"state.db", "default", home, "main", "delete"},
		{"profiles/0a_b-C/state.db", "0a_b-C", filepath.Join(home, "profiles/0a_b-C"), "main", "delete"},
		{"profiles/coder/state.db", "coder", filepath.Join(home, "profiles/coder"), "main", "delete"},
	}
	if diff := cmp.Diff(wantLines, got); diff != "" {
		t.Errorf("stores (-want +got):\n%s", diff)
	}
	if _, err := b.Inputs(t.Context()); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, listing(t, home)); diff != "" {
		t.Errorf("home changed (-want +got):\n%s", diff)
	}
}

func TestOpenOtherWays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "what is 100% ?#.sqlite")
	healthy(t, filepath.Join(dir, "plain.db"))
	if err := os.Rename(filepath.Join(dir, "plain.db"), path); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	onlyProfile := filepath.Join(dir, "home")
	healthy(t, filepath.Join(onlyProfile, "profiles/coder/state.db"))
	second := filepath.Join(dir, "b/state.db")
	healthy(t, second)
	tests := []struct {
		name  string
		paths []string
		want  []string
	}{
		{"any name", []string{path}, []string{"state.db"}},
		{"a link to a file", []string{link}, []string{"state.db"}},
		{"the same twice", []string{path, link, path}, []string{"state.db"}},
		{"only a profile", []string{onlyProfile}, []string{"profiles/coder/state.db"}},
		{"two of one name", []string{path, second}, []string{path, second}},
		{"two of different names", []string{path, onlyProfile}, []string{"state.db", "profiles/coder/state.db"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range open(t, tt.paths...).Stores {
				got = append(got, s.Name)
				if n := counts(t, s); n != [2]int64{1, 5} {
					t.Errorf("%s: counts %v", s.Name, n)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("stores (-want +got):\n%s", diff)
			}
		})
	}
	inputs, err := open(t, link).Inputs(t.Context())
	if err != nil || len(inputs) != 1 || inputs[0].Path != link {
		t.Errorf("inputs of a link: %v, %v", inputs, err)
	}
}

// A file is examined with its own sidecars and nothing else beside it.
func TestLoneFileHasNoHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	healthy(t, filepath.Join(dir, "state.db"))
	healthy(t, filepath.Join(dir, "profiles/coder/state.db"))
	b := open(t, filepath.Join(dir, "state.db"))
	if len(b.Stores) != 1 || len(b.Homes) != 0 || b.Stores[0].Home != nil {
		t.Errorf("%d stores, %d homes, home %v", len(b.Stores), len(b.Homes), b.Stores[0].Home)
	}
}

func TestOpenMessagesView(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, schema()[0], "CREATE VIEW messages AS SELECT 1 AS session_id, 2 AS timestamp")
	s := open(t, path).Stores[0]
	if s.DB.Table("messages") != nil || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "messages is a view") {
		t.Errorf("table %v, notes %q", s.DB.Table("messages"), s.Notes)
	}
	if err := s.DB.Spans(t.Context(), nil); err == nil {
		t.Error("spans of a view were given")
	}
}

func TestOpenTruncated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	build(t, path, join(schema(), talk("s1", 1785000000, 2000))...)
	whole := read(t, path)
	write(t, path, whole[:len(whole)-3*4096-100])
	before := listing(t, dir)
	b := open(t, path)
	s := b.Stores[0]
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "cut short") {
		t.Errorf("notes %q", s.Notes)
	}
	n := 0
	err := s.DB.Rows(t.Context(), "sessions", []string{"id"}, func(int64, []evidence.Value) error { n++; return nil })
	if err != nil || n != 1 {
		t.Errorf("%d sessions, %v", n, err)
	}
	err = s.DB.Rows(t.Context(), "messages", []string{"content"}, func(int64, []evidence.Value) error { return nil })
	if err == nil {
		t.Error("missing pages were read as if nothing were missing")
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("folder changed (-want +got):\n%s", diff)
	}
}

func TestOpenUnreadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	healthy(t, path)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	asNobody(t)
	_, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: os.TempDir()})
	var in *evidence.InputError
	if !errors.As(err, &in) || !strings.Contains(in.Reason, "permission denied") || in.Next == "" {
		t.Errorf("got %v", err)
	}
}

func TestOpenCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	db := connect(t, path, join([]string{"PRAGMA journal_mode=WAL"}, schema(), talk("s1", 1785000000, 5))...)
	clone(t, path, filepath.Join(dir, "copy/state.db"))
	_ = db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	temp := t.TempDir()
	if _, err := evidence.Open(ctx, []string{filepath.Join(dir, "copy")}, evidence.Options{TempDir: temp}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("private copies were left: %v, %v", left, err)
	}
}
