package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// agentLedger gives the files that the agent wrote, by their path below the working directory.
func agentLedger(p *evidence.CheckpointProject, platform rollback.Platform) map[string]string {
	out := map[string]string{}
	for _, l := range p.Store.Ledgers {
		if l.ID != p.ID || p.Workdir == "" {
			continue
		}
		for _, e := range l.Entries {
			rest, ok := strings.CutPrefix(e.Path, p.Workdir)
			if platform == rollback.Windows {
				rest = strings.ReplaceAll(rest, `\`, "/")
			}
			if name, below := strings.CutPrefix(rest, "/"); ok && below && e.SHA256 != "" {
				out[name] = e.SHA256
			}
		}
	}
	return out
}

// today reads a working directory: kinds and links of everything but git's own folders, and the content of the files
// that the checkpoint or the ledger knows. Links are not followed. A file that cannot be read counts as changed.
func (c *console) today(cc *cli.Context, q workdirQuestion) (_ *rollback.Today, err error) {
	dir, known := q.dir, map[string]bool{}
	for name := range q.ledger {
		known[name] = true
	}
	err = q.reader.Walk(cc.Context, q.tree, evidence.WalkOptions{}, func(path []byte, _ evidence.TreeEntry, _ error) error {
		known[string(path)] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the checkpoint: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usageError{what: fmt.Sprintf("--workdir %q: %v", dir, reason(err)), try: "the folder that the project's files are in today"}
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	out := &rollback.Today{Paths: map[string]rollback.Now{}, MaxFileSize: q.settings.FileLimit()}
	if out.Root, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("place --workdir: %w", err)
	}
	w := &workdirReader{root: root, nested: map[string]bool{}, known: known, format: q.project.Store.Format, out: out, note: func(name string, err error) {
		c.note(cc, "%s is not read: %v", name, reason(err))
	}}
	if err := w.folder(cc.Context, "."); err != nil {
		return nil, err
	}
	return out, w.unstaged(cc.Context, q)
}

// workdirQuestion says which working directory is read, and for what.
type workdirQuestion struct {
	dir      string
	reader   *evidence.ObjectReader
	tree     evidence.ObjectID // of the checkpoint
	project  *evidence.CheckpointProject
	ledger   map[string]string // as agentLedger gives it; nil = nobody asks
	settings contents.Settings
}

// workdirReader fills a rollback.Today.
type workdirReader struct {
	root   *os.Root
	known  map[string]bool
	format evidence.ObjectFormat
	out    *rollback.Today
	nested map[string]bool // folders that are repositories
	note   func(name string, err error)
}

// folder reads one folder and all below it. Only the end of ctx is an error.
func (w *workdirReader) folder(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := w.root.Open(dir)
	if err != nil {
		w.note(dir, err)
		return nil
	}
	entries, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		w.note(dir, err)
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), ".git") {
			if dir != "." && w.repository(path.Join(dir, e.Name()), e) {
				w.nested[dir] = true
			}
			continue
		}
		name := path.Join(dir, e.Name())
		now, err := w.entry(name, e)
		if err != nil {
			w.note(name, err)
		}
		w.out.Paths[name] = now
		if now.Kind != rollback.Folder {
			continue
		}
		if err := w.folder(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// entry describes one name. With an error, what could not be read is left blank.
func (w *workdirReader) entry(name string, e fs.DirEntry) (rollback.Now, error) {
	now := rollback.Now{Kind: rollback.Special}
	switch e.Type() {
	case fs.ModeDir:
		now.Kind = rollback.Folder
	case fs.ModeSymlink:
		now.Kind = rollback.Link
		target, err := w.root.Readlink(name)
		if err != nil {
			return now, err
		}
		now.Target = target
		blob := w.blob(int64(len(target)))
		_, _ = io.WriteString(blob, target) // a hash never fails
		now.ID = hex.EncodeToString(blob.Sum(nil))
	case 0:
		now.Kind = rollback.Plain
		info, err := e.Info()
		if err != nil {
			return now, err
		}
		now.Size = info.Size()
		if filepath.Separator == '/' { // elsewhere files have no such bit, and git leaves the recorded one alone
			now.Mode = rollback.Regular
			if info.Mode()&0o100 != 0 {
				now.Mode = rollback.Executable
			}
		}
		if w.known[name] {
			return now, w.content(name, &now)
		}
	}
	return now, nil
}

// content hashes a file both ways: as the store names it, and as the ledger does.
func (w *workdirReader) content(name string, now *rollback.Now) error {
	f, err := w.root.Open(name)
	if err != nil {
		return err
	}
	blob, plain := w.blob(now.Size), sha256.New()
	n, err := io.Copy(io.MultiWriter(blob, plain), io.LimitReader(f, now.Size+1))
	if err == nil && n != now.Size {
		err = errors.New("it changed while it was read")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	now.ID, now.SHA256 = hex.EncodeToString(blob.Sum(nil)), hex.EncodeToString(plain.Sum(nil))
	return nil
}

// blob begins the hash that the store would give a content of this size.
func (w *workdirReader) blob(size int64) hash.Hash {
	h := sha1.New()
	if w.format.Size() == sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}
