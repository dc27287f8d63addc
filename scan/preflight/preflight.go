package preflight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// Kind says in which way something stands against a move.
type Kind string

// The kinds.
const (
	Incomplete Kind = "incomplete"    // something of the install is not in this copy, or may not be
	Unreadable Kind = "unreadable"    // it is there and a copy would lack it
	Leaving    Kind = "link"          // it leads out of the home: its target does not travel
	Running    Kind = "running"       // the install ran when this was made, or left the traces of a run
	Bound      Kind = "machine-bound" // it names a place or a service of this machine
	Version    Kind = "version"       // the other machine needs a build that can read it
	Damage     Kind = "damage"        // it is broken now and would be broken there
	Secret     Kind = "secret"        // it must travel, and over a safe way
)

// Point is one thing to know before a move.
type Point struct {
	Kind     Kind
	Severity scan.Severity // Error: something is lost or wrong when nothing is done; Warning: it may be; Notice: to know
	Path     string        // as the caller named the home, joined with the name below it; "" = the home as a whole
	Profile  string
	Saw      string // what was seen
	Advice   string
}

// Database is one state.db of the home.
type Database struct {
	Store    string
	Path     string
	Schema   int    // 0 = none recorded
	Products string // builds that are known to write this schema; "" = not known
	View     string // which way of reading it was used
	Sessions int64
	Messages int64
	Readable bool
	Alone    *scan.View // what the file without its sidecar shows, where that is another story; nil = the same
}

// Loss is something that a copy of state.db alone would leave behind.
type Loss struct{ Path, What string }

// Check is the whole preflight.
type Check struct {
	Points    []Point // worst first
	Databases []Database
	Losses    []Loss
	Files     []inventory.Line
	Total     evidence.Survey // over all homes, without the lists
	Limited   bool            // not everything could be looked at
	Notes     []string
	Names     []string // paths and keys of settings that the points quote: data, whatever words they are made of
}

// Ready says whether nothing is lost or wrong when the home is moved as it is.
func (c *Check) Ready() bool { return c.Count(scan.Error) == 0 && !c.Limited }

// Count gives the number of points of a severity.
func (c *Check) Count(s scan.Severity) (n int64) {
	for i := range c.Points {
		if c.Points[i].Severity == s {
			n++
		}
	}
	return n
}

type checker struct {
	bundle *evidence.Bundle
	out    *Check
}

// Look is the part of the preflight that reads files itself; it must come before the scan, whose end hashes again what was
// read. b has one home or a home with its profiles, and its checkpoints.
func Look(ctx context.Context, b *evidence.Bundle) (*Check, error) {
	c := &checker{bundle: b, out: &Check{}}
	list, err := inventory.Homes(ctx, b.Homes, nil)
	if err != nil {
		return nil, fmt.Errorf("list the home: %w", err)
	}
	c.out.Files, c.out.Limited, c.out.Notes = list.Lines, list.Limited, list.Notes
	for _, h := range b.Homes {
		if err := c.home(ctx, h); err != nil {
			return nil, err
		}
	}
	for _, s := range b.Stores {
		if s.Home == nil {
			continue
		}
		if err := c.rows(ctx, s); err != nil {
			return nil, err
		}
	}
	for _, base := range b.Checkpoints {
		c.checkpoints(base)
	}
	return c.out, nil
}

// Judge adds what the scan of the same bundle found and puts everything in order.
func (out *Check) Judge(b *evidence.Bundle, r *scan.Result) {
	c := &checker{bundle: b, out: out}
	c.databases(r)
	c.findings(r)
	out.Limited = out.Limited || r.Partial || !r.Unchanged
	out.Notes = append(out.Notes, r.Changed...)
	slices.SortStableFunc(out.Points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(b.Severity.Rank(), a.Severity.Rank()), cmp.Compare(order(a.Kind), order(b.Kind)), strings.Compare(a.Path, b.Path))
	})
}

// order is the one in which a reader can act: what is missing first, what only has to be known last.
func order(k Kind) int {
	return slices.Index([]Kind{Incomplete, Unreadable, Leaving, Damage, Running, Version, Bound, Secret}, k)
}

func (c *checker) add(h *evidence.Home, k Kind, s scan.Severity, rel, saw, advice string) {
	p := Point{Kind: k, Severity: s, Path: path.Join(filepath.ToSlash(h.Name), rel), Profile: h.Profile, Saw: saw, Advice: advice}
	c.out.Points = append(c.out.Points, p)
}

