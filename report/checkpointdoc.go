package report

import (
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// Inventory is the document of checkpoints list, show and audit.
type Inventory struct {
	Tool     Tool
	Inputs   []evidence.Input
	Changed  []string // inputs that did not stand still
	Bases    []*checkpoints.Base
	Sizes    map[*evidence.CheckpointStore]*contents.Sizes  // of the stores that were weighed
	Project  *checkpoints.Project                           // the only one that is shown; nil = all
	Number   int                                            // with Project: the only checkpoint that is shown; 0 = all
	Entries  []contents.Entry                               // with Number: what the checkpoint holds
	Detail   bool                                           // for people: every checkpoint, not only a line for each project
	Settings map[*evidence.CheckpointBase]contents.Settings // of the bases whose home is known
	Audit    *scan.Result                                   // what the checks found; nil without them
	Known    *Judged                                        // with Audit: what was known of findings before; nil = nothing
}

// unseen is what no report about checkpoints can leave out.
const unseen = "a repository below an ignored or excluded path leaves no trace: that none is listed does not prove that there was none"

// RenderInventory writes v in the format f, which may be HTML. As lines, each project is one.
func RenderInventory(w io.Writer, v *Inventory, f Format, o Options) error {
	if f == JSONLines {
		j := newJSONWriter(w)
		for _, p := range v.projects() {
			j.value(v.project(p))
			j.raw("\n")
		}
		return j.flush()
	}
	if f == JSON {
		return indented(w, v.model())
	}
	if f == HTML {
		return v.html(w, o)
	}
	return v.document().render(w, f, o, nil)
}

// place is a project with the store and base that it is in.
type place struct {
	base    *checkpoints.Base
	store   *checkpoints.Store
	project *checkpoints.Project
}

// projects are those that are shown, in the order of the bases and their stores.
func (v *Inventory) projects() []place {
	var out []place
	for _, b := range v.Bases {
		for _, s := range b.Stores {
			for _, p := range s.Projects {
				if v.Project == nil || v.Project == p {
					out = append(out, place{b, s, p})
				}
			}
		}
	}
	return out
}

// checkpoints are those of a project that are shown.
func (v *Inventory) checkpoints(p *checkpoints.Project) []checkpoints.Checkpoint {
	if v.Number > 0 && v.Number <= len(p.Checkpoints) {
		return p.Checkpoints[v.Number-1 : v.Number]
	}
	return p.Checkpoints
}

func (v *Inventory) model() CheckpointDoc {
	m := CheckpointDoc{
		Schema: schemaNumber, Tool: v.Tool, Inputs: allOf(v.Inputs, input), InputsUnchanged: len(v.Changed) == 0,
		Bases: make([]CheckpointBase, len(v.Bases)), Projects: []CheckpointProject{}, Notes: []string{unseen},
	}
	if len(v.Changed) > 0 {
		m.InputsChanged = texts(v.Changed)
	}
	for i, b := range v.Bases {
		m.Bases[i] = base(b, v.Settings[b.Source])
	}
	for _, p := range v.projects() {
		m.Projects = append(m.Projects, v.project(p))
	}
	for _, e := range v.Entries {
		one := CheckpointEntry{Kind: string(e.Kind()), ID: e.ID.String()}
		one.Path, one.PathB64 = text(e.Path)
		m.Entries = append(m.Entries, one)
	}
	if v.Audit == nil {
		return m
	}
	m.Lost, m.Unlisted = v.lost(), v.unlisted()
	for _, c := range v.Audit.Checks {
		m.Checks = append(m.Checks, checkStatus(c, false))
	}
	r := New(v.Tool, v.Inputs, v.Audit)
	for _, i := range r.findings {
		m.Findings = append(m.Findings, Options{Known: v.Known}.finding(v.Audit.Findings[i]))
	}
	if v.Known != nil {
		m.Known = &KnownBefore{Suppressed: len(v.Known.Suppressed), Notes: texts(v.Known.Notes)}
	}
	return m
}

func base(b *checkpoints.Base, set contents.Settings) CheckpointBase {
	out := CheckpointBase{
		Profile: shownText(b.Source.Profile), Stores: make([]CheckpointStore, len(b.Stores)),
		LastPrune: blank(b.Source.LastPrune), Gaps: gaps(contents.BaseGaps(b.Source, set)),
	}
	out.Name, out.NameB64 = text(b.Source.Name)
	for i, s := range b.Stores {
		to := &out.Stores[i]
		*to = CheckpointStore{
			Name: shownText(s.Source.Name), Layout: s.Source.Version, Format: string(s.Source.Format),
			Projects: len(s.Projects), Gaps: gaps(contents.StoreGaps(s.Source)), Limit: shownText(s.Limit),
		}
		if s.Unreachable != nil {
			n := len(s.Unreachable.Commits)
			to.Unlisted = &n
		}
	}
	return out
}

// blank makes null of a number that stands for "not known".
func blank(f float64) *float64 {
	if f == 0 {
		return nil
	}
	return number(f)
}

func gaps(list []contents.Gap) []Gap {
	out := make([]Gap, len(list))
	for i, g := range list {
		out[i] = Gap{g.Code, shownText(g.Text)}
	}
	return out
}

func (v *Inventory) project(at place) CheckpointProject {
	p := at.project.Source
	out := CheckpointProject{
		Store: shownText(at.store.Source.Name), Layout: at.store.Source.Version, WorkdirFrom: p.WorkdirFrom,
		JSON: string(p.JSON), Ref: string(p.RefState), CreatedAt: blank(p.CreatedAt), LastTouch: blank(p.LastTouch),
		Gaps: gaps(contents.Gaps(p, v.Settings[at.base.Source])), Checkpoints: []Checkpoint{},
	}
	out.ID, out.IDB64 = text(p.ID)
	out.Base, out.BaseB64 = text(at.base.Source.Name)
	out.Workdir, out.WorkdirB64 = optionalText(p.Workdir)
	if !p.Tip.IsZero() {
		tip := p.Tip.String()
		out.Tip = &tip
	}
	sizes := v.Sizes[at.store.Source]
	if sizes != nil {
		out.Size = size(sizes.Project(p))
	}
	for _, c := range v.checkpoints(at.project) {
		one := checkpoint(&c)
		if sizes != nil {
			one.Size = size(sizes.Checkpoint(p, c.N-1))
		}
		out.Checkpoints = append(out.Checkpoints, one)
	}
	return out
}

func size(s contents.Size) *Size { return &Size{s.Bytes, s.Unique, s.Shared, s.Missing} }

func checkpoint(c *checkpoints.Checkpoint) Checkpoint {
	out := Checkpoint{
		ID: c.Commit.ID.String(), N: c.N, At: blank(c.At), Labelled: c.Labelled(), Label: string(c.Label),
		NestedRepos: make([]NestedRepo, len(c.Nested)), NestedTotal: c.Total, Tree: c.Commit.Tree.String(),
		Files: c.Count.Files, Links: c.Count.Links, Folders: c.Count.Folders, Whole: c.Whole,
	}
	out.Reason, out.ReasonB64 = text(c.Reason)
	out.Told, out.ToldB64 = text(c.Told)
	paths := make([]string, len(c.Nested))
	for i, n := range c.Nested {
		paths[i] = n.Path
		to := &out.NestedRepos[i]
		*to = NestedRepo{Commit: n.Commit.String(), InStore: n.InStore, Since: n.Since}
		to.Path, to.PathB64 = text(n.Path)
	}
	out.Nested, out.NestedB64 = pathList(paths)
	return out
}

func (v *Inventory) lost() []LostObject {
	var out []LostObject
	for _, b := range v.Bases {
		for _, s := range b.Stores {
			for _, d := range s.Damage {
				one := LostObject{
					Project: shownText(d.Project.Source.ID), Store: shownText(s.Source.Name), ID: d.Err.ID.String(), Kind: d.Kind.String(),
					Fault: string(d.Err.Fault), Newest: d.Newest, Oldest: d.Oldest, Number: d.Number,
				}
				one.Path, one.PathB64 = text(d.Path)
				out = append(out, one)
			}
		}
	}
	return out
}

func (v *Inventory) unlisted() []UnlistedCommit {
	var out []UnlistedCommit
	for _, b := range v.Bases {
		for _, s := range b.Stores {
			if s.Unreachable == nil {
				continue
			}
			owners := contents.Owners(s.Source, s.Unreachable.Commits)
			for _, c := range s.Unreachable.Commits {
				one := UnlistedCommit{Store: shownText(s.Source.Name), Projects: []string{}, ID: c.ID.String(), Tree: c.Tree.String()}
				for _, p := range owners[c.ID] {
					one.Projects = append(one.Projects, shownText(p.ID))
				}
				if c.Author.Valid {
					one.At = number(float64(c.Author.When))
				}
				one.Reason, one.ReasonB64 = text(checkpoints.Subject(c.Message))
				out = append(out, one)
			}
		}
	}
	return out
}

// bytesText spells a size: 12 bytes, 3.4 MiB.
func bytesText(n int64) string {
	const unit = 1024
	if n < unit {
		return plural(n, "byte")
	}
	value, name := float64(n), ""
	for _, name = range []string{"KiB", "MiB", "GiB", "TiB"} {
		if value /= unit; value < unit {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", value, name)
}
