package preflight

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// products names the builds that are known to write a schema; spec/state-db.md 2. "" = not known.
func products(schema int) string {
	for _, s := range []struct {
		from, to int
		name     string
	}{
		{3, 4, "v0.2 and v0.3"}, {5, 5, "v0.4"}, {6, 6, "v0.5 to v0.10"}, {8, 8, "v0.11"}, {10, 11, "v0.12 to v0.14.0"}, {13, 13, "v0.15.0 and v0.15.1"},
		{14, 14, "v0.16"}, {16, 16, "v0.17"}, {17, 17, "v0.18.0"}, {18, 18, "v0.18.x"}, {22, 23, "v0.19"}, {25, 25, "v0.20.0 to v0.20.5"}, {29, 30, "v0.21 and v0.22"},
	} {
		if s.from <= schema && schema <= s.to {
			return s.name
		}
	}
	return ""
}

// databases describes each store, what another build must be able to read, and what the file alone would show.
func (c *checker) databases(r *scan.Result) {
	for _, s := range c.bundle.Stores {
		if s.Home == nil {
			continue
		}
		d := Database{Store: s.Name, Path: path.Join(filepath.ToSlash(s.Home.Name), "state.db"), View: s.View}
		i := slices.IndexFunc(r.Databases, func(x scan.Database) bool { return x.Store == s.Name })
		if i < 0 || s.Fault != nil {
			c.add(s.Home, Damage, scan.Error, "state.db", "the database cannot be read", "hermes-doctor scan says why, and hermes-doctor migrate candidates which copy is good: put that in order before the move")
			c.out.Databases = append(c.out.Databases, d)
			continue
		}
		x := &r.Databases[i]
		d.Readable, d.Schema, d.Products, d.Sessions, d.Messages = true, x.SchemaVersion, products(x.SchemaVersion), x.Sessions, x.Messages
		c.alone(s, x, &d)
		c.version(s, x, &d)
		c.out.Databases = append(c.out.Databases, d)
	}
	c.losses()
}

// alone tells what the file shows without the -wal or -journal beside it, which is what a copy of state.db alone holds.
func (c *checker) alone(s *evidence.Store, x *scan.Database, d *Database) {
	var full, bare *scan.View
	for i := range x.Views {
		switch v := &x.Views[i]; v.Name {
		case evidence.ViewMain:
			bare = v
		case s.View:
			full = v
		}
	}
	if full != nil && bare != nil && s.View != evidence.ViewMain {
		lost, rows := full.Messages-bare.Messages, full.Sessions-bare.Sessions
		if lost != 0 || rows != 0 || bare.Error != "" {
			d.Alone = bare
			what := scan.Count(max(lost, 0), "message") + " and " + scan.Count(max(rows, 0), "session row")
			if bare.Error != "" {
				what = "everything: without it the file cannot be read"
			}
			c.out.Losses = append(c.out.Losses, Loss{d.Path + sidecarOf(s.View), what})
			c.add(s.Home, Incomplete, scan.Notice, "state.db"+sidecarOf(s.View), "only this file holds "+what, "never copy state.db without it, and never delete it")
		}
		return
	}
	if x.JournalMode != "wal" || s.WAL != nil {
		return
	}
	beside := slices.ContainsFunc(c.out.Files, func(l inventory.Line) bool { return l.Path == d.Path+"-shm" })
	wal := slices.ContainsFunc(c.out.Files, func(l inventory.Line) bool { return l.Path == d.Path+"-wal" })
	switch {
	case wal: // an empty one
	case beside:
		c.add(s.Home, Incomplete, scan.Error, "state.db-wal", "state.db-shm is here and state.db-wal is not: SQLite makes and removes the two together, so the copy lacks one",
			"copy again with state.db-wal, which holds the newest messages; go on only when the install is gone")
	default:
		c.add(s.Home, Incomplete, scan.Notice, "state.db-wal", "the database writes with a -wal and none is here: right for an install that was stopped, and a loss for a copy from a running one, which the file itself cannot tell",
			"look whether a state.db-wal lies beside the original; where one does, copy it too")
	}
}

func sidecarOf(view string) string {
	if view == evidence.ViewJournal {
		return "-journal"
	}
	return "-wal"
}

func (c *checker) version(s *evidence.Store, x *scan.Database, d *Database) {
	switch {
	case x.SchemaVersion == 0:
		c.add(s.Home, Version, scan.Warning, "state.db", "no schema version is recorded", "use the very build of the old machine")
	case x.Newer:
		c.add(s.Home, Version, scan.Warning, "state.db", fmt.Sprintf("schema %d is newer than any that this tool knows", x.SchemaVersion), "use the very build of the old machine, or a newer one")
	default:
		by := ", of builds that are not recorded"
		if d.Products != "" {
			by = ", known from " + d.Products
		}
		c.add(s.Home, Version, scan.Notice, "state.db", fmt.Sprintf("schema %d%s", x.SchemaVersion, by),
			"install the same build there, or a newer one; its first start writes the schema of its own, and there is no way back but this copy")
	}
}

// travelling are the findings of a scan that a move makes worse or carries along.
func travelling() []string {
	return []string{"profile-missing", "profile-rows-elsewhere", "session-in-two-stores", "spooled-messages", "project-hash-mismatch", "foreign-wal", "hot-journal",
		"store-skeleton-lost", "store-head-bad", "store-format-unsupported", "stale-lock"}
}

// findings takes over what the scan says about the move, and how much else it found.
func (c *checker) findings(r *scan.Result) {
	var errs int64
	var ids []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if slices.Contains(travelling(), f.Check) {
			p := Point{Kind: Damage, Severity: warningAtMost(f.Severity), Path: f.Subject.Path, Saw: f.Check + ": " + f.Message, Advice: f.Advice}
			if p.Path == "" {
				p.Path = f.Subject.Store
			}
			c.out.Points = append(c.out.Points, p)
			continue
		}
		if f.Severity == scan.Error {
			errs++
			if !slices.Contains(ids, f.Check) {
				ids = append(ids, f.Check)
			}
		}
	}
	if errs > 0 {
		slices.Sort(ids)
		c.out.Points = append(c.out.Points, Point{Kind: Damage, Severity: scan.Warning, Saw: fmt.Sprintf("a scan finds %s, which would move along: %s", scan.Count(errs, "error"), strings.Join(ids, ", ")),
			Advice: "hermes-doctor scan tells them; mend them here first, or on the copy there before its first start"})
	}
}

// warningAtMost keeps what only a rollback would meet from standing against a move.
func warningAtMost(s scan.Severity) scan.Severity {
	if s == scan.Error {
		return scan.Warning
	}
	return s
}

// losses adds the files that belong to the install and not to state.db.
func (c *checker) losses() {
	for i := range c.out.Files {
		l := &c.out.Files[i]
		if l.Travel != inventory.With || l.What == "database" || l.Bytes == 0 {
			continue
		}
		switch l.What {
		case "-wal of the database", "-shm of the database", "rollback journal", "checkpoint store": // told with what is in them
			continue
		}
		c.out.Losses = append(c.out.Losses, Loss{l.Path, l.What})
	}
}
