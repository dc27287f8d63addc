package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// Folder delivers a plan into a new folder, which only its owner may enter. A folder that is there already is refused
// with fs.ErrExist. With an error, nothing is left.
func Folder(ctx context.Context, r Source, plan *contents.Plan, dir string) (_ *Outcome, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the folder: %w", err), os.Remove(dir))
	}
	w := &folderWriter{r: r, root: root, out: begin(plan)}
	err = w.all(ctx, plan)
	if err != nil {
		for _, top := range w.tops {
			err = errors.Join(err, root.RemoveAll(top))
		}
	}
	if closing := root.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	return w.out, nil
}

type folderWriter struct {
	r    Source
	root *os.Root
	out  *Outcome
	tops []string // what was made in the folder itself
}

// all writes folders and files first: as long as there is no link, no name can lead through one.
func (w *folderWriter) all(ctx context.Context, plan *contents.Plan) error {
	do := func(make func(contents.Item) error) func(contents.Item) error {
		return func(i contents.Item) error {
			if err := make(i); err != nil {
				return w.out.fail(i, err)
			}
			return nil
		}
	}
	if err := each(ctx, plan, do(w.folder), contents.Folder); err != nil {
		return err
	}
	if err := each(ctx, plan, do(w.file), contents.File, contents.Executable); err != nil {
		return err
	}
	return each(ctx, plan, do(w.link), contents.Link)
}

func (w *folderWriter) folder(i contents.Item) error {
	if err := w.root.Mkdir(i.Target, 0o755); err != nil {
		return unheld(err)
	}
	w.made(i.Target)
	w.out.Folders++
	return nil
}

func (w *folderWriter) file(i contents.Item) (err error) {
	f, err := w.root.OpenFile(i.Target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return unheld(err)
	}
	w.made(i.Target)
	n, err := w.r.Blob(i.ID, f)
	if err == nil {
		err = f.Chmod(permission(i))
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		if removing := w.root.Remove(i.Target); removing != nil {
			return fmt.Errorf("take back what is not whole: %w", removing)
		}
		return err
	}
	w.out.Files++
	w.out.Bytes += n
	return nil
}

func (w *folderWriter) link(i contents.Item) error {
	target, err := linkTarget(w.r, i.ID)
	if err != nil {
		return err
	}
	if err := w.root.Symlink(target, i.Target); err != nil {
		return unheld(err)
	}
	w.made(i.Target)
	w.out.Links++
	return nil
}

func (w *folderWriter) made(target string) {
	if !strings.Contains(target, "/") {
		w.tops = append(w.tops, target)
	}
}

// permission is the mode of a recorded file: git keeps no more of it than whether its owner may run it.
func permission(i contents.Item) os.FileMode {
	if i.Kind() == contents.Executable {
		return 0o755
	}
	return 0o644
}

// unheld makes a refusal of an error about a name; the path in it is that of the report anyway.
func unheld(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	if full(err) {
		return err
	}
	return &refusal{"this system does not take the name: " + err.Error()}
}
