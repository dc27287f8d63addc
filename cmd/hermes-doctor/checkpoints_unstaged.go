package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// unstaged finds the files of the ledger that git does not see: it ignores them, or they lie in a repository. What the
// newest checkpoint has it goes on seeing (spec/checkpoint-store.md 3.2, 3.3).
func (w *workdirReader) unstaged(ctx context.Context, q workdirQuestion) error {
	if len(q.ledger) == 0 || len(q.project.Chain) == 0 {
		return nil
	}
	tracked, folders := map[string]bool{}, map[string]bool{}
	err := q.reader.Walk(ctx, q.project.Chain[0].Tree, evidence.WalkOptions{}, func(path []byte, e evidence.TreeEntry, _ error) error {
		if e.Mode.Canonical() == evidence.ModeTree {
			folders[string(path)] = true
		} else if e.Mode.Canonical() != evidence.ModeGitlink {
			tracked[string(path)] = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the newest checkpoint: %w", err)
	}
	ignores := contents.NewIgnoresOf(q.project.Store, w.ignoreFile)
	w.out.Unstaged = map[string]rollback.KeptReason{}
	for name := range q.ledger {
		if _, there := w.out.Paths[name]; !there || tracked[name] {
			continue
		}
		if w.inNested(name, folders) {
			w.out.Unstaged[name] = rollback.InNested
		} else if ignores.Match(name, false) != nil {
			w.out.Unstaged[name] = rollback.Ignored
		}
	}
	return ctx.Err()
}

// inNested says whether a folder above a file is a repository that git records as one: a folder of which files were
// captured before stays a folder of files.
func (w *workdirReader) inNested(name string, folders map[string]bool) bool {
	for i := range name {
		if name[i] == '/' && w.nested[name[:i]] && !folders[name[:i]] {
			return true
		}
	}
	return false
}

// ignoreFile reads a .gitignore. git follows no link there.
func (w *workdirReader) ignoreFile(name string) ([]byte, bool) {
	now, ok := w.out.Paths[name]
	if !ok || now.Kind != rollback.Plain || now.Size > contents.IgnoreBytes {
		return nil, false
	}
	f, err := w.root.Open(name)
	if err != nil {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(f, contents.IgnoreBytes))
	return data, errors.Join(err, f.Close()) == nil
}

// repository says whether git takes what is called .git for that of a repository: a folder with a HEAD, or a file that
// names one. An empty folder is none.
func (w *workdirReader) repository(name string, e fs.DirEntry) bool {
	if e.Type().IsRegular() {
		return true
	}
	_, err := w.root.Lstat(path.Join(name, "HEAD"))
	return e.IsDir() && err == nil
}
