package build

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LargeStoreOptions say how large a checkpoint store LargeStore makes.
type LargeStoreOptions struct {
	Projects    int
	Checkpoints int // of each project
	Packed      bool
	Seed        uint64
}

// largeStoreEdition is raised when the same options come to make another store, so that those of before are not reused.
const largeStoreEdition = 1

// Fingerprint names what LargeStore makes of the options, in hexadecimal digits.
func (o LargeStoreOptions) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "store %d %+v", largeStoreEdition, o))
	return hex.EncodeToString(sum[:6])
}

// The shape of a large store: how many files a project has, spread evenly over the magnitudes; how many of them change
// from one checkpoint to the next, at most; and of which shares of the projects two are worktrees of one repository, and
// hold nested repositories.
const (
	fewestFiles   = 500
	mostFiles     = 5000
	mostEdits     = 12
	worktreeShare = 0.2
	nestedShare   = 0.15
)

// LargeStore makes the checkpoint store of an install in which agents worked on many projects: git writes it, from one
// stream for fast-import. Every project has its checkpoints in a row, each with a few changed files; some projects
// are copies of another, as worktrees are, and some have nested repositories in all or some checkpoints.
//
// dir, a store/ folder, must not exist. The same options give the same objects.
func LargeStore(ctx context.Context, dir string, o LargeStoreOptions) error {
	if o.Projects < 1 || o.Checkpoints < 1 {
		return fmt.Errorf("build large store: %d projects of %d checkpoints are none", o.Projects, o.Checkpoints)
	}
	g := &git{ctx: ctx, dir: dir}
	g.init()
	unpack := "1000000000"
	if o.Packed {
		unpack = "1"
	}
	reader, writer := io.Pipe()
	written := make(chan error, 1)
	go func() {
		w := &storeWriter{out: bufio.NewWriterSize(writer, 1<<20), rnd: rand.New(rand.NewPCG(o.Seed, largeStoreEdition)), options: o, dir: dir}
		err := w.write()
		written <- errors.Join(err, writer.CloseWithError(err))
	}()
	g.feed(reader, "-c", "fastimport.unpackLimit="+unpack, "-c", "core.fsync=none", "fast-import", "--quiet")
	_ = reader.Close() // lets go of a writer whose git has ended
	if err := errors.Join(g.err, <-written); err != nil {
		return errors.Join(fmt.Errorf("build %q: %w", dir, err), os.RemoveAll(dir))
	}
	if o.Packed {
		g.run("", "-c", "core.fsync=none", "gc", "--quiet", "--prune=now")
	}
	return g.err
}

// storeWriter writes the stream of a large store.
type storeWriter struct {
	out     *bufio.Writer
	rnd     *rand.Rand
	options LargeStoreOptions
	dir     string
	shapes  []map[string]int // files of projects that are no copies, each with the number of its content
	serial  int              // of the last content
	seconds int64            // of the last commit
}

func (w *storeWriter) write() error {
	w.seconds = 1_760_000_000
	for _, name := range []string{"projects", "indexes"} {
		if err := os.MkdirAll(filepath.Join(w.dir, name), 0o700); err != nil {
			return err
		}
	}
	for p := range w.options.Projects {
		if err := w.project(p); err != nil {
			return err
		}
	}
	return w.out.Flush()
}

