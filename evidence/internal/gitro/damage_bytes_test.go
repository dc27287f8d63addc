package gitro_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// Whatever byte of a pack is wrong, no object reads as what it is not, and none that git still reads is lost.
func TestEveryDamagedByteOfAPackIsNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	git(t, dir, nil, "init", "-q", "--bare")
	pack, idx := filepath.Join(dir, "objects/pack/pack-1.pack"), filepath.Join(dir, "objects/pack/pack-1.idx")
	copyFile(t, "testdata/small.pack", pack)
	copyFile(t, "testdata/small.idx", idx)
	want := map[string][]byte{}
	objects := []string{"9fc7cb6b4df59b6190be534ba10491936c2de203", "f0386138d9784252523447868b7325ea1d83d1e0", "871f4ff0565f6e67e980434ce8ca76d27d6ab802"}
	_, r := open(t, dir, gitro.Limits{})
	for _, name := range objects {
		_, data, err := r.Object(parse(t, name))
		if err != nil {
			t.Fatal(err)
		}
		want[name] = bytes.Clone(data)
	}
	sound, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= 0x41
		if err := os.WriteFile(pack, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		folder, err := gitro.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		repo, err := gitro.Open(folder, "", gitro.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r := repo.Reader()
		lost := 0
		for _, name := range objects {
			_, data, err := r.Object(parse(t, name))
			if err != nil {
				lost++
			} else if !bytes.Equal(data, want[name]) {
				t.Errorf("byte %d damaged: %s reads as something else", at, name)
			}
		}
		if lost == 0 && len(repo.Problems()) == 0 {
			t.Errorf("byte %d damaged: nothing was noticed", at)
		}
		_, _, _ = r.Close(), repo.Close(), folder.Close()
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
