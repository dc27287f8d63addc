package bundle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// ErrNothing is wrapped by the error of Skeleton where no database can be carried.
var ErrNothing = errors.New("there is no database to make a skeleton of")

// Skeleton writes into dir, a new folder, a home or a database like that of the sources, without anything private. The
// sources are one database, or one home with its profiles. Pseudonym gives names of the source as the skeleton has them.
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
	if !readable || top == nil && len(b.Stores) > 1 {
		return nil, fmt.Errorf("make a skeleton: %w", ErrNothing)
	}
	if len(b.Checkpoints) > 0 {
		left["checkpoint stores; the report tells of them"] = true
	}
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
	m.Left = slices.Sorted(maps.Keys(left))
	return m, nil
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
