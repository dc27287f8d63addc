package report

import (
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// Why is the document of checkpoints why: whether one file can come back.
type Why struct {
	Tool    Tool
	Inputs  []evidence.Input
	Project *evidence.CheckpointProject
	Answer  *contents.Answer
	Next    []string // commands
}

// WhyDoc is what checkpoints why writes as JSON.
type WhyDoc struct {
	Schema      int           `json:"schema"`
	Tool        Tool          `json:"tool"`
	Base        string        `json:"base"`
	BaseB64     string        `json:"base_b64,omitempty"`
	Project     string        `json:"project"`
	Workdir     *string       `json:"workdir"` // null = not recorded
	WorkdirB64  string        `json:"workdir_b64,omitempty"`
	File        string        `json:"file"` // below the working directory
	FileB64     string        `json:"file_b64,omitempty"`
	Verdict     string        `json:"verdict"`
	Reasons     []WhyReason   `json:"reasons"` // in the order in which to look; the first is the answer
	Versions    int           `json:"versions"`
	Checkpoints []WhySighting `json:"checkpoints"` // newest first
	Unlisted    []WhySighting `json:"unlisted"`    // commits that no list shows and that know the file
	Next        []string      `json:"next"`
}

// WhyReason is one thing that stands in the way, or may.
type WhyReason struct {
	Step int    `json:"step"`
	Code string `json:"code"`
	Text string `json:"text"`
}

// WhySighting is what one commit knows of the file.
type WhySighting struct {
	ID      string   `json:"id"`
	N       *int     `json:"n"` // null where no list shows it
	At      *float64 `json:"at"`
	State   string   `json:"state"`
	Stray   bool     `json:"stray"`   // nothing says that the commit is this project's
	Kind    *string  `json:"kind"`    // of the entry that was found
	Through *string  `json:"through"` // the nested repository or damaged folder above the file, where it is not the file
	Object  *string  `json:"object"`
	Bytes   *int64   `json:"bytes"` // of a recorded file
}

// RenderWhy writes y in the format f.
func RenderWhy(w io.Writer, y *Why, f Format, o Options) error {
	return y.document().render(w, f, o, y.model())
}

func (y *Why) model() WhyDoc {
	a := y.Answer
	m := WhyDoc{
		Schema: schemaNumber, Tool: y.Tool, Project: shownText(y.Project.ID), Verdict: string(a.Outcome), Versions: a.Versions,
		Reasons: make([]WhyReason, len(a.Reasons)), Checkpoints: sightings(a.File, a.Chain), Unlisted: sightings(a.File, a.Loose), Next: texts(y.Next),
	}
	m.Base, m.BaseB64 = text(y.Project.Store.Base.Name)
	m.Workdir, m.WorkdirB64 = optionalText(y.Project.Workdir)
	m.File, m.FileB64 = text(a.File)
	for i, r := range a.Reasons {
		m.Reasons[i] = WhyReason{r.Step, string(r.Code), shownText(r.Text)}
	}
	return m
}

func sightings(file string, list []contents.Sighting) []WhySighting {
	out := make([]WhySighting, len(list))
	for i, s := range list {
		to := &out[i]
		*to = WhySighting{ID: s.Commit.ID.String(), State: string(s.Place.State), Stray: s.Stray}
		if s.Number > 0 {
			to.N = &list[i].Number
		}
		if s.Commit.Author.Valid {
			to.At = number(float64(s.Commit.Author.When))
		}
		e := s.Place.Entry
		if s.Place.State == contents.Unknown {
			continue
		}
		kind, id := string(e.Kind()), e.ID.String()
		to.Kind, to.Object = &kind, &id
		if e.Path != file {
			through := shownText(e.Path)
			to.Through = &through
		}
		if s.Place.State == contents.Recorded && e.Kind() != contents.Folder {
			to.Bytes = &list[i].Place.Size
		}
	}
	return out
}

func (y *Why) document() document {
	a := y.Answer
	d := document{word: string(a.Outcome), color: red, inputs: y.Inputs}
	have := 0
	for _, s := range a.Chain {
		if s.Place.State == contents.Recorded {
			have++
		}
	}
	switch a.Outcome {
	case contents.ComesBack:
		d.color = green
		d.rest = fmt.Sprintf("%s is whole in %d of %s", a.File, have, plural(int64(len(a.Chain)), "checkpoint"))
	case contents.Elsewhere:
		d.color = yellow
		d.rest = a.File + " is whole in commits that no list shows; it can be extracted by their ids"
	default:
		d.rest = "no commit of the store has " + a.File + " whole"
	}
	var reasons []string
	for _, r := range a.Reasons {
		reasons = append(reasons, fmt.Sprintf("step %d, %s: %s", r.Step, r.Code, r.Text))
	}
	d.add("what stands in the way, in the order in which to look", reasons, "")
	if len(a.Chain)+len(a.Loose) > 0 {
		d.parts = append(d.parts, part{title: "what each commit knows of it", grid: sightingGrid(a)})
	}
	if len(y.Next) > 0 {
		d.parts = append(d.parts, part{title: "next", code: y.Next})
	}
	return d
}

func sightingGrid(a *contents.Answer) *grid {
	g := &grid{columns: []column{right("n"), left("taken"), left("commit"), left("reason"), left("state"), left("object")}}
	for _, list := range [][]contents.Sighting{a.Chain, a.Loose} {
		for _, s := range list {
			n, at, object := "-", nanOf(0), ""
			if s.Number > 0 {
				n = Count(int64(s.Number))
			}
			if s.Commit.Author.Valid {
				at = float64(s.Commit.Author.When)
			}
			if e := s.Place.Entry; s.Place.State != contents.Unknown {
				object = string(e.Kind()) + " " + e.ID.String()[:12]
				if e.Path != a.File {
					object += " at " + orTop(e.Path)
				}
			}
			g.add(n, Time(at), s.Commit.ID.String()[:12], checkpoints.Subject(s.Commit.Message), string(s.Place.State), object)
		}
	}
	return g
}
