package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// TestStoreGoals measures the goals of speed and memory of checkpoint stores, as TestGoals does those of databases.
// Everything reads each unique tree once, but for `git ls-tree -r`, which is what a script would run for each checkpoint.
func TestStoreGoals(t *testing.T) {
	if os.Getenv(benchWanted) == "" {
		t.Skip("takes minutes: make bench")
	}
	if !build.HasGit() {
		t.Skip("there is no git to make stores with, and to compare with")
	}
	b := &storeBench{bench: bench{t: t, binary: benchCommand(t)}, dir: benchDir(t)}
	var stores []*checkpointStore
	for _, s := range []struct {
		name     string
		projects int
		packed   bool
	}{{"p10", 10, true}, {"p50", 50, true}, {"p200", 200, true}, {"l10", 10, false}, {"l50", 50, false}} {
		stores = append(stores, b.store(s.name, build.LargeStoreOptions{Projects: s.projects, Checkpoints: 20, Packed: s.packed, Seed: 1}))
	}
	peer := b.otherReader()
	var g goals
	var all []*run
	for _, s := range stores {
		floor, own := b.floor(s), b.child("every tree of "+s.name, "trees", s.path)
		runs, rounds := []*run{floor, own}, 11
		if peer != "" && s.options.Projects <= 50 {
			runs = append(runs, b.other(peer, s))
		}
		b.rounds(rounds, runs)
		most := 1.3
		if !s.options.Packed {
			most = 0.6
		}
		g.ratio("trees of "+s.name+" / F2", own, floor, most)
		if len(runs) > 2 {
			least := 4.0
			if !s.options.Packed {
				least = 2 // opening files costs both the same
			}
			g.atLeast("another reader of "+s.name+" / trees", runs[2], own, least)
		}
		if s.name == "p200" {
			idle := b.command("version", "version")
			scan := b.command("scan of "+s.name, "scan", "--json", "--exit-zero", filepath.Dir(s.path))
			b.rounds(3, []*run{idle, scan})
			runs = append(runs, idle, scan)
			g.line("own memory over p200", peak(own), 64, "MiB", fmt.Sprintf("%d trees", own.read))
			g.line("own memory of a scan of p200", peak(scan)-peak(idle), 64, "MiB", "beside what the idle command has")
		}
		if s.name == "p10" || s.name == "p50" {
			script := b.script(s)
			pair := []*run{script, b.child("every tree of "+s.name+", beside the script", "trees", s.path)}
			b.rounds(3, pair)
			g.atLeast("git ls-tree -r of "+s.name+" / trees", script, pair[1], 20)
			runs = append(runs, pair...)
		}
		all = append(all, runs...)
	}
	fmt.Printf("\n%-32s %9s %-4s %9s\n%s\n%s", "goal", "median", "", "wanted", g.b.String(), detail(all))
}

// storeBench holds what is measured over checkpoint stores.
type storeBench struct {
	bench
	dir string
}

// checkpointStore is one large store, kept between runs, with the list of its commits and trees that the floor is fed.
type checkpointStore struct {
	name       string
	options    build.LargeStoreOptions
	path, list string
}

// store builds a store unless an earlier run left it.
func (b *storeBench) store(name string, o build.LargeStoreOptions) *checkpointStore {
	b.t.Helper()
	s := &checkpointStore{name: name, options: o, path: filepath.Join(b.dir, name+"-"+o.Fingerprint(), "store")}
	s.list = s.path + ".trees"
	if _, err := os.Stat(s.list); err == nil {
		return s
	}
	fmt.Printf("building %s once\n", s.path)
	if err := os.RemoveAll(filepath.Dir(s.path)); err != nil { // of a build that was interrupted
		b.t.Fatal(err)
	}
	// In a child, for the sake of memory: see benchStore.ensure.
	if out, err := childCommand(b.t.Context(), "store", s.path, fmt.Sprint(o.Projects), fmt.Sprint(o.Checkpoints), fmt.Sprint(o.Packed), fmt.Sprint(o.Seed)).CombinedOutput(); err != nil {
		b.t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	out, err := b.shell(`git --git-dir "$1" rev-list --objects --no-object-names --filter=blob:none --glob='refs/hermes/*' >"$2.part" && mv "$2.part" "$2"`, s.path, s.list)(b.t.Context()).CombinedOutput()
	if err != nil {
		b.t.Fatalf("list the trees of %s: %v\n%s", name, err, out)
	}
	return s
}

func buildLargeStore(ctx context.Context, args []string, _ io.Writer) error {
	var o build.LargeStoreOptions
	for i, to := range []any{&o.Projects, &o.Checkpoints, &o.Packed, &o.Seed} {
		if _, err := fmt.Sscan(args[i+1], to); err != nil {
			return fmt.Errorf("read argument %d: %w", i+1, err)
		}
	}
	return build.LargeStore(ctx, args[0], o)
}

// shell is a command line of sh, whose arguments are "$1" and "$2".
func (b *storeBench) shell(line string, args ...string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", line, "sh"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		return cmd
	}
}

