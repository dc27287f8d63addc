package gitro_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/gitro"
)

// everything lists all objects of a repository with their content, by git.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	rest := git(t, dir, nil, "cat-file", "--batch-all-objects", "--batch")
	for len(rest) > 0 {
		head, after, _ := bytes.Cut(rest, []byte("\n"))
		var id, kind string
		var size int
		if _, err := fmt.Sscan(string(head), &id, &kind, &size); err != nil {
			t.Fatalf("read %q: %v", head, err)
		}
		out[id] = kind + " " + string(after[:size])
		rest = after[size+1:]
	}
	return out
}

// A pack without an index, or with one that cannot be used, is read from end to end: whoever asks for the whole gets
// every object as git has it, and whoever asks for what git sees gets none.
func TestPacksWithoutIndex(t *testing.T) {
	for _, l := range layouts() {
		if strings.Contains(l.name, "loose") && l.name != "several packs and loose" {
			continue
		}
		for _, how := range []string{"gone", "cut", "garbage"} {
			t.Run(l.name+" "+how, func(t *testing.T) {
				dir := build(t, l)
				want := everything(t, dir)
				indexes, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.idx"))
				if err != nil || len(indexes) == 0 {
					t.Fatal(indexes, err)
				}
				packed := 0
				for _, idx := range indexes {
					packed += bytes.Count(git(t, dir, read(t, idx), "show-index", "--object-format="+formatOf(l)), []byte("\n"))
					spoil(t, idx, how)
				}
				repo, r := open(t, dir, gitro.Limits{})
				if got := repo.Packs().Reindexed; got < 1 || got > packed {
					t.Errorf("%d objects were found in packs with %d", got, packed)
				}
				whole := repo.WholeReader()
				t.Cleanup(func() { _ = whole.Close() })
				seen := 0
				for id, content := range want {
					kind, data, err := whole.Object(parse(t, id))
					if err != nil || kind.String()+" "+string(data) != content {
						t.Errorf("object %s: %s of %d bytes, %v", id, kind, len(data), err)
					}
					if r.Has(parse(t, id)) {
						seen++
					}
				}
				if loose := repo.Objects() - repo.Packs().Reindexed; seen != loose {
					t.Errorf("%d objects are seen without an index, want the %d loose ones", seen, loose)
				}
				told := 0
				if err := whole.Unreached(t.Context(), gitro.Set{}, 0, func(gitro.ID, gitro.ObjectStat, error) error { told++; return nil }); err != nil || told != len(want) {
					t.Errorf("%d of %d objects are told as unreached, %v", told, len(want), err)
				}
			})
		}
	}
}

func formatOf(l layout) string {
	if strings.HasPrefix(l.name, "sha256") {
		return "sha256"
	}
	return "sha1"
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func spoil(t *testing.T, path, how string) {
	t.Helper()
	switch how {
	case "gone":
		remove(t, path)
	case "cut":
		overwrite(t, path, func(b []byte) []byte { return b[:len(b)-60] })
	case "garbage":
		overwrite(t, path, func(b []byte) []byte { return bytes.Repeat([]byte("garbage "), 500) })
	}
}

// What stands before the damage of such a pack is found, and that it is not all is told.
func TestDamagedPacksWithoutIndex(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(b []byte) []byte
		none   bool
		all    bool
		note   string
	}{
		"cut in half":      {func(b []byte) []byte { return b[:len(b)/2] }, false, false, "cannot be read"},
		"a byte changed":   {func(b []byte) []byte { b[len(b)/2] ^= 0x20; return b }, false, false, ""},
		"count too large":  {func(b []byte) []byte { copy(b[8:], "\xff\xff\xff\xff"); return b }, false, true, "cannot be read"},
		"count too small":  {func(b []byte) []byte { copy(b[8:], "\x00\x00\x00\x05"); return b }, false, false, ""},
		"head damaged":     {func(b []byte) []byte { b[0] = 'X'; return b }, true, false, "does not begin"},
		"first entry lies": {func(b []byte) []byte { copy(b[12:], "\xff\xff\xff\xff\xff\xff\xff\x7f"); return b }, true, false, "cannot be read"},
		"empty":            {func([]byte) []byte { return nil }, true, false, "does not begin"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := build(t, layouts()[1])
			want := everything(t, dir)
			packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
			if err != nil || len(packs) != 1 {
				t.Fatal(packs, err)
			}
			remove(t, strings.TrimSuffix(packs[0], ".pack")+".idx")
			overwrite(t, packs[0], tt.damage)
			repo, _ := open(t, dir, gitro.Limits{})
			whole := repo.WholeReader()
			t.Cleanup(func() { _ = whole.Close() })
			n := 0
			for id, content := range want {
				kind, data, err := whole.Object(parse(t, id))
				if err == nil {
					n++
					if kind.String()+" "+string(data) != content {
						t.Errorf("object %s is not as git made it", id)
					}
				}
			}
			if n < len(want) == tt.all || (n == 0) != tt.none || n != repo.Packs().Reindexed {
				t.Errorf("%d of %d objects are read, %d found", n, len(want), repo.Packs().Reindexed)
			}
			if said := fmt.Sprint(repo.Problems()); !strings.Contains(said, tt.note) || !strings.Contains(said, "has no index") {
				t.Errorf("problems %s, want %q", said, tt.note)
			}
		})
	}
}
