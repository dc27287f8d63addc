package report

import (
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

// Simulation is the document of the command checkpoints simulate: what one rollback would do.
type Simulation struct {
	Tool       Tool
	Inputs     []evidence.Input
	Base       string  // the checkpoints folder, as reports name it
	Project    string  // the project's id
	Workdir    string  // its working directory, as recorded; "" = not recorded
	Checkpoint string  // the commit's id
	Number     int     // as /rollback counts, 1 = newest; 0 = the checkpoint is in no list
	At         float64 // its author date, epoch seconds
	Reason     string  // its subject
	Request    rollback.Request
	Outcome    *rollback.Outcome
}

// RenderSimulation writes s in the format f.
func RenderSimulation(w io.Writer, s *Simulation, f Format, o Options) error {
	switch f {
	case Table:
		return s.table(w, o)
	case Markdown:
		return s.markdown(w, o)
	case JSON:
		return s.json(w)
	case JSONLines:
		j := newJSONWriter(w)
		j.value(s.model())
		j.raw("\n")
		return j.flush()
	}
	return fmt.Errorf("render simulation: unknown format %q (known: %s)", string(f), known())
}

// Rollback is what checkpoints simulate writes as JSON. A list whose name ends in B64 is set only where a path of the
// list beside it is not valid UTF-8: it is as long, with null for the paths that are.
type Rollback struct {
	Schema       int              `json:"schema"`
	Tool         Tool             `json:"tool"`
	Base         string           `json:"base"`
	BaseB64      string           `json:"base_b64,omitempty"`
	Project      string           `json:"project"`
	Workdir      *string          `json:"workdir"` // null = not recorded
	WorkdirB64   string           `json:"workdir_b64,omitempty"`
	Checkpoint   RollbackPoint    `json:"checkpoint"`
	Selection    *string          `json:"selection"` // null = the whole checkpoint
	SelectionB64 string           `json:"selection_b64,omitempty"`
	Platform     string           `json:"platform"`
	Verdict      string           `json:"verdict"`
	Nested       []string         `json:"nested"`
	NestedB64    []*string        `json:"nested_b64,omitempty"`
	Restored     []string         `json:"restored"`
	RestoredB64  []*string        `json:"restored_b64,omitempty"`
	ErrorClass   *string          `json:"error_class"`
	Stage        *string          `json:"stage"` // null where nothing stops the rollback
	Message      string           `json:"message"`
	BeforeFix    string           `json:"before_fix"`
	Missing      []RollbackObject `json:"missing"`
	Deleted      []string         `json:"deleted"`
	DeletedB64   []*string        `json:"deleted_b64,omitempty"`
	Written      []string         `json:"written"` // null without a working directory
	WrittenB64   []*string        `json:"written_b64,omitempty"`
	Kept         []RollbackKept   `json:"kept"` // null without a working directory
	Assumes      []string         `json:"assumes"`
}

// RollbackPoint is the checkpoint that a simulated rollback goes to.
type RollbackPoint struct {
	ID        string   `json:"id"`
	N         *int     `json:"n"`  // null where no list shows it
	At        *float64 `json:"at"` // epoch seconds
	Reason    string   `json:"reason"`
	ReasonB64 string   `json:"reason_b64,omitempty"`
}

// RollbackObject is an object that the store lacks.
type RollbackObject struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	ID      string `json:"id"`
}

// RollbackKept is a path of today that a rollback leaves alone.
type RollbackKept struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"`
	Why     string `json:"why"`
}

func (s *Simulation) json(w io.Writer) error {
	m, j := s.model(), newJSONWriter(w)
	j.member("schema", m.Schema)
	j.member("tool", m.Tool)
	for _, f := range []struct {
		name, b64 string
		value     any
	}{
		{"base", m.BaseB64, m.Base}, {"project", "", m.Project}, {"workdir", m.WorkdirB64, m.Workdir},
		{"checkpoint", "", m.Checkpoint}, {"selection", m.SelectionB64, m.Selection}, {"platform", "", m.Platform},
		{"verdict", "", m.Verdict}, {"error_class", "", m.ErrorClass}, {"stage", "", m.Stage},
		{"message", "", m.Message}, {"before_fix", "", m.BeforeFix},
	} {
		j.member(f.name, f.value)
		if f.b64 != "" {
			j.member(f.name+"_b64", f.b64)
		}
	}
	for _, l := range []struct {
		name  string
		paths []string
		b64   []*string
	}{{"nested", m.Nested, m.NestedB64}, {"restored", m.Restored, m.RestoredB64}, {"deleted", m.Deleted, m.DeletedB64}, {"written", m.Written, m.WrittenB64}} {
		if l.paths == nil {
			j.member(l.name, nil)
			continue
		}
		list(j, l.name, each(l.paths, func(p string) string { return p }))
		if l.b64 != nil {
			list(j, l.name+"_b64", each(l.b64, func(p *string) *string { return p }))
		}
	}
	list(j, "missing", each(m.Missing, func(o RollbackObject) RollbackObject { return o }))
	if m.Kept == nil {
		j.member("kept", nil)
	} else {
		list(j, "kept", each(m.Kept, func(k RollbackKept) RollbackKept { return k }))
	}
	list(j, "assumes", each(m.Assumes, func(a string) string { return a }))
	return j.finish()
}

func (s *Simulation) model() Rollback {
	o := s.Outcome
	m := Rollback{
		Schema: schemaNumber, Tool: s.Tool, Project: shownText(s.Project), Platform: string(s.Request.Platform),
		Verdict: string(o.Verdict), Message: shownText(o.Message), BeforeFix: string(o.BeforeFix),
		Missing: make([]RollbackObject, len(o.Missing)), Assumes: texts(o.Assumes),
	}
	m.Base, m.BaseB64 = text(s.Base)
	m.Workdir, m.WorkdirB64 = optionalText(s.Workdir)
	m.Selection, m.SelectionB64 = optionalText(s.Request.Selection)
	m.ErrorClass, _ = optionalText(string(o.Class))
	m.Stage, _ = optionalText(string(o.Stage))
	m.Nested, m.NestedB64 = pathList(o.Nested)
	m.Restored, m.RestoredB64 = pathList(o.Restored)
	m.Deleted, m.DeletedB64 = pathList(o.Deleted)
	m.Checkpoint = RollbackPoint{ID: s.Checkpoint, At: number(s.At)}
	m.Checkpoint.Reason, m.Checkpoint.ReasonB64 = text(s.Reason)
	if s.Number > 0 {
		m.Checkpoint.N = &s.Number
	}
	for i, lost := range o.Missing {
		m.Missing[i].ID = lost.ID
		m.Missing[i].Path, m.Missing[i].PathB64 = text(lost.Path)
	}
	if s.Request.Today == nil {
		return m
	}
	m.Written, m.WrittenB64 = pathList(o.Written)
	m.Kept = make([]RollbackKept, len(o.Kept))
	for i, k := range o.Kept {
		m.Kept[i].Why = string(k.Why)
		m.Kept[i].Path, m.Kept[i].PathB64 = text(k.Path)
	}
	return m
}

// pathList is never null, and carries the bytes of paths that are not UTF-8 beside them.
func pathList(paths []string) (shown []string, b64 []*string) {
	shown = texts(paths)
	for i, p := range paths {
		if utf8.ValidString(p) {
			continue
		}
		if b64 == nil {
			b64 = make([]*string, len(paths))
		}
		bytes := base64.StdEncoding.EncodeToString([]byte(p))
		b64[i] = &bytes
	}
	return shown, b64
}
