package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/pseudonym"
)

// Options steer Skeleton.
type Options struct {
	Key   pseudonym.Key // makes the pseudonyms; must be secret
	Shift int64         // seconds by which every time is later in the skeleton; 0 = times stay
}

// Made is a skeleton on disk.
type Made struct {
	Dir  string
	Path string   // what to scan: the folder of a home, or the state.db of a lone database
	Left []string // what is not carried, in words, sorted

	veil *veil
}

// ErrNothing is wrapped by the error of Skeleton where there is nothing to carry, or several databases without a home.
var ErrNothing = errors.New("there is no single home, database or checkpoint store to make a skeleton of")

// Skeleton writes into dir, a new folder, a home or a database like that of the sources, without anything private. The
// sources are one database, one checkpoints folder, or one home with its profiles. Pseudonym gives names of the source as the skeleton has them.
func Skeleton(ctx context.Context, b *evidence.Bundle, dir string, o Options) (*Made, error) {
	v := newVeil(o.Key, o.Shift)
	m := &Made{Dir: dir, Path: dir, veil: v}
	left := map[string]bool{"the full text search index, which holds texts": true}
	var top *evidence.Home
	for _, h := range b.Homes {
		if h.Parent() != nil {
			continue
		}
		if top != nil {
			return nil, errors.New("make a skeleton: more than one home is given")
		}
		top = h
	}
	readable := slices.ContainsFunc(b.Stores, func(s *evidence.Store) bool { return s.Fault == nil })
	if !readable && len(b.Checkpoints) == 0 || top == nil && len(b.Stores) > 1 {
		return nil, fmt.Errorf("make a skeleton: %w", ErrNothing)
	}
	v.learnProjects(b.Checkpoints)
	for _, s := range b.Stores {
		if s.Fault != nil {
			left["the database "+v.name(s.Name)+", which cannot be read"] = true
			continue
		}
		folder := v.folder(dir, s.Home)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make a skeleton: %w", err)
		}
		if s.View != evidence.ViewMain || len(s.Views) > 0 || len(s.Notes) > 0 {
			left["what is wrong with the file itself: its pages, its log and its journal"] = true
		}
		path := filepath.Join(folder, "state.db")
		if err := v.database(ctx, s, path, left); err != nil {
			return nil, err
		}
		if top == nil {
			m.Path = path
		}
	}
	for _, h := range b.Homes {
		w := &homeWriter{veil: v, home: h, dir: v.folder(dir, h), left: left}
		if err := w.write(ctx); err != nil {
			return nil, fmt.Errorf("make a skeleton of home %q: %w", h.Name, err)
		}
	}
	for _, base := range b.Checkpoints {
		left["the bytes that checkpoint stores take on disk, so that none is over its limit"] = true
		if err := v.checkpoints(ctx, base, dir, left); err != nil {
			return nil, fmt.Errorf("make a skeleton of checkpoint store %q: %w", base.Name, err)
		}
	}
	if err := v.settle(dir); err != nil {
		return nil, fmt.Errorf("make a skeleton: %w", err)
	}
	m.Left = slices.Sorted(maps.Keys(left))
	return m, nil
}

// Still is the time of every file of a bundle whose own says nothing, so that two bundles of one file are the same bytes.
var Still = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// settle gives every file and folder its time.
func (v *veil) settle(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, ok := v.stamps[path]
		if !ok {
			at = Still
		}
		return os.Chtimes(path, at, at)
	})
}

// folder is where the files of a home go.
func (v *veil) folder(dir string, h *evidence.Home) string {
	if h == nil || h.Parent() == nil {
		return dir
	}
	return filepath.Join(dir, "profiles", v.name(h.Profile))
}

// Pseudonym gives a name of the source as the skeleton has it.
func (m *Made) Pseudonym(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = m.veil.maker.Name(parts[i])
	}
	return strings.Join(parts, "/")
}
