package evidence_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// pack puts a folder with its empty folders into an archive, below a leading folder.
func pack(t *testing.T, dir, kind string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	g := gzip.NewWriter(&b)
	tw := tar.NewWriter(g)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, data := "home/"+path, []byte(nil)
		if e.IsDir() {
			name += "/"
		} else {
			data = read(t, filepath.Join(dir, path))
		}
		if kind == "zip" {
			h, err := zip.FileInfoHeader(info)
			if err != nil {
				return err
			}
			h.Name = name
			w, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			_, err = w.Write(data)
			return err
		}
		h, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		h.Name = name
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		_, err = tw.Write(data)
		return err
	})
	if kind == "zip" {
		err = errors.Join(err, z.Close())
	} else {
		err = errors.Join(err, tw.Close(), g.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "home."+kind)
	plant(t, file, b.String())
	return file
}

// A store in an archive is the same store, empty folders included; the archive is what custody watches.
func TestStoresInArchives(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "checkpoints/store")
	initStore(t, dir)
	id := addProject(t, dir, "/home/you/project", 5)
	git(t, dir, "", "gc", "-q", "--prune=now")
	profile := filepath.Join(home, "profiles/coder/checkpoints/store")
	initStore(t, profile)
	addProject(t, profile, "/home/you/other", 2)
	for _, kind := range []string{"zip", "tar.gz"} {
		t.Run(kind, func(t *testing.T) {
			file := pack(t, home, kind)
			b := openCheckpoints(t, file)
			if len(b.Checkpoints) != 2 || len(b.Checkpoints[0].Stores) != 1 || b.Checkpoints[1].Name != "profiles/coder/checkpoints" {
				t.Fatalf("bases %+v, want those of the home and of a profile", b.Checkpoints)
			}
			s := b.Checkpoints[0].Stores[0]
			if p := project(t, s, id); len(p.Chain) != 5 || len(s.Absent) > 1 || len(s.Problems) > 0 {
				t.Errorf("%d commits, absent %v, problems %v", len(p.Chain), s.Absent, s.Problems)
			}
			inputs, err := b.Inputs(t.Context())
			if err != nil || len(inputs) != 1 || inputs[0].Path != file {
				t.Errorf("inputs %+v, %v; want the archive alone", inputs, err)
			}
			if all, _, err := b.Checkpoints[0].Footprint(t.Context()); err != nil || all == 0 {
				t.Errorf("footprint %d, %v", all, err)
			}
			if changed, err := b.Recheck(t.Context()); err != nil || len(changed) > 0 {
				t.Errorf("Recheck: %v, %v", changed, err)
			}
			_, err = evidence.Open(t.Context(), []string{file}, evidence.Options{NoCheckpoints: true, TempDir: t.TempDir()})
			var in *evidence.InputError
			if !errors.As(err, &in) {
				t.Errorf("without checkpoints: %v, want an *InputError", err)
			}
		})
	}
}
