package report

import (
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/extract"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// Extraction is the document of checkpoints extract: the manifest of what was delivered.
type Extraction struct {
	Tool    Tool
	Inputs  []evidence.Input
	Point   Point
	Output  string // the folder or file as the caller named it
	Archive bool   // a tar, not a folder
	Plan    *contents.Plan
	Outcome *extract.Outcome
}

// Point says which checkpoint a document is about.
type Point struct {
	Base    string
	Project string
	Workdir string // "" = not recorded
	ID      string
	Number  int     // 0 = in no list
	At      float64 // NaN = not known
	Reason  string
}

// ExtractionDoc is what checkpoints extract writes as JSON.
type ExtractionDoc struct {
	Schema     int             `json:"schema"`
	Tool       Tool            `json:"tool"`
	Base       string          `json:"base"`
	BaseB64    string          `json:"base_b64,omitempty"`
	Project    string          `json:"project"`
	Workdir    *string         `json:"workdir"`
	WorkdirB64 string          `json:"workdir_b64,omitempty"`
	Checkpoint RollbackPoint   `json:"checkpoint"`
	Output     string          `json:"output"`
	OutputB64  string          `json:"output_b64,omitempty"`
	Kind       string          `json:"kind"`     // folder or tar
	Complete   bool            `json:"complete"` // nothing failed
	Files      int             `json:"files"`
	Links      int             `json:"links"`
	Folders    int             `json:"folders"`
	Bytes      int64           `json:"bytes"`
	Gitlinks   []Gitlink       `json:"gitlinks"` // nested repositories: nothing of them was captured
	Renamed    []RenamedFile   `json:"renamed"`
	Failed     []ExtractFailed `json:"failed"`
}

// Gitlink is a nested repository in a checkpoint.
type Gitlink struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	Commit  string `json:"commit"`
}

// RenamedFile was delivered under another name than the recorded one.
type RenamedFile struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	As      string `json:"as"`
	AsB64   string `json:"as_b64,omitempty"`
	Why     string `json:"why"`
}

// ExtractFailed could not be delivered.
type ExtractFailed struct {
	Path    string  `json:"path"`
	PathB64 string  `json:"path_b64,omitempty"`
	ID      *string `json:"id"`    // of the object
	Fault   *string `json:"fault"` // of the store; null where it is not to blame
	Why     string  `json:"why"`
}

// RenderExtraction writes e in the format f.
func RenderExtraction(w io.Writer, e *Extraction, f Format, o Options) error {
	return e.document().render(w, f, o, e.model())
}

func (e *Extraction) kind() string {
	if e.Archive {
		return "tar"
	}
	return "folder"
}

func (e *Extraction) model() ExtractionDoc {
	m := ExtractionDoc{
		Schema: schemaNumber, Tool: e.Tool, Project: shownText(e.Point.Project), Checkpoint: e.Point.model(),
		Kind: e.kind(), Complete: len(e.Outcome.Failed) == 0,
		Files: e.Outcome.Files, Links: e.Outcome.Links, Folders: e.Outcome.Folders, Bytes: e.Outcome.Bytes,
		Gitlinks: make([]Gitlink, len(e.Plan.Nested)), Renamed: []RenamedFile{}, Failed: make([]ExtractFailed, len(e.Outcome.Failed)),
	}
	m.Base, m.BaseB64 = text(e.Point.Base)
	m.Workdir, m.WorkdirB64 = optionalText(e.Point.Workdir)
	m.Output, m.OutputB64 = text(e.Output)
	for i, n := range e.Plan.Nested {
		m.Gitlinks[i].Commit = n.ID.String()
		m.Gitlinks[i].Path, m.Gitlinks[i].PathB64 = text(n.Path)
	}
	for _, i := range e.Plan.Items {
		if i.Why != "" {
			one := RenamedFile{Why: i.Why}
			one.Path, one.PathB64 = text(i.Path)
			one.As, one.AsB64 = text(i.Target)
			m.Renamed = append(m.Renamed, one)
		}
	}
	for i, f := range e.Outcome.Failed {
		to := &m.Failed[i]
		to.Path, to.PathB64 = text(f.Path)
		to.ID, _ = optionalText(f.ID.String())
		to.Why = shownText(failedWhy(f))
		if f.Fault != nil {
			fault := string(f.Fault.Fault)
			to.Fault = &fault
		}
	}
	return m
}

func (p Point) model() RollbackPoint {
	m := RollbackPoint{ID: p.ID, At: number(p.At)}
	m.Reason, m.ReasonB64 = text(p.Reason)
	if p.Number > 0 {
		m.N = &p.Number
	}
	return m
}

// words names a checkpoint in a sentence.
func (p Point) words() string {
	if p.Number > 0 {
		return fmt.Sprintf("checkpoint %d (%s, taken %s)", p.Number, p.ID, Time(p.At))
	}
	return fmt.Sprintf("%s (in no list, taken %s)", p.ID, Time(p.At))
}

func failedWhy(f contents.Failure) string {
	if f.Fault != nil {
		return f.Fault.Error()
	}
	return f.Why
}

func (e *Extraction) document() document {
	d := document{word: "delivered", color: green, inputs: e.Inputs}
	o := e.Outcome
	d.rest = fmt.Sprintf("%s and %s, %s, of %s into the %s %s", plural(int64(o.Files), "file"), plural(int64(o.Links), "link"),
		bytesText(o.Bytes), e.Point.words(), e.kind(), e.Output)
	if len(o.Failed) > 0 {
		d.word, d.color = "partly delivered", yellow
	}
	var failed, nested, renamed []string
	for _, f := range o.Failed {
		failed = append(failed, orTop(f.Path)+": "+failedWhy(f))
	}
	for _, n := range e.Plan.Nested {
		nested = append(nested, fmt.Sprintf("%s at its commit %s", n.Path, n.ID))
	}
	for _, i := range e.Plan.Items {
		if i.Why != "" {
			renamed = append(renamed, fmt.Sprintf("%s is delivered as %s: %s", i.Path, i.Target, i.Why))
		}
	}
	d.add(fmt.Sprintf("not delivered (%d)", len(failed)), failed, "path")
	d.add(fmt.Sprintf("nested repositories, of which nothing was captured (%d)", len(nested)), nested, "repository")
	d.add(fmt.Sprintf("under another name (%d)", len(renamed)), renamed, "file")
	return d
}
