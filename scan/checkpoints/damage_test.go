package checkpoints_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// loss is a Damage as a plain value.
type loss struct {
	ID, Kind, Path         string
	Fault                  evidence.ObjectFault
	Newest, Oldest, Number int
}

func losses(s *checkpoints.Store) (list []loss) {
	for _, d := range s.Damage {
		list = append(list, loss{d.Err.ID.String(), d.Kind.String(), d.Path, d.Err.Fault, d.Newest, d.Oldest, d.Number})
	}
	return list
}

func TestDamage(t *testing.T) {
	ref := "refs/hermes/0000000000000001"
	empty := func(path string) error { return os.Truncate(path, 0) }
	// The last bytes are the checksum: the head still reads.
	tail := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data[len(data)-1] ^= 0xff
		return os.WriteFile(path, data, 0o600)
	}
	tests := []struct {
		name   string
		rev    string
		change func(path string) error
		deep   bool
		want   []loss
	}{
		{"blob gone", ref + "~2:src/b", os.Remove, false, []loss{{Kind: "blob", Path: "src/b", Fault: evidence.ObjectMissing, Newest: 2, Oldest: 3, Number: 2}}},
		{"blob empty", ref + ":c", empty, false, []loss{{Kind: "blob", Path: "c", Fault: evidence.ObjectEmpty, Newest: 1, Oldest: 1, Number: 1}}},
		{"blob damaged at its end", ref + ":c", tail, true, []loss{{Kind: "blob", Path: "c", Fault: evidence.ObjectCorrupt, Newest: 1, Oldest: 1, Number: 1}}},
		{"blob damaged at its end, not deep", ref + ":c", tail, false, nil},
		{"tree gone", ref + "~1:src", os.Remove, false, []loss{{Kind: "tree", Path: "src", Fault: evidence.ObjectMissing, Newest: 2, Oldest: 3, Number: 2}}},
		{"root gone", ref + "^{tree}", os.Remove, false, []loss{{Kind: "tree", Fault: evidence.ObjectMissing, Newest: 1, Oldest: 1, Number: 1}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStore(t, "sha1")
			s.take(
				commit{ref, "1", file("100644", "a", "one") + file("100644", "src/b", "two")},
				commit{ref, "2", file("100644", "a", "three")},
				commit{ref, "3", file("100644", "src/b", "four") + file("100644", "c", "five, a text of some length")},
			)
			id := s.damage(test.rev, test.change)
			for i := range test.want {
				test.want[i].ID = id
			}
			audit := s.read(checkpoints.Options{Objects: true, Deep: test.deep})
			if diff := cmp.Diff(test.want, losses(audit.Stores[0])); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}

// What no ref leads to any more is found again: the newest of each history, without what lies behind it or was only
// written anew.
func TestLostTips(t *testing.T) {
	const gone, kept, other = "refs/hermes/0000000000000001", "refs/hermes/0000000000000002", "refs/hermes/0000000000000003"
	shared := file("100644", "b", "b") + file("100644", "c", "c")
	s := newStore(t, "sha1")
	s.take(
		commit{gone, "1", file("100644", "x", "1")}, commit{gone, "2", file("100644", "x", "2")},
		commit{kept, "1", shared + file("100644", "a", "1")}, commit{kept, "2", file("100644", "a", "2")}, commit{kept, "3", file("100644", "a", "3")},
		commit{other, "1", file("100644", "o", "1")},
	)
	tip := strings.TrimSpace(s.git("", "rev-parse", gone))
	dropped := strings.TrimSpace(s.git("", "rev-parse", kept+"~2"))
	s.git("", "update-ref", "-d", gone)
	// Trimming: the newest two trees are committed anew, and the ref moves.
	env := []string{"-c", "user.name=x", "-c", "user.email=x@x"}
	again := strings.TrimSpace(s.git("", append(env, "commit-tree", "-m", "2", kept+"~1^{tree}")...))
	again = strings.TrimSpace(s.git("", append(env, "commit-tree", "-m", "3", "-p", again, kept+"^{tree}")...))
	s.git("", "update-ref", kept, again)
	audit := s.read(checkpoints.Options{Objects: true}).Stores[0]
	got := map[string]string{}
	for _, tip := range audit.LostTips() {
		got[tip.Commit.ID.String()] = ""
		if tip.Like != nil {
			got[tip.Commit.ID.String()] = "refs/hermes/" + tip.Like.Source.ID
		}
	}
	if diff := cmp.Diff(map[string]string{tip: "", dropped: kept}, got); diff != "" {
		t.Errorf("tips and what they are like (-want +got):\n%s", diff)
	}
	for _, p := range audit.Projects {
		if "refs/hermes/"+p.Source.ID != other {
			continue
		}
		if may := audit.LostFor(p); len(may) != 1 || may[0].Commit.ID.String() != tip {
			t.Errorf("%d lost tips may be those of a project that is like none, want the one that is like no other", len(may))
		}
	}
}

// In a store that is packed in part, an empty loose file is found beside the pack, and damage within the pack with Deep.
func TestDamageBesidePack(t *testing.T) {
	const ref = "refs/hermes/0000000000000001"
	s := newStore(t, "sha1")
	s.take(commit{ref, "1", file("100644", "packed", strings.Repeat("a text that is packed\n", 20))})
	s.git("", "repack", "-a", "-d", "-q")
	s.take(commit{ref + "0", "2", file("100644", "loose", "a text of its own") + file("100644", "packed", strings.Repeat("a text that is packed\n", 20))})
	loose := s.damage(ref+"0:loose", func(path string) error { return os.Truncate(path, 0) })
	s.git("", "update-ref", ref, ref+"0")
	s.git("", "update-ref", "-d", ref+"0")
	packed := strings.TrimSpace(s.git("", "rev-parse", ref+":packed"))
	spoil(t, s, packed)
	want := []loss{{ID: loose, Kind: "blob", Path: "loose", Fault: evidence.ObjectEmpty, Newest: 1, Oldest: 1, Number: 1}}
	if diff := cmp.Diff(want, losses(s.read(checkpoints.Options{Objects: true}).Stores[0])); diff != "" {
		t.Errorf("losses (-want +got):\n%s", diff)
	}
	want = append(want, loss{ID: packed, Kind: "blob", Path: "packed", Fault: evidence.ObjectCorrupt, Newest: 1, Oldest: 1, Number: 1})
	if diff := cmp.Diff(want, losses(s.read(checkpoints.Options{Objects: true, Deep: true}).Stores[0])); diff != "" {
		t.Errorf("losses with Deep (-want +got):\n%s", diff)
	}
}

// spoil flips the last bytes of an object in the only pack.
func spoil(t *testing.T, s *store, id string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(s.dir, "objects", "pack", "pack-*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %q, %v", packs, err)
	}
	var size, offset int
	for line := range strings.Lines(s.git("", "verify-pack", "-v", strings.TrimSuffix(packs[0], ".pack")+".idx")) {
		if words := strings.Fields(line); len(words) == 5 && words[0] == id {
			if size, err = strconv.Atoi(words[3]); err != nil {
				t.Fatal(err)
			}
			if offset, err = strconv.Atoi(words[4]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if size == 0 {
		t.Fatalf("%s is not in the pack", id)
	}
	data, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 { // the checksum of the deflated data
		data[offset+size-1-i] ^= 0xff
	}
	if err := os.Chmod(packs[0], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packs[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
}