// floor is F2: git gives the same commits and trees from a list that was made before, in the order of that list. It
// writes into a pipe, as to /dev/null it need not write at all.
func (b *storeBench) floor(s *checkpointStore) *run {
	return &run{name: "F2 of " + s.name, command: b.shell(`git --git-dir "$1" cat-file --batch --buffer <"$2" | cat >/dev/null`, s.path, s.list)}
}

// script is what somebody would write: every file of every checkpoint.
func (b *storeBench) script(s *checkpointStore) *run {
	return &run{name: "git ls-tree -r of " + s.name, command: b.shell(
		`git --git-dir "$1" rev-list --glob='refs/hermes/*' | while read -r c; do git --git-dir "$1" ls-tree -r "$c"; done | cat >/dev/null`, s.path)}
}

// otherReader builds the reader of testdata/gogit, a module of its own: nothing of the library that it compares with
// is needed to build or test this one. It gives "" where the module cannot be had.
func (b *storeBench) otherReader() string {
	b.t.Helper()
	path := filepath.Join(b.dir, "gogit")
	cmd := exec.CommandContext(b.t.Context(), "go", "build", "-o", path, ".")
	cmd.Dir = filepath.Join("testdata", "gogit")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Printf("no comparison with another reader of git's formats: %v\n%s", err, out)
		return ""
	}
	return path
}

func (b *storeBench) other(binary string, s *checkpointStore) *run {
	return &run{name: "go-git over " + s.name, command: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, binary, s.path) }}
}

// everyTree opens a store as a scan does and reads every tree of every checkpoint once.
func everyTree(ctx context.Context, args []string, stdout io.Writer) (err error) {
	began := time.Now()
	b, err := unhashed(ctx, args[0], evidence.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	s := b.Checkpoints[0].Stores[0]
	debug.SetMemoryLimit(28<<20 + min(64*int64(s.Objects()), 24<<20)) // as the command does
	c, err := s.Census(ctx, evidence.CensusOptions{Workers: 2})
	if err != nil {
		return err
	}
	r := s.Reader()
	defer func() { err = errors.Join(err, r.Close()) }()
	var gitlinks int64
	for _, p := range s.Projects {
		for i := range p.Chain {
			n, ok := c.Count(r, p.Chain[i].Tree)
			if !ok || n.Damaged || n.Files < 1 {
				return fmt.Errorf("checkpoint %s was not read", p.Chain[i].ID)
			}
			gitlinks += n.Gitlinks
		}
	}
	if gitlinks == 0 || len(c.Damage()) > 0 {
		return fmt.Errorf("%d nested repositories, %d damaged trees: nothing was measured", gitlinks, len(c.Damage()))
	}
	_, err = fmt.Fprintln(stdout, time.Since(began).Seconds(), 0, c.Trees())
	return err
}

// benchCommand copies the built command, as an installation does, in small blocks. What a linker has just written lies
// in memory in blocks of 2 MiB, and Linux maps such a block as a whole: 3 MiB of a program that nobody has called would
// count as its memory, until the file is read from the disk again.
func benchCommand(t *testing.T) string {
	t.Helper()
	built := os.Getenv(benchBinary)
	if built == "" {
		built = filepath.Join("..", "bin", "hermes-doctor")
	}
	from, err := os.Open(built)
	if err != nil {
		t.Fatalf("build the command first: %v", err)
	}
	defer from.Close()
	name := filepath.Join(t.TempDir(), filepath.Base(built))
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 64<<10))
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatalf("copy the command: %v", err)
	}
	return name
}

// benchDir is where what takes long to make is kept.
func benchDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(benchFolder)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "hermes-doctor-bench")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(dir, "/")
}
