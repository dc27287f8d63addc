package contents

import (
	"context"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// FolderDifference is what DiffFolder found.
type FolderDifference struct {
	Difference
	Unlike  []string // paths of both that could not be compared: unreadable, or not a file or link
	Left    int      // files of the folder that no checkpoint would take in, by the lists that it obeys
	Skipped []string // nested repositories of the checkpoint: what stands there today is not compared
}

// DiffFolder compares a tree with a working directory of today: From is the checkpoint, To the folder. Today must
// know the content of every path of the tree. Attributes such as "text" are not applied: a file that they change is
// called modified.
func DiffFolder(ctx context.Context, s *evidence.CheckpointStore, r *evidence.ObjectReader, tree evidence.ObjectID, today *rollback.Today) (*FolderDifference, error) {
	out := &FolderDifference{}
	seen := map[string]bool{}
	var nested []string
	err := r.Walk(ctx, tree, evidence.WalkOptions{}, func(path []byte, te evidence.TreeEntry, err error) error {
		e := Entry{string(path), te.Mode.Canonical(), te.ID}
		switch {
		case err != nil:
			out.Unread = append(out.Unread, Unread{e.Path, fault(err)})
		case e.Kind() == Folder || seen[e.Path]:
		case e.Kind() == Nested:
			seen[e.Path] = true
			nested = append(nested, e.Path+"/")
			out.nested(e, today)
		default:
			seen[e.Path] = true
			out.file(e, today)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ignores := NewIgnores(s, r, tree)
	for path, now := range today.Paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if seen[path] || now.Kind == rollback.Folder || now.Kind == rollback.Special || below(nested, path) || out.hidden(path) {
			continue
		}
		if ignores.Match(path, false) != nil {
			out.Left++
			continue
		}
		to := todayEntry(path, now)
		out.Changes = append(out.Changes, Change{path, Added, nil, &to})
	}
	out.sort()
	return out, nil
}

func (d *FolderDifference) nested(e Entry, today *rollback.Today) {
	now, ok := today.Paths[e.Path]
	switch {
	case !ok:
		d.Changes = append(d.Changes, Change{e.Path, Removed, &e, nil})
	case now.Kind == rollback.Folder:
		d.Skipped = append(d.Skipped, e.Path)
	default:
		to := todayEntry(e.Path, now)
		d.Changes = append(d.Changes, Change{e.Path, Retyped, &e, &to})
	}
}

func (d *FolderDifference) file(e Entry, today *rollback.Today) {
	now, ok := today.Paths[e.Path]
	switch {
	case !ok:
		d.Changes = append(d.Changes, Change{e.Path, Removed, &e, nil})
		return
	case now.Kind == rollback.Special, now.Kind != rollback.Folder && now.ID == "":
		d.Unlike = append(d.Unlike, e.Path)
		return
	}
	to := todayEntry(e.Path, now)
	if now.Kind == rollback.Folder {
		d.Changes = append(d.Changes, Change{e.Path, Retyped, &e, &to})
	} else if kind := changed(e, to); kind != "" {
		d.Changes = append(d.Changes, Change{e.Path, kind, &e, &to})
	}
}

// hidden says that a folder above the path could not be read in the checkpoint: the path may be recorded there.
func (d *FolderDifference) hidden(path string) bool {
	for _, u := range d.Unread {
		if u.Path == "" || strings.HasPrefix(path, u.Path+"/") {
			return true
		}
	}
	return false
}

func below(folders []string, path string) bool {
	for _, f := range folders {
		if strings.HasPrefix(path, f) {
			return true
		}
	}
	return false
}

func todayEntry(path string, now rollback.Now) Entry {
	e := Entry{Path: path, Mode: evidence.TreeMode(now.Mode)}
	switch now.Kind {
	case rollback.Folder:
		e.Mode = evidence.ModeTree
	case rollback.Link:
		e.Mode = evidence.ModeLink
	}
	e.ID, _ = evidence.ParseObjectID(now.ID) // not known where the content was not read
	return e
}
