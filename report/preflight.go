package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
	"github.com/seed-4d3eb737/hermes-doctor/scan/preflight"
)

// Preflight is the document of the command migrate check: what a home needs for a move to another machine.
type Preflight struct {
	Tool   Tool
	Inputs []evidence.Input
	Home   string // as the caller named it
	Check  *preflight.Check
}

// PreflightDoc is Preflight as JSON.
type PreflightDoc struct {
	Schema    int                   `json:"schema"`
	Tool      Tool                  `json:"tool"`
	Kind      string                `json:"kind"` // "migrate-check"
	Inputs    []Input               `json:"inputs"`
	Complete  bool                  `json:"complete"` // everything could be looked at
	Ready     bool                  `json:"ready"`    // complete, and no point is an error
	Notes     []string              `json:"notes"`
	Total     PreflightTotal        `json:"total"`
	Databases []PreflightDatabase   `json:"databases"`
	Points    []PreflightPoint      `json:"points"`
	Lost      []PreflightLoss       `json:"lost_with_state_db_alone"`
	Files     []FileDoc             `json:"files"`
	Travel    map[string]TravelSize `json:"travel"` // by with, optional and leave
}

// PreflightTotal is the size of the home.
type PreflightTotal struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// TravelSize is the size of what shares a way of travelling.
type TravelSize struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// PreflightDatabase is one database of the home.
type PreflightDatabase struct {
	Store         string `json:"store"`
	Path          string `json:"path"`
	PathB64       string `json:"path_b64,omitempty"`
	Readable      bool   `json:"readable"`
	SchemaVersion int    `json:"schema_version"`
	Products      string `json:"products"`
	View          string `json:"view"`
	Sessions      int64  `json:"sessions"`
	Messages      int64  `json:"messages"`
	Alone         *struct {
		Sessions int64 `json:"sessions"`
		Messages int64 `json:"messages"`
		Readable bool  `json:"readable"`
	} `json:"alone"` // what the file shows without its -wal or -journal; null = the same
}

// PreflightPoint is one thing to know or to do.
type PreflightPoint struct {
	Kind     string `json:"kind"` // incomplete, unreadable, link, running, machine-bound, version, damage or secret
	Severity string `json:"severity"`
	Path     string `json:"path"`
	PathB64  string `json:"path_b64,omitempty"`
	Profile  string `json:"profile"`
	Saw      string `json:"saw"`
	Advice   string `json:"advice"`
}

// PreflightLoss is a file or folder that a copy of state.db alone leaves behind.
type PreflightLoss struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	What    string `json:"what"`
}

// RenderPreflight writes v in the format f. As JSON Lines it writes the points.
func RenderPreflight(w io.Writer, v *Preflight, f Format, o Options) error {
	switch f {
	case JSONLines:
		return eachLine(w, each(v.Check.Points, preflightPoint))
	case Table, Markdown, JSON:
		return v.document().render(w, f, o, v.model())
	}
	return fmt.Errorf("render preflight: unknown format %q (known: %s)", string(f), known())
}

func (v *Preflight) model() PreflightDoc {
	c := v.Check
	m := PreflightDoc{Schema: schemaNumber, Tool: v.Tool, Kind: "migrate-check", Inputs: allOf(v.Inputs, input), Complete: !c.Limited, Ready: c.Ready(),
		Notes: texts(c.Notes), Total: PreflightTotal{c.Total.Files, c.Total.Bytes}, Databases: allOf(c.Databases, preflightDatabase),
		Points: allOf(c.Points, preflightPoint), Files: allOf(c.Files, fileDoc), Travel: map[string]TravelSize{}}
	m.Lost = allOf(c.Losses, func(l preflight.Loss) (d PreflightLoss) {
		d.What = shownText(l.What)
		d.Path, d.PathB64 = text(l.Path)
		return d
	})
	for _, t := range []inventory.Travel{inventory.With, inventory.Optional, inventory.Leave} {
		m.Travel[string(t)] = v.size(t)
	}
	return m
}

func (v *Preflight) size(t inventory.Travel) (s TravelSize) {
	for i := range v.Check.Files {
		if l := &v.Check.Files[i]; l.Travel == t {
			s.Files += int64(l.Files)
			s.Bytes += l.Bytes
		}
	}
	return s
}

func preflightPoint(p preflight.Point) PreflightPoint {
	d := PreflightPoint{Kind: string(p.Kind), Severity: string(p.Severity), Profile: p.Profile, Saw: shownText(p.Saw), Advice: shownText(p.Advice)}
	d.Path, d.PathB64 = text(p.Path)
	return d
}

