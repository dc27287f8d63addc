package contents

import (
	"bytes"
	"errors"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Entry is one entry of a checkpoint by its full path.
type Entry struct {
	Path string // bytes as recorded, slashes between folders
	Mode evidence.TreeMode
	ID   evidence.ObjectID
}

// Kind is what an entry is, in one word.
type Kind string

// The kinds of entries.
const (
	File       Kind = "file"
	Executable Kind = "executable"
	Link       Kind = "link"   // a symbolic link; its blob is the target
	Nested     Kind = "nested" // a nested repository: nothing of it is in the store
	Folder     Kind = "folder"
)

// Kind names the entry's mode.
func (e Entry) Kind() Kind {
	switch e.Mode.Canonical() {
	case evidence.ModeTree:
		return Folder
	case evidence.ModeGitlink:
		return Nested
	case evidence.ModeLink:
		return Link
	case evidence.ModeExec:
		return Executable
	}
	return File
}

// State is what a checkpoint knows of one path.
type State string

// The states of a path.
const (
	Recorded State = "recorded" // an entry, which may be a folder
	Unknown  State = "absent"   // no entry
	InNested State = "nested"   // it is, or lies below, a nested repository
	Lost     State = "damaged"  // a folder above it, or its content, is missing or damaged
)

// Place is where a path leads in one checkpoint.
type Place struct {
	State State
	Entry Entry // what was found; of InNested the nested repository, of Lost the damaged object
	Size  int64 // bytes of a recorded file
	Fault *evidence.ObjectError
}

// Find looks a path up in a tree, reading only the folders above it. Damage is in the answer, and an error is not.
func Find(r *evidence.ObjectReader, tree evidence.ObjectID, path string) (Place, error) {
	at := Entry{Mode: evidence.ModeTree, ID: tree}
	rest := path
	for rest != "" {
		entries, err := r.Tree(at.ID)
		name, below, _ := strings.Cut(rest, "/")
		next, ok := named(entries, name)
		if err != nil && !ok {
			return lost(at, err)
		}
		if !ok {
			return Place{State: Unknown}, nil
		}
		at = Entry{Path: join(at.Path, name), Mode: next.Mode.Canonical(), ID: next.ID}
		if at.Kind() == Nested {
			return Place{State: InNested, Entry: at}, nil
		}
		if rest = below; rest != "" && at.Kind() != Folder {
			return Place{State: Unknown}, nil
		}
	}
	if at.Kind() == Folder {
		if _, err := r.Tree(at.ID); err != nil {
			return lost(at, err)
		}
		return Place{State: Recorded, Entry: at}, nil
	}
	content, err := r.Stat(at.ID)
	if err == nil {
		_, err = r.Blob(at.ID, discard{})
	}
	if err != nil {
		return lost(at, err)
	}
	return Place{State: Recorded, Entry: at, Size: content.Size}, nil
}

// discard takes a content that is only read to be verified.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func named(entries []evidence.TreeEntry, name string) (evidence.TreeEntry, bool) {
	for _, e := range entries {
		if bytes.Equal(e.Name, []byte(name)) {
			return e, true
		}
	}
	return evidence.TreeEntry{}, false
}

// lost makes an answer of damage; any other error is given back.
func lost(at Entry, err error) (Place, error) {
	if oe := fault(err); oe != nil {
		return Place{State: Lost, Entry: at, Fault: oe}, nil
	}
	return Place{}, err
}

// fault finds the damage in an error's chain; nil without any.
func fault(err error) *evidence.ObjectError {
	var oe *evidence.ObjectError
	if errors.As(err, &oe) {
		return oe
	}
	return nil
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}
