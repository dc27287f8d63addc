package corpus_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// TestMain lets this binary be its own child: a goal that compares with another process is measured as a process.
func TestMain(m *testing.M) {
	if task := os.Getenv(benchChild); task != "" {
		os.Exit(beChild(context.Background(), task, os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// The variables that steer TestGoals; the Makefile sets the first two.
const (
	benchWanted = "BENCH"       // any text: measure
	benchBinary = "BENCH_BIN"   // the command; "" = bin/hermes-doctor of this module
	benchFolder = "BENCH_DIR"   // where the large stores are kept; "" = a folder below os.TempDir()
	benchChild  = "BENCH_CHILD" // set for children only: what to do
)

// TestGoals measures the goals of speed and memory and prints each with what was reached. Only a ratio of two things
// that were measured in turn, in one run, says anything on a machine that is shared; so a missed goal is printed, and
// fails nothing.
func TestGoals(t *testing.T) {
	if os.Getenv(benchWanted) == "" {
		t.Skip("takes minutes: make bench")
	}
	b := newBench(t)
	fmt.Printf("%s/%s, %d CPUs, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.peer)
	for _, s := range []*benchStore{&b.small, &b.medium, &b.quarter} {
		fmt.Printf("%s  %s: %d sessions, %d messages, %.0f MB\n", s.name, s.path, s.options.Sessions, s.options.Messages, float64(s.bytes())/1e6)
	}
	quick := []*run{
		b.floor(&b.medium), b.facts(&b.medium), b.facts(&b.quarter), b.whole(&b.medium),
		b.floor(&b.small), b.facts(&b.small), b.command("version", "version"), b.scan("a tiny file", b.tiny),
	}
	b.rounds(15, quick)
	floor, facts, quarter, whole, version, tiny := quick[0], quick[1], quick[2], quick[3], quick[6], quick[7]
	slow := []*run{b.child("two SHA-256 passes of M", "sha256", b.medium.path), b.scan("M", b.medium.path)}
	b.rounds(5, slow)
	hashes, scan := slow[0], slow[1]
	logged := []*run{b.child("a gigabyte of logs", "logs", b.logs), b.scan("a home with such logs", b.logs)}
	if grep := b.countLines(b.logs); grep != nil {
		logged = append(logged, grep)
	}
	b.rounds(7, logged)

	var g goals
	g.ratio("fact pass of M / F1", facts, floor, 2.5)
	g.ratio("all but hashes and texts / F1", whole, floor, 5)
	g.ratio("scan of M / two SHA-256 passes", scan, hashes, 1.25)
	g.ratio("fact pass of M / of Q", facts, quarter, 4.6)
	g.line("most memory of a scan of M", peak(scan), 32+300*float64(b.medium.options.Sessions)/(1<<20), "MiB", "32 MiB and 300 bytes a session")
	if len(logged) > 2 {
		g.ratio("a gigabyte of logs / grep -c", logged[0], logged[2], 2)
		g.ratio("scan with such logs / grep -c", logged[1], logged[2], 2)
	}
	g.line("version", 1000*median(version.seconds), 20, "ms", "")
	g.line("scan of a tiny file", 1000*median(tiny.seconds), 20, "ms", "")
	fmt.Printf("\n%-34s %9s %-4s %9s\n%s\n%s", "goal", "median", "", "wanted", g.b.String(), detail(slices.Concat(quick, slow, logged)))
}

// benchStore is one large store, kept between runs.
type benchStore struct {
	name    string
	options build.LargeOptions
	path    string
}

func (s *benchStore) bytes() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// ensure builds the store unless an earlier run left one of the same options.
func (s *benchStore) ensure(t *testing.T, dir string) {
	t.Helper()
	mark, err := s.options.Fingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.path = filepath.Join(dir, s.name+"-"+mark+".db")
	if s.bytes() > 0 {
		return
	}
	fmt.Printf("building %s once\n", s.path)
	part := s.path + ".part"
	if err := os.RemoveAll(part); err != nil { // of a build that was interrupted
		t.Fatal(err)
	}
	o := s.options
	// In a child, at the lowest priority: what a process used before it starts another counts as the other's memory.
	cmd := childCommand(t.Context(), "build", part, fmt.Sprint(o.Sessions), fmt.Sprint(o.Messages), fmt.Sprint(o.OrphanShare), fmt.Sprint(o.Unit), fmt.Sprint(o.Seed))
	if nice, err := exec.LookPath("nice"); err == nil {
		cmd.Path, cmd.Args = nice, append([]string{nice, "-n", "19", os.Args[0]}, cmd.Args[1:]...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", s.name, err, out)
	}
	if err := os.Rename(part, s.path); err != nil {
		t.Fatal(err)
	}
}

// bench holds what is measured.
type bench struct {
	t                      *testing.T
	binary, sqlite3        string // sqlite3 is "" where there is none in PATH
	peer                   string // what F1 is measured with
	small, medium, quarter benchStore
	tiny                   string
	logs                   string // a home
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, binary: benchCommand(t)}
	b.peer = "F1 by go-sqlite3 in a child of this binary: no sqlite3 in PATH"
	if path, err := exec.LookPath("sqlite3"); err == nil {
		out, err := exec.CommandContext(t.Context(), path, "--version").Output()
		if err != nil {
			t.Fatal(err)
		}
		version, _, _ := strings.Cut(string(out), " ")
		b.sqlite3, b.peer = path, "F1 by sqlite3 "+version
	}
	dir := benchDir(t)
	store := func(name string, sessions, messages int) benchStore {
		s := benchStore{name: name, options: build.LargeOptions{Sessions: sessions, Messages: messages, OrphanShare: 0.05, Unit: 250, Seed: 1}}
		s.ensure(t, dir)
		return s
	}
	b.small, b.quarter, b.medium = store("S", 2_000, 100_000), store("Q", 5_000, 250_000), store("M", 20_000, 1_000_000)
	b.logs = b.logged(dir)
	b.tiny = filepath.Join(t.TempDir(), "state.db")
	if err := build.Write(t.Context(), b.tiny, build.Store{Schema: "25", Journal: build.Delete, Rows: tinyRows()}); err != nil {
		t.Fatal(err)
	}
	return b
}

// tinyRows is one conversation.
func tinyRows() []build.Row {
	rows := []build.Row{{Table: "sessions", Columns: []string{"id", "source", "session_key", "started_at", "message_count"},
		Values: []any{"a", "telegram", "agent:main:telegram:dm:1", 1_790_000_000.0, int64(2)}}}
	for i, role := range []string{"user", "assistant"} {
		rows = append(rows, build.Row{Table: "messages", Columns: []string{"session_id", "role", "content", "timestamp"},
			Values: []any{"a", role, "text", 1_790_000_001.0 + float64(i)}})
	}
	return rows
}

// floor is F1: what C needs to look at every session row and seek its newest message.
func (b *bench) floor(s *benchStore) *run {
	if b.sqlite3 == "" {
		return b.child("F1 of "+s.name, "f1", s.path)
	}
	return &run{name: "F1 of " + s.name, command: func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, b.sqlite3, s.path, floorQuery)
	}}
}

func (b *bench) facts(s *benchStore) *run { return b.child("fact pass of "+s.name, "facts", s.path) }

func (b *bench) whole(s *benchStore) *run {
	return b.child("all but hashes and texts of "+s.name, "whole", s.path)
}

// child is a task of this binary.
func (b *bench) child(name, task, path string) *run {
	return &run{name: name, reports: task == "facts" || task == "whole" || task == "logs" || task == "trees", command: func(ctx context.Context) *exec.Cmd {
		return childCommand(ctx, task, path)
	}}
}

// command is a run of the built command.
func (b *bench) command(name string, args ...string) *run {
	return &run{name: name, command: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, b.binary, args...) }}
}

// scan is a whole default scan; that it finds something is no failure.
func (b *bench) scan(name, path string) *run {
	return b.command("scan of "+name, "scan", "--json", "--exit-zero", path)
}

// rounds measures all runs in turn, n times; a first round warms the page cache up and does not count.
func (b *bench) rounds(n int, runs []*run) {
	b.t.Helper()
	for i := range n + 1 {
		for _, r := range runs {
			if err := r.once(b.t.Context(), i > 0); err != nil {
				b.t.Fatalf("%s: %v", r.name, err)
			}
		}
	}
}
