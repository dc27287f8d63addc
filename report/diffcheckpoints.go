package report

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/compare"
)

// ComparedBase is one checkpoints/ folder in JSON, without its projects.
type ComparedBase struct {
	Base    string         `json:"base"`
	BaseB64 string         `json:"base_b64,omitempty"`
	In      string         `json:"in"`   // "both", "a" or "b"
	Same    int            `json:"same"` // projects whose checkpoints are the same commits
	A       ComparedPoints `json:"a"`
	B       ComparedPoints `json:"b"`
	Fate    PointsFate     `json:"fate"`
	Notes   []string       `json:"notes"`
}

// ComparedPoints counts what one side of a base holds.
type ComparedPoints struct {
	Projects    int `json:"projects"`
	Checkpoints int `json:"checkpoints"`
}

// PointsFate says what became of checkpoints: see compare.Points.
type PointsFate struct {
	Same        int `json:"same"`
	ReCommitted int `json:"re_committed"`
	ReStamped   int `json:"re_stamped"`
	Lost        int `json:"lost"`
	Trimmed     int `json:"trimmed"`
	InStore     int `json:"in_store"`
	Added       int `json:"added"`
}

// ComparedProject is a project whose checkpoints differ. A store is null on the side that does not have it.
type ComparedProject struct {
	Base       string          `json:"base"`
	BaseB64    string          `json:"base_b64,omitempty"`
	Project    string          `json:"project"`
	ProjectB64 string          `json:"project_b64,omitempty"`
	Workdir    *string         `json:"workdir"`
	WorkdirB64 string          `json:"workdir_b64,omitempty"`
	StoreA     *string         `json:"store_a"`
	StoreAB64  string          `json:"store_a_b64,omitempty"`
	StoreB     *string         `json:"store_b"`
	StoreBB64  string          `json:"store_b_b64,omitempty"`
	Changes    []string        `json:"changes"`
	Fate       PointsFate      `json:"fate"`
	Lost       []ComparedPoint `json:"lost"`
	Added      []ComparedPoint `json:"added"`
}

// ComparedPoint is a checkpoint that one side alone has.
type ComparedPoint struct {
	Commit    string   `json:"commit"`
	N         int      `json:"n"`  // as /rollback counts on its side, 1 = newest
	At        *float64 `json:"at"` // epoch seconds; null = unreadable
	Reason    string   `json:"reason"`
	ReasonB64 string   `json:"reason_b64,omitempty"`
	Trimmed   bool     `json:"trimmed"`  // lost: older than all that B kept of the history
	InStore   bool     `json:"in_store"` // lost: B's store still holds the commit
}

func diffBase(c *compare.Checkpoints) ComparedBase {
	out := ComparedBase{In: string(c.In), Same: c.Same, A: ComparedPoints(c.A), B: ComparedPoints(c.B), Fate: PointsFate(c.Points), Notes: texts(c.Notes)}
	out.Base, out.BaseB64 = text(c.Base)
	return out
}

func diffProject(base string, p *compare.Project) ComparedProject {
	out := ComparedProject{Changes: make([]string, len(p.Changes)), Fate: PointsFate(p.Points), Lost: diffPoints(p.Lost), Added: diffPoints(p.Added)}
	out.Base, out.BaseB64 = text(base)
	out.Project, out.ProjectB64 = text(p.ID)
	out.Workdir, out.WorkdirB64 = optionalText(p.Workdir)
	out.StoreA, out.StoreAB64 = optionalText(p.StoreA)
	out.StoreB, out.StoreBB64 = optionalText(p.StoreB)
	for i, c := range p.Changes {
		out.Changes[i] = string(c)
	}
	return out
}

func diffPoints(list []compare.Point) []ComparedPoint {
	out := make([]ComparedPoint, len(list))
	for i, p := range list {
		to := &out[i]
		*to = ComparedPoint{Commit: p.ID, N: p.N, Trimmed: p.Trimmed, InStore: p.InStore}
		if p.At != 0 {
			to.At = &p.At
		}
		to.Reason, to.ReasonB64 = text(p.Subject)
	}
	return out
}

// countCheckpoints sums up all bases: the projects that are lost and new, and what became of checkpoints.
func (d *Diff) countCheckpoints() (lost, added int64, points compare.Points) {
	for _, c := range d.Checkpoints {
		for i := range c.Projects {
			switch c.Projects[i].Changes[0] {
			case compare.Lost:
				lost++
			case compare.Added:
				added++
			}
		}
		points.Add(c.Points)
	}
	return lost, added, points
}

// fateOfLost says of lost checkpoints which were trimmed and which can still be taken out of the store.
func fateOfLost(p *compare.Points) string {
	var parts []string
	if p.Trimmed > 0 {
		parts = append(parts, Count(int64(p.Trimmed))+" trimmed")
	}
	if p.InStore > 0 {
		parts = append(parts, Count(int64(p.InStore))+" still in its store")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// compared names what was compared, in the singular.
func (d *Diff) compared() string {
	switch {
	case len(d.Checkpoints) == 0:
		return "session and message"
	case len(d.Stores) == 0:
		return "checkpoint"
	}
	return "session, message and checkpoint"
}

// diffProjects lists the projects of a base whose checkpoints differ, and then the checkpoints of each that one side alone
// has.
func diffProjects(c *compare.Checkpoints, base bool) (parts []part) {
	if len(c.Projects) == 0 {
		return nil
	}
	title := "projects whose checkpoints differ"
	if base {
		title += " in " + c.Base
	}
	g := &grid{columns: []column{left("project"), left("folder"), left("what"), right("same"), right("lost"), right("trimmed"), right("altered"), right("new")}}
	list := part{title: title, grid: g}
	count := func(n int) string { return Count(int64(n)) }
	for i := range c.Projects {
		if i == diffShown {
			list.lines = []string{hidden(len(c.Projects)-i, "project")}
			break
		}
		p := &c.Projects[i]
		words := make([]string, len(p.Changes))
		for k, change := range p.Changes {
			words[k] = string(change)
		}
		g.add(p.ID, p.Workdir, strings.Join(words, ", "), count(p.Points.Same+p.Points.ReCommitted), count(p.Points.Lost), count(p.Points.Trimmed),
			count(p.Points.ReStamped), count(p.Points.Added))
	}
	parts = append(parts, list)
	for i := range c.Projects[:min(len(c.Projects), diffShown)] {
		p := &c.Projects[i]
		x := part{title: "project " + p.ID}
		if p.StoreA != p.StoreB && p.StoreA != "" && p.StoreB != "" {
			x.lines = append(x.lines, "in the store "+p.StoreA+" of A, "+p.StoreB+" of B")
		}
		x.lines = append(x.lines, pointLines("lost", p.Lost)...)
		x.lines = append(x.lines, pointLines("new", p.Added)...)
		if len(x.lines) > 0 {
			parts = append(parts, x)
		}
	}
	return parts
}

// pointLines name the first checkpoints of a list.
func pointLines(word string, list []compare.Point) (lines []string) {
	for i, p := range list {
		if i == pathsShown {
			return append(lines, hidden(len(list)-i, "checkpoint"))
		}
		what, at, subject, fate := word, "an unreadable time", "", ""
		if p.Trimmed {
			what = "trimmed"
		}
		if p.At != 0 {
			at = Time(p.At)
		}
		if p.InStore {
			fate = "; the store of B still holds it"
		}
		if p.Subject != "" {
			subject = ", " + p.Subject
		}
		lines = append(lines, fmt.Sprintf("%s: checkpoint %d of %s, commit %s%s%s", what, p.N, at, p.ID, subject, fate))
	}
	return lines
}
