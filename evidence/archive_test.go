package evidence_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// packed is one member of an archive; link makes it a symbolic link, hard a hard link (tar only).
type packed struct {
	name, link, hard string
	data             []byte
}

func zipOf(t *testing.T, members []packed) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: time.Unix(1785000000, 0)}
		h.SetMode(0o644)
		data := m.data
		if m.link != "" {
			h.SetMode(os.ModeSymlink | 0o777)
			data = []byte(m.link)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func tarOf(t *testing.T, members []packed) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(m.data)), ModTime: time.Unix(1785000000, 0)}
		if m.link != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, m.link, 0
		}
		if m.hard != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, m.hard, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write(m.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestOpenArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	healthy(t, filepath.Join(dir, "db"))
	db := read(t, filepath.Join(dir, "db"))
	wal := walStore(t, t.TempDir())
	main, side := read(t, wal), read(t, wal+"-wal")
	tests := []struct {
		name    string
		members []packed
		stores  map[string]string // name and view
		inputs  []string          // below the archive
	}{
		{"a home", []packed{{name: "state.db", data: db}, {name: "config.yaml", data: []byte("a")}, {name: "logs/agent.log", data: []byte("x")}, {name: "profiles/coder/state.db", data: db}},
			map[string]string{"state.db": "main", "profiles/coder/state.db": "main"}, []string{"profiles/coder/state.db", "state.db"}},
		{"a home below a folder", []packed{{name: "./.hermes/state.db", data: main}, {name: "./.hermes/state.db-wal", data: side}, {name: ".hermes/profiles/coder/state.db", data: db}},
			map[string]string{"state.db": "main+wal", "profiles/coder/state.db": "main"}, []string{".hermes/profiles/coder/state.db", ".hermes/state.db", ".hermes/state.db-wal"}},
		{"a lone file", []packed{{name: "my.sqlite", data: main}, {name: "my.sqlite-wal", data: side}}, map[string]string{"state.db": "main+wal"}, []string{"my.sqlite", "my.sqlite-wal"}},
		{"links are left out", []packed{{name: "state.db", data: db}, {name: "config.yaml", link: "/etc/passwd"}, {name: "profiles/x/state.db", link: "../../state.db"}}, map[string]string{"state.db": "main"}, []string{"state.db"}},
	}
	for _, tt := range tests {
		for ending, data := range map[string][]byte{".zip": zipOf(t, tt.members), ".tar.gz": tarOf(t, tt.members)} {
			t.Run(tt.name+ending, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "a"+ending)
				write(t, path, data)
				before := listing(t, dir)
				b := open(t, path)
				got := map[string]string{}
				for _, s := range b.Stores {
					got[s.Name] = s.View
				}
				if diff := cmp.Diff(tt.stores, got); diff != "" {
					t.Errorf("stores (-want +got):\n%s", diff)
				}
				inputs, err := b.Inputs(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := []string{path}
				for _, name := range tt.inputs {
					want = append(want, filepath.Join(path, name))
				}
				var names []string
				for _, in := range inputs {
					names = append(names, in.Path)
					if in.Role != evidence.RoleArchive && in.Modified != 1785000000 {
						t.Errorf("%s: time %v", in.Path, in.Modified)
					}
				}
				if diff := cmp.Diff(want, names); diff != "" {
					t.Errorf("inputs (-want +got):\n%s", diff)
				}
				if changed, err := b.Recheck(t.Context()); err != nil || changed != nil {
					t.Errorf("recheck: %v, %v", changed, err)
				}
				for _, h := range b.Homes {
					if _, err := h.Read("config.yaml", evidence.RoleConfig, 10); tt.name != "a home" && err == nil {
						t.Error("a link was unpacked")
					}
				}
				if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
					t.Errorf("folder changed (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestOpenHostileArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	healthy(t, filepath.Join(dir, "db"))
	db := read(t, filepath.Join(dir, "db"))
	good := packed{name: "state.db", data: db}
	tests := []struct {
		name    string
		members []packed
		says    string
	}{
		{"absolute", []packed{good, {name: "/tmp/evil/state.db", data: db}}, "leads out"},
		{"parent", []packed{good, {name: "../state.db", data: db}}, "leads out"},
		{"parent inside", []packed{good, {name: "a/../../state.db", data: db}}, "leads out"},
		{"parent that stays inside", []packed{good, {name: "a/../config.yaml", data: db}}, "leads out"},
		{"backslash", []packed{good, {name: "..\\state.db", data: db}}, "leads out"},
		{"twice", []packed{good, good}, "twice"},
		{"nothing of interest", []packed{{name: "readme", data: []byte("x")}, {name: "a/b/state.db", data: db}}, "holds no state.db"},
		{"only a link", []packed{{name: "state.db", link: "/etc/passwd"}}, "holds no state.db"},
		{"several lone files", []packed{{name: "a.db", data: db}, {name: "b.db", data: db}}, "2 other databases"},
		{"not a database inside", []packed{{name: "state.db", data: []byte(strings.Repeat("text ", 99))}}, "not a SQLite database"},
	}
	for _, tt := range tests {
		for ending, data := range map[string][]byte{".zip": zipOf(t, tt.members), ".tar.gz": tarOf(t, tt.members)} {
			t.Run(tt.name+ending, func(t *testing.T) { refused(t, ending, data, tt.says) })
		}
	}
	t.Run("hard link", func(t *testing.T) {
		refused(t, ".tar.gz", tarOf(t, []packed{{name: "state.db", hard: "/etc/passwd"}}), "holds no state.db")
	})
	t.Run("cut short", func(t *testing.T) {
		data := tarOf(t, []packed{good})
		refused(t, ".tar.gz", data[:len(data)/2], "cannot be unpacked")
		data = zipOf(t, []packed{good})
		refused(t, ".zip", data[:len(data)/2], "cannot be unpacked")
	})
}

func refused(t *testing.T, ending string, data []byte, says string) {
	t.Helper()
	dir, temp := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a"+ending)
	write(t, path, data)
	_, err := evidence.Open(t.Context(), []string{path}, evidence.Options{TempDir: temp})
	var in *evidence.InputError
	if !errors.As(err, &in) || !strings.Contains(in.Error(), says) || in.Next == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v; want an *InputError that says %q", err, says)
	}
	if strings.Contains(err.Error(), temp) {
		t.Errorf("it names the private folder: %v", err)
	}
	for _, d := range []string{dir, temp} {
		if entries, err := os.ReadDir(d); err != nil || len(entries) > 1 || d == temp && len(entries) > 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	}
}