func preflightDatabase(x preflight.Database) PreflightDatabase {
	d := PreflightDatabase{Store: shownText(x.Store), Readable: x.Readable, SchemaVersion: x.Schema, Products: x.Products, View: x.View, Sessions: x.Sessions, Messages: x.Messages}
	d.Path, d.PathB64 = text(x.Path)
	if x.Alone != nil {
		d.Alone = &struct {
			Sessions int64 `json:"sessions"`
			Messages int64 `json:"messages"`
			Readable bool  `json:"readable"`
		}{x.Alone.Sessions, x.Alone.Messages, x.Alone.Error == ""}
	}
	return d
}

func (v *Preflight) document() document {
	c := v.Check
	d := document{word: "ready to move", color: green, inputs: v.Inputs, rest: "copy the whole folder while the install is stopped: " + plural(c.Total.Files, "file") + ", " + plural(c.Total.Bytes, "byte")}
	switch errs, warns := c.Count(scan.Error), c.Count(scan.Warning); {
	case c.Limited:
		d.word, d.color, d.rest = "not all of it could be looked at", yellow, "what is not told here may still be lost by a move"
	case errs > 0:
		d.word, d.color, d.rest = "not ready to move", red, plural(errs, "thing")+" would be lost or wrong, and "+plural(warns, "thing")+" may be"
	case warns > 0:
		d.word, d.color, d.rest = "ready to move, with care", yellow, plural(warns, "thing")+" to settle; nothing else is known to be lost"
	}
	lines := map[scan.Severity][]string{}
	for i := range c.Points {
		p := &c.Points[i]
		s := p.Saw + ". To do: " + p.Advice
		if p.Path != "" {
			s = p.Path + ": " + s
		}
		lines[p.Severity] = append(lines[p.Severity], s)
	}
	d.add("lost or wrong when nothing is done", lines[scan.Error], "")
	d.add("may be lost or wrong", lines[scan.Warning], "")
	d.add("good to know before the move", lines[scan.Notice], "")
	if len(c.Databases) > 0 {
		d.parts = append(d.parts, part{title: "databases", grid: v.grid()})
	}
	var lost []string
	for _, l := range c.Losses {
		lost = append(lost, l.Path+": "+l.What)
	}
	d.add("what a copy of state.db alone would leave behind", lost, "file")
	d.parts = append(d.parts, v.travels()...)
	d.add("notes", slices.Clone(c.Notes), "")
	d.add("the move, in this order", []string{
		"stop the gateway and every other program of the install on the old machine, and look that state.db-wal is gone or empty",
		"copy the whole folder, hidden files too, with times and modes (tar, rsync -a); on the other machine to the same absolute path where that can be",
		"run this command on both: each database must have the same hash, and diff OLD NEW must say that nothing is lost",
		"run resume --home-path PATH on the copy with the path that it will have: it says which row each chat gets there",
		"start the new one only when the old one can never start again, and keep the old folder until the new one has run well for a while",
	}, "")
	return d
}

func (v *Preflight) grid() *grid {
	g := &grid{columns: []column{left("database"), right("schema"), left("known from"), left("view"), right("sessions"), right("messages"), right("messages without the sidecar")}}
	alone := false
	for i := range v.Check.Databases {
		x := &v.Check.Databases[i]
		if !x.Readable {
			g.add(x.Path, "-", "-", "cannot be read", "-", "-", "-")
			continue
		}
		without := Count(x.Messages)
		if x.Alone != nil {
			alone = true
			if without = Count(x.Alone.Messages); x.Alone.Error != "" {
				without = "cannot be read"
			}
		}
		by := x.Products
		if by == "" {
			by = "-"
		}
		g.add(x.Path, fmt.Sprint(x.Schema), by, x.View, Count(x.Sessions), Count(x.Messages), without)
	}
	return g.without(6, !alone)
}

// travels lists what belongs to the move.
func (v *Preflight) travels() (out []part) {
	for _, t := range []struct {
		travel inventory.Travel
		title  string
	}{{inventory.With, "must move together"}, {inventory.Optional, "may come along: nothing needs it"}, {inventory.Leave, "leave behind"}} {
		g := &grid{columns: []column{left("path"), left("what"), right("files"), right("bytes")}}
		for i := range v.Check.Files {
			if l := &v.Check.Files[i]; l.Travel == t.travel {
				g.add(l.Path, l.What, Count(int64(l.Files)), Count(l.Bytes))
			}
		}
		if len(g.rows) > 0 {
			out = append(out, part{title: t.title, grid: g})
		}
	}
	return out
}
