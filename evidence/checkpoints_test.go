package evidence_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// A store is found by its home, by its base, by itself, and in every profile.
func TestStoresAreFound(t *testing.T) {
	home := t.TempDir()
	initStore(t, filepath.Join(home, "checkpoints/store"))
	addProject(t, filepath.Join(home, "checkpoints/store"), "/home/you/project", 2)
	initStore(t, filepath.Join(home, "profiles/coder/checkpoints/store"))
	initStore(t, filepath.Join(home, "checkpoints/55e8fbffcaa6d84b"))
	initStore(t, filepath.Join(home, "checkpoints/legacy-20260507-101500/3e04a783f1a2adc4"))
	plant(t, filepath.Join(home, "checkpoints/legacy-20260507-101500/stray.txt"), "x")
	for path, want := range map[string][]string{
		"": {
			"checkpoints: store v2", "checkpoints: 55e8fbffcaa6d84b v1", "checkpoints: legacy-20260507-101500/3e04a783f1a2adc4 v1",
			"profiles/coder/checkpoints: store v2",
		},
		"checkpoints":                {"checkpoints: store v2", "checkpoints: 55e8fbffcaa6d84b v1", "checkpoints: legacy-20260507-101500/3e04a783f1a2adc4 v1"},
		"checkpoints/store":          {"checkpoints: store v2"},
		"profiles/coder":             {"checkpoints: store v2"},
		"profiles/coder/checkpoints": {"checkpoints: store v2"},
		"checkpoints/legacy-20260507-101500/3e04a783f1a2adc4": {"checkpoints: store v2"},
	} {
		t.Run("home/"+path, func(t *testing.T) {
			b := openCheckpoints(t, filepath.Join(home, path))
			var got []string
			for _, base := range b.Checkpoints {
				for _, s := range base.Stores {
					got = append(got, fmt.Sprintf("%s: %s v%d", base.Name, s.Name, s.Version))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stores (-want +got)\n%s", diff)
			}
		})
	}
	base := openCheckpoints(t, home).Checkpoints[0]
	if len(base.Archives) != 1 || !slices.Equal(base.Archives[0].Strays, []string{"stray.txt"}) {
		t.Errorf("archives %+v", base.Archives)
	}
}

func TestAFolderWithNothingIsRefused(t *testing.T) {
	empty, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	initStore(t, store)
	for _, tt := range []struct {
		path string
		o    evidence.Options
	}{{empty, evidence.Options{}}, {store, evidence.Options{NoCheckpoints: true}}} {
		_, err := evidence.Open(t.Context(), []string{tt.path}, tt.o)
		var in *evidence.InputError
		if !errors.As(err, &in) {
			t.Errorf("Open(%q): %v, want an *InputError", tt.path, err)
		}
	}
}

// Links in the place of a store are told and not followed.
func TestALinkedStoreIsNotFollowed(t *testing.T) {
	home, outside := t.TempDir(), t.TempDir()
	initStore(t, filepath.Join(outside, "store"))
	if err := os.Symlink(outside, filepath.Join(home, "checkpoints")); err != nil {
		t.Skip(err)
	}
	b := openCheckpoints(t, home)
	if len(b.Checkpoints) != 1 || len(b.Checkpoints[0].Stores) != 0 || len(b.Checkpoints[0].Problems) != 1 {
		t.Errorf("checkpoints %+v, want one base with a problem and no store", b.Checkpoints)
	}
	if _, _, err := b.Checkpoints[0].Footprint(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAProjectIsReadWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	initStore(t, dir)
	id := addProject(t, dir, "/home/you/project", 5)
	s := onlyStore(t, dir)
	p := project(t, s, id)
	if p.JSON != evidence.Present || p.Workdir != "/home/you/project" || p.WorkdirFrom != "json" || p.CreatedAt != 1759999000.5 ||
		p.LastTouch != 1760009000.25 || p.ParentDev != 5 || p.ParentIno != 77 || !p.HashMatches() {
		t.Errorf("json: %+v", p)
	}
	if p.RefState != evidence.RefSound || len(p.Chain) != 5 || p.ChainErr != nil {
		t.Fatalf("ref %s, %d commits, %v", p.RefState, len(p.Chain), p.ChainErr)
	}
	var got []string
	for _, c := range p.Chain {
		got = append(got, fmt.Sprintf("%s %s %d %s", c.ID, c.Tree, c.Author.When, strings.TrimSpace(string(c.Message))))
	}
	want := strings.Split(git(t, dir, "", "log", "--format=%H %T %at %s", "refs/hermes/"+id), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chain (-git +read)\n%s", diff)
	}
	c, err := s.Census(t.Context(), evidence.CensusOptions{Blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Reader()
	defer func() { _ = r.Close() }()
	if n, _ := c.Count(r, p.Chain[0].Tree); n != (evidence.TreeCount{Files: 5, Gitlinks: 1, Folders: 1}) {
		t.Errorf("newest tree counts %+v", n)
	}
	if len(s.Problems)+len(s.Config.Foreign)+len(s.Steering)+len(s.Locks) > 0 || s.Config.Flaw != "" || !s.Head.Present {
		t.Errorf("a sound store has %v %v %v %v %q", s.Problems, s.Config.Foreign, s.Steering, s.Locks, s.Config.Flaw)
	}
}

// Every state of a project's json and ref is told, and packed-refs stands in for a damaged file.
func TestProjectStates(t *testing.T) {
	const workdir = "/home/you/project"
	id := evidence.ProjectHash(workdir)
	ref := "refs/hermes/" + id
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		json   evidence.State
		ref    evidence.RefState
		chain  int
	}{
		{"sound", func(*testing.T, string) {}, evidence.Present, evidence.RefSound, 3},
		{"packed", func(t *testing.T, dir string) { git(t, dir, "", "pack-refs", "--all") }, evidence.Present, evidence.RefSound, 3},
		{"no json", func(t *testing.T, dir string) { remove(t, dir, "projects/"+id+".json") }, evidence.Absent, evidence.RefSound, 3},
		{"json empty", func(t *testing.T, dir string) { plant(t, filepath.Join(dir, "projects", id+".json"), "") }, evidence.Damaged, evidence.RefSound, 3},
		{"json is a list", func(t *testing.T, dir string) { plant(t, filepath.Join(dir, "projects", id+".json"), "[1]") }, evidence.Damaged, evidence.RefSound, 3},
		{"json with wrong types", func(t *testing.T, dir string) {
			plant(t, filepath.Join(dir, "projects", id+".json"), `{"workdir":7,"last_touch":"x"}`)
		}, evidence.Damaged, evidence.RefSound, 3},
		{"no ref", func(t *testing.T, dir string) { remove(t, dir, ref) }, evidence.Present, evidence.RefAbsent, 0},
		{"ref empty", func(t *testing.T, dir string) { plant(t, filepath.Join(dir, ref), "") }, evidence.Present, evidence.RefBroken, 0},
		{"ref empty over packed", func(t *testing.T, dir string) {
			git(t, dir, "", "pack-refs", "--all", "--no-prune")
			plant(t, filepath.Join(dir, ref), "\x00\x00")
		}, evidence.Present, evidence.RefPacked, 3},
		{"ref dangles", func(t *testing.T, dir string) { plant(t, filepath.Join(dir, ref), strings.Repeat("a", 40)+"\n") }, evidence.Present, evidence.RefDangling, 0},
		{"ref dangles over packed", func(t *testing.T, dir string) {
			git(t, dir, "", "pack-refs", "--all", "--no-prune")
			plant(t, filepath.Join(dir, ref), strings.Repeat("a", 40)+"\n")
		}, evidence.Present, evidence.RefPacked, 3},
		{"ref to a tree", func(t *testing.T, dir string) {
			plant(t, filepath.Join(dir, ref), git(t, dir, "", "rev-parse", ref+"^{tree}")+"\n")
		}, evidence.Present, evidence.RefWrong, 0},
		{"refs lost", func(t *testing.T, dir string) {
			git(t, dir, "", "pack-refs", "--all")
			if err := os.RemoveAll(filepath.Join(dir, "refs")); err != nil {
				t.Fatal(err)
			}
		}, evidence.Present, evidence.RefSound, 3},
		{"HEAD and config lost", func(t *testing.T, dir string) {
			remove(t, dir, "HEAD")
			remove(t, dir, "config")
		}, evidence.Present, evidence.RefSound, 3},
		{"parent missing", func(t *testing.T, dir string) {
			id := git(t, dir, "", "rev-parse", ref+"~1")
			remove(t, dir, "objects/"+id[:2]+"/"+id[2:])
		}, evidence.Present, evidence.RefSound, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			initStore(t, dir)
			addProject(t, dir, workdir, 3)
			tt.damage(t, dir)
			p := project(t, onlyStore(t, dir), id)
			if p.JSON != tt.json || p.RefState != tt.ref || len(p.Chain) != tt.chain {
				t.Errorf("json %s (%s), ref %s (%s), %d commits; want %s, %s, %d", p.JSON, p.JSONFlaw, p.RefState, p.RefFlaw, len(p.Chain), tt.json, tt.ref, tt.chain)
			}
			if (p.RefFlaw == "") != (tt.ref == evidence.RefSound || tt.ref == evidence.RefAbsent) || (p.JSONFlaw == "") != (tt.json != evidence.Damaged) {
				t.Errorf("flaws %q and %q do not fit %s and %s", p.RefFlaw, p.JSONFlaw, tt.ref, tt.json)
			}
			if (p.ChainErr != nil) != (tt.name == "parent missing") {
				t.Errorf("the chain ends with %v", p.ChainErr)
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestRepositoriesOfTheFirstLayout(t *testing.T) {
	base := t.TempDir()
	const workdir = "/home/you/project"
	id := evidence.ProjectHash(workdir)
	dir := filepath.Join(base, id)
	git(t, dir, "", "init", "-q", "-b", "trunk")
	addCommits(t, dir, "refs/heads/trunk", 4)
	git(t, dir, "", "config", "core.bare", "false")
	git(t, dir, "", "config", "core.worktree", workdir)
	for _, lost := range []string{"", "HERMES_WORKDIR", "HEAD"} {
		t.Run("without "+lost, func(t *testing.T) {
			plant(t, filepath.Join(dir, "HERMES_WORKDIR"), workdir+"\n")
			if lost != "" {
				remove(t, dir, lost)
			}
			b := openCheckpoints(t, base)
			s := b.Checkpoints[0].Stores[0]
			p := project(t, s, id)
			if s.Version != 1 || p.Workdir != workdir || len(p.Chain) != 4 || !p.HashMatches() {
				t.Errorf("version %d, workdir %q from %s, %d commits", s.Version, p.Workdir, p.WorkdirFrom, len(p.Chain))
			}
			if len(s.Config.Foreign) > 0 {
				t.Errorf("foreign settings %v", s.Config.Foreign)
			}
		})
	}
}

// What no chain leads to is found: here the commits that a trim cut off.
func TestUnreachable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	initStore(t, dir)
	id := addProject(t, dir, "/home/you/project", 6)
	ref := "refs/hermes/" + id
	lost := strings.Split(git(t, dir, "", "rev-list", ref, "^"+ref+"~2"), "\n")
	git(t, dir, "", "update-ref", ref, ref+"~2")
	s := onlyStore(t, dir)
	c, err := s.Census(t.Context(), evidence.CensusOptions{Blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Unreachable(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, commit := range u.Commits {
		got = append(got, commit.ID.String())
	}
	if diff := cmp.Diff(lost, got); diff != "" || len(u.Damaged) > 0 {
		t.Errorf("damaged %v, unreachable (-git +read)\n%s", u.Damaged, diff)
	}
}

// What lies beyond the checkpoints that are followed is no lost history: something leads to it.
func TestLongHistoryIsNotLost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	initStore(t, dir)
	id := addProject(t, dir, "/home/you/project", 0)
	var stream strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&stream, "commit refs/hermes/%s\ncommitter Hermes Checkpoint <hermes@local> %d +0000\ndata 17\nbefore write_file\n", id, 1_760_000_000+i)
	}
	git(t, dir, stream.String(), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
	trimmed := git(t, dir, "", "rev-parse", "refs/hermes/"+id)
	git(t, dir, "", "update-ref", "refs/hermes/"+id, trimmed+"~1")
	s := onlyStore(t, dir)
	if e := project(t, s, id).ChainErr; e == nil || e.Fault != evidence.ObjectLimit {
		t.Fatalf("the history ends with %v, want the limit", e)
	}
	c, err := s.Census(t.Context(), evidence.CensusOptions{Blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Unreachable(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Commits) != 1 || u.Commits[0].ID.String() != trimmed {
		t.Errorf("%d commits are called unreachable, want only %s", len(u.Commits), trimmed)
	}
}

// A sound pack verifies, a flipped byte in it does not, and a file without a byte is told without being read.
func TestVerifyPacksAndEmptyObjects(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "store")
	initStore(t, dir)
	id := addProject(t, dir, "/home/you/project", 3)
	git(t, dir, "", "repack", "-q", "-a") // keeps the loose ones
	blob := git(t, dir, "", "rev-parse", "refs/hermes/"+id+":src/f1.txt")
	file := "objects/" + blob[:2] + "/" + blob[2:]
	remove(t, dir, file)
	plant(t, filepath.Join(dir, file), "")
	for _, path := range []string{base, dir} {
		s := onlyStore(t, path)
		ids, err := s.EmptyObjects(t.Context())
		if err != nil || len(ids) != 1 || ids[0].String() != blob {
			t.Errorf("empty objects of %q: %v, %v; want %s", path, ids, err, blob)
		}
		if problems, err := s.VerifyPacks(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("VerifyPacks of a sound pack: %v, %v", problems, err)
		}
	}
	packs, err := filepath.Glob(filepath.Join(dir, "objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	data := read(t, packs[0])
	data[len(data)/2] ^= 1
	remove(t, packs[0], "")
	plant(t, packs[0], string(data))
	problems, err := onlyStore(t, dir).VerifyPacks(t.Context())
	if err != nil || len(problems) != 1 || problems[0].Fault != evidence.ObjectMismatch {
		t.Errorf("VerifyPacks of a damaged pack: %v, %v", problems, err)
	}
}