// project writes one history. The stream's errors are kept by its writer until Flush.
func (w *storeWriter) project(p int) error {
	files := w.files()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	nested := w.nested(names, p == 0)
	workdir := fmt.Sprintf("/home/you/project%d", p)
	sum := sha256.Sum256([]byte(workdir))
	id := hex.EncodeToString(sum[:8])
	for c := range w.options.Checkpoints {
		w.seconds += 60
		fmt.Fprintf(w.out, "commit refs/hermes/%s\ncommitter Hermes Checkpoint <hermes@local> %d +0000\ndata 17\nbefore write_file\n", id, w.seconds)
		changed := names
		if c > 0 {
			changed = nil
			for range 1 + w.rnd.IntN(mostEdits) {
				name := names[w.rnd.IntN(len(names))]
				w.serial++
				files[name] = w.serial
				changed = append(changed, name)
			}
		}
		for _, name := range changed {
			body := content(files[name])
			fmt.Fprintf(w.out, "M 100644 inline %s\ndata %d\n%s\n", name, len(body), body)
		}
		for _, n := range nested {
			switch {
			case c == n.from:
				fmt.Fprintf(w.out, "M 160000 %s %s\n", n.commit, n.path)
			case c == n.to:
				fmt.Fprintf(w.out, "D %s\n", n.path)
			}
		}
	}
	text := fmt.Sprintf(`{"workdir": %q, "created_at": %d.0, "last_touch": %d.5}`, workdir, w.seconds-1200, w.seconds)
	return os.WriteFile(filepath.Join(w.dir, "projects", id+".json"), []byte(text), 0o600)
}

// files gives the files of a new project, or those of an earlier one.
func (w *storeWriter) files() map[string]int {
	if len(w.shapes) > 0 && w.rnd.Float64() < worktreeShare {
		own := map[string]int{}
		for name, serial := range w.shapes[w.rnd.IntN(len(w.shapes))] {
			own[name] = serial
		}
		return own
	}
	n := int(math.Exp(math.Log(fewestFiles) + w.rnd.Float64()*math.Log(mostFiles/fewestFiles)))
	folders := []string{""}
	for i := range n/9 + 1 {
		above := folders[w.rnd.IntN(len(folders))]
		if recent := len(folders) - 40; recent > 0 && w.rnd.IntN(2) == 0 {
			above = folders[recent+w.rnd.IntN(40)] // one subject grows deep before the next begins
		}
		if strings.Count(above, "/") > 6 {
			above = ""
		}
		folders = append(folders, fmt.Sprintf("%s%s%d/", above, pathWord(w.rnd), i))
	}
	shape := map[string]int{}
	for i := range n {
		w.serial++
		shape[fmt.Sprintf("%s%s_%d.py", folders[w.rnd.IntN(len(folders))], pathWord(w.rnd), i)] = w.serial
	}
	w.shapes = append(w.shapes, shape)
	own := map[string]int{}
	for name, serial := range shape {
		own[name] = serial
	}
	return own
}

// nestedRepo is recorded in the checkpoints from one on, counted from the oldest, until another.
type nestedRepo struct {
	path, commit string
	from, to     int
}

func (w *storeWriter) nested(names []string, always bool) []nestedRepo {
	if w.rnd.Float64() >= nestedShare && !always {
		return nil
	}
	var list []nestedRepo
	for i := range 1 + w.rnd.IntN(4) {
		name := names[w.rnd.IntN(len(names))]
		path := fmt.Sprintf("%snested%d", name[:strings.LastIndexByte(name, '/')+1], i)
		sum := sha256.Sum256([]byte(path))
		n := nestedRepo{path, hex.EncodeToString(sum[:20]), 0, w.options.Checkpoints}
		if w.rnd.IntN(2) == 0 {
			n.from = w.rnd.IntN(w.options.Checkpoints)
			n.to = n.from + 1 + w.rnd.IntN(w.options.Checkpoints-n.from)
		}
		list = append(list, n)
	}
	return list
}

// content is a short text of which the number is the whole origin.
func content(serial int) []byte {
	rnd := rand.New(rand.NewPCG(uint64(serial), largeStoreEdition))
	var b []byte
	for range 3 + rnd.IntN(38) {
		b = append(append(b, pathWord(rnd)...), '\n')
	}
	return fmt.Append(b, serial)
}

func pathWord(rnd *rand.Rand) string {
	words := [...]string{"core", "util", "api", "test", "data", "web", "cli", "agent", "model", "view", "docs", "lib", "task", "hook", "tool"}
	return words[rnd.IntN(len(words))]
}
