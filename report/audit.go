package report

import (
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// Audit is what a scan says about checkpoints.
type Audit struct {
	Bases    []AuditedBase    `json:"bases"`
	Projects []AuditedProject `json:"projects"`
}

// AuditedBase is one checkpoints/ folder.
type AuditedBase struct {
	Name        string   `json:"name"`
	NameB64     string   `json:"name_b64,omitempty"`
	Projects    int      `json:"projects"`
	Checkpoints int      `json:"checkpoints"`
	Nested      int      `json:"nested"` // checkpoints with a nested repository
	Notes       []string `json:"notes"`
}

// AuditedProject is one project with its checkpoints, newest first.
type AuditedProject struct {
	ID          string              `json:"id"`
	IDB64       string              `json:"id_b64,omitempty"`
	Base        string              `json:"base"`
	BaseB64     string              `json:"base_b64,omitempty"`
	Store       string              `json:"store"`
	Workdir     *string             `json:"workdir"` // null = not recorded
	WorkdirB64  string              `json:"workdir_b64,omitempty"`
	LastTouch   *float64            `json:"last_touch"`
	Checkpoints []AuditedCheckpoint `json:"checkpoints"`
}

// AuditedCheckpoint is one checkpoint. NestedB64 is as long as Nested, with null for the paths that are UTF-8.
type AuditedCheckpoint struct {
	ID        string    `json:"id"`
	N         int       `json:"n"`  // as /rollback counts, 1 = newest
	At        *float64  `json:"at"` // epoch seconds
	Reason    string    `json:"reason"`
	ReasonB64 string    `json:"reason_b64,omitempty"`
	Files     int64     `json:"files"`
	Whole     bool      `json:"whole"` // every folder could be read
	Nested    []string  `json:"nested"`
	NestedB64 []*string `json:"nested_b64,omitempty"`
	Labelled  bool      `json:"labelled"` // its text names its nested repositories
	Label     string    `json:"label"`
	// Links are the nested repositories again, with what is recorded of them.
	Links []AuditedLink `json:"links"`
}

// AuditedLink is what a checkpoint holds of the nested repository at the same place of Nested.
type AuditedLink struct {
	Commit  string `json:"commit"`
	InStore bool   `json:"in_store"`
	Since   int    `json:"since"` // the oldest checkpoint of the unbroken row with it
}

func audit(res *scan.Result) Audit {
	out := Audit{Bases: make([]AuditedBase, len(res.Bases)), Projects: make([]AuditedProject, len(res.Checkpoints))}
	for i, b := range res.Bases {
		to := &out.Bases[i]
		*to = AuditedBase{Projects: b.Projects, Checkpoints: b.Checkpoints, Nested: b.Nested, Notes: texts(b.Notes)}
		to.Name, to.NameB64 = text(b.Name)
	}
	for i, p := range res.Checkpoints {
		out.Projects[i] = auditedProject(&p)
	}
	return out
}

func auditedProject(p *checkpoints.ProjectLine) AuditedProject {
	out := AuditedProject{Store: shownText(p.Store), LastTouch: blank(p.LastTouch), Checkpoints: make([]AuditedCheckpoint, len(p.Checkpoints))}
	out.ID, out.IDB64 = text(p.ID)
	out.Base, out.BaseB64 = text(p.Base)
	out.Workdir, out.WorkdirB64 = optionalText(p.Workdir)
	for i := range p.Checkpoints {
		out.Checkpoints[i] = auditedCheckpoint(&p.Checkpoints[i])
	}
	return out
}

func auditedCheckpoint(c *checkpoints.Line) AuditedCheckpoint {
	out := AuditedCheckpoint{
		ID: c.ID, N: c.N, At: blank(c.At), Files: c.Files, Whole: c.Whole, Labelled: c.Labelled, Label: string(c.Label),
		Links: make([]AuditedLink, len(c.Nested)),
	}
	out.Reason, out.ReasonB64 = text(c.Reason)
	paths := make([]string, len(c.Nested))
	for i, n := range c.Nested {
		paths[i] = n.Path
		out.Links[i] = AuditedLink{n.Commit, n.InStore, n.Since}
	}
	out.Nested, out.NestedB64 = pathList(paths)
	return out
}

// auditGrid has a line for each project, and names the base only where there are several.
func (r *Report) auditGrid() *grid {
	g := &grid{columns: []column{
		left("base"), left("project"), left("working directory"), right("checkpoints"), left("newest"), right("with nested"), right("unlabelled"),
	}}
	for i := range r.result.Checkpoints {
		p := &r.result.Checkpoints[i]
		newest, workdir, nested, untold := "-", p.Workdir, 0, 0
		if workdir == "" {
			workdir = "not recorded"
		}
		for k := range p.Checkpoints {
			c := &p.Checkpoints[k]
			if k == 0 && c.At != 0 {
				newest = Time(c.At)
			}
			if len(c.Nested) > 0 {
				nested++
				if !c.Labelled {
					untold++
				}
			}
		}
		g.add(p.Base+"/"+p.Store, p.ID, workdir, Count(int64(len(p.Checkpoints))), newest, Count(int64(nested)), Count(int64(untold)))
	}
	return g.without(0, r.oneStore())
}

// oneStore says that all projects are in the same git directory.
func (r *Report) oneStore() bool {
	list := r.result.Checkpoints
	for i := range list {
		if list[i].Base != list[0].Base || list[i].Store != list[0].Store {
			return false
		}
	}
	return true
}

// auditNotes says what to know about each base.
func (r *Report) auditNotes() []string {
	var out []string
	for _, b := range r.result.Bases {
		for _, n := range b.Notes {
			out = append(out, b.Name+": "+n)
		}
	}
	return out
}

// auditCount is how much was read of checkpoint bases; "" where there are none.
func (r *Report) auditCount() string {
	var projects, points int64
	for _, b := range r.result.Bases {
		projects += int64(b.Projects)
		points += int64(b.Checkpoints)
	}
	if len(r.result.Bases) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s", plural(points, "checkpoint"), plural(projects, "project"))
}