func (c *checker) home(ctx context.Context, h *evidence.Home) error {
	if err := c.survey(ctx, h); err != nil {
		return err
	}
	c.missing(h)
	c.running(h)
	return c.config(h)
}

// survey tells what a copy of the folder would lack. A profile's folder is walked with the home that it lies in, unless a
// link leads to it.
func (c *checker) survey(ctx context.Context, h *evidence.Home) error {
	if h.Parent() != nil {
		if _, err := h.Parent().ReadDir(path.Join("profiles", h.Profile)); err == nil {
			return nil
		}
	}
	s, err := h.Survey(ctx)
	if err != nil {
		return fmt.Errorf("walk through %q: %w", h.Name, err)
	}
	c.out.Total.Files += s.Files
	c.out.Total.Bytes += s.Bytes
	if s.Limited || s.LinksMore > 0 {
		c.out.Limited = true
		c.out.Notes = append(c.out.Notes, h.Name+" holds more entries than were looked at")
	}
	for _, o := range s.Unread {
		c.add(h, Unreadable, scan.Error, o.Path, "it may not be read: "+o.Why, "copy as the user that the install runs as; whatever copies as this user leaves it out")
	}
	for _, o := range s.Special {
		c.add(h, Unreadable, scan.Notice, o.Path, "it is "+o.Why, "nothing to do: it belongs to a running program, and the install makes it again")
	}
	for _, l := range s.Links {
		c.out.Names = append(c.out.Names, l.Target)
		switch {
		case l.Dead && l.Leaves:
			c.add(h, Leaving, scan.Error, l.Path, fmt.Sprintf("it is a link to %q, out of the home, and nothing is there", l.Target),
				"bring along what it leads to on the machine where the install ran, and make the link anew; copy with the links followed (cp -aL, rsync -aL)")
		case l.Leaves:
			c.add(h, Leaving, scan.Error, l.Path, fmt.Sprintf("it is a link to %q, out of the home", l.Target),
				"what it leads to does not travel with the home: bring it along too, or copy with the links followed (cp -aL, rsync -aL)")
		case l.Whole:
			c.add(h, Bound, scan.Warning, l.Path, fmt.Sprintf("it is a link into the home by its path on this machine, %q", l.Target),
				"it holds only where the home gets the same path; otherwise make the link anew, relative")
		case l.Dead:
			c.add(h, Leaving, scan.Notice, l.Path, fmt.Sprintf("it is a link to %q, and nothing is there", l.Target), "nothing is lost by the move: it is as dead here")
		}
	}
	return nil
}

// parts of an install that a copy may have forgotten; spec/state-db.md 1.3. A profile's home need not have them.
func parts() []string {
	return []string{"state.db", "config.yaml", ".env", "sessions", "checkpoints", "logs", "memories", "skills", "cron"}
}

func (c *checker) missing(h *evidence.Home) {
	if h.Parent() != nil {
		return
	}
	entries, err := h.ReadDir(".")
	if err != nil {
		return // told by the survey
	}
	var gone []string
	for _, name := range parts() {
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		c.add(h, Incomplete, scan.Notice, "", "not in this folder: "+strings.Join(gone, ", "),
			"look whether the install has them: not every install does, but a copy of some files only is none of the install")
	}
}

// running looks for the traces of a run; spec/state-db.md 1.3.
func (c *checker) running(h *evidence.Home) {
	for _, name := range []string{"gateway.pid", "gateway.lock"} {
		if _, err := h.Read(name, evidence.RoleRunState, smallFile); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.add(h, Running, scan.Warning, name, "a gateway ran when this copy was made, or was killed before it could tidy up",
			"stop the gateway where the install is, look that "+name+" is gone, and copy then; leave this file behind: on another machine its number belongs to any process")
		break
	}
	for _, s := range c.bundle.Stores {
		if s.Home == h && s.WAL != nil {
			c.add(h, Running, scan.Warning, "state.db-wal", fmt.Sprintf("the -wal holds %d bytes that were not moved into state.db: the last program did not close it, or is still at it", s.WAL.Bytes),
				"stop the install and copy again; else copy state.db, state.db-wal and state.db-shm together, in one go")
		}
	}
}

const smallFile = 4 << 20
