package report

import (
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/contents"
)

// TreeDiff is the document of checkpoints diff.
type TreeDiff struct {
	Tool   Tool
	Inputs []evidence.Input
	From   Point
	To     *Point // nil = the folder
	Folder string // as the caller named it
	Found  *contents.FolderDifference
}

// TreeDiffDoc is what checkpoints diff writes as JSON.
type TreeDiffDoc struct {
	Schema     int            `json:"schema"`
	Tool       Tool           `json:"tool"`
	Base       string         `json:"base"`
	BaseB64    string         `json:"base_b64,omitempty"`
	Project    string         `json:"project"`
	Workdir    *string        `json:"workdir"`
	WorkdirB64 string         `json:"workdir_b64,omitempty"`
	From       RollbackPoint  `json:"from"`
	To         *RollbackPoint `json:"to"`     // null = the folder
	Folder     *string        `json:"folder"` // null = two checkpoints
	FolderB64  string         `json:"folder_b64,omitempty"`
	Changes    []TreeChange   `json:"changes"`
	Unread     []TreeUnread   `json:"unread"`       // folders of a checkpoint that cannot be read
	Unlike     []string       `json:"not_compared"` // paths of the folder that cannot be
	UnlikeB64  []*string      `json:"not_compared_b64,omitempty"`
	Nested     []string       `json:"nested"` // nested repositories: what stands there today is not compared
	NestedB64  []*string      `json:"nested_b64,omitempty"`
	Left       int            `json:"left_out"` // files of the folder that the exclude lists leave out
}

// TreeChange is one path that differs.
type TreeChange struct {
	Path    string    `json:"path"`
	PathB64 string    `json:"path_b64,omitempty"`
	Change  string    `json:"change"` // added, removed, modified, mode or type
	From    *TreeSide `json:"from"`
	To      *TreeSide `json:"to"`
}

// TreeSide is one of two entries.
type TreeSide struct {
	Kind string  `json:"kind"`
	ID   *string `json:"id"` // null where the content was not read
}

// TreeUnread is a folder that cannot be compared.
type TreeUnread struct {
	Path    string `json:"path"` // "" = the whole checkpoint
	PathB64 string `json:"path_b64,omitempty"`
	Why     string `json:"why"`
}

// RenderTreeDiff writes t in the format f.
func RenderTreeDiff(w io.Writer, t *TreeDiff, f Format, o Options) error {
	return t.document().render(w, f, o, t.model())
}

func (t *TreeDiff) model() TreeDiffDoc {
	d := t.Found
	m := TreeDiffDoc{
		Schema: schemaNumber, Tool: t.Tool, Project: shownText(t.From.Project), From: t.From.model(),
		Changes: make([]TreeChange, len(d.Changes)), Unread: make([]TreeUnread, len(d.Unread)), Left: d.Left,
	}
	m.Base, m.BaseB64 = text(t.From.Base)
	m.Workdir, m.WorkdirB64 = optionalText(t.From.Workdir)
	m.Folder, m.FolderB64 = optionalText(t.Folder)
	if t.To != nil {
		to := t.To.model()
		m.To = &to
	}
	for i, c := range d.Changes {
		m.Changes[i] = TreeChange{Change: string(c.Kind), From: side(c.From), To: side(c.To)}
		m.Changes[i].Path, m.Changes[i].PathB64 = text(c.Path)
	}
	for i, u := range d.Unread {
		m.Unread[i].Why = shownText(u.Fault.Error())
		m.Unread[i].Path, m.Unread[i].PathB64 = text(u.Path)
	}
	m.Unlike, m.UnlikeB64 = pathList(d.Unlike)
	m.Nested, m.NestedB64 = pathList(d.Skipped)
	return m
}

func side(e *contents.Entry) *TreeSide {
	if e == nil {
		return nil
	}
	id, _ := optionalText(e.ID.String())
	return &TreeSide{string(e.Kind()), id}
}

func (t *TreeDiff) document() document {
	d := document{word: "equal", color: green, inputs: t.Inputs}
	to := "the folder " + t.Folder
	if t.To != nil {
		to = t.To.words()
	}
	d.rest = fmt.Sprintf("from %s to %s", t.From.words(), to)
	if n := len(t.Found.Changes); n > 0 {
		d.word, d.color = plural(int64(n), "change"), yellow
	} else if len(t.Found.Unread) > 0 {
		d.word, d.color = "not all read", yellow
	}
	for _, kind := range []contents.ChangeKind{contents.Added, contents.Removed, contents.Modified, contents.Remoded, contents.Retyped} {
		var lines []string
		for _, c := range t.Found.Changes {
			if c.Kind == kind {
				lines = append(lines, changeLine(c))
			}
		}
		d.add(fmt.Sprintf("%s (%d)", changeTitle(kind), len(lines)), lines, "path")
	}
	var unread []string
	for _, u := range t.Found.Unread {
		unread = append(unread, orTop(u.Path)+": "+u.Fault.Error())
	}
	d.add("not read", unread, "folder")
	d.add("not compared", t.Found.Unlike, "path")
	d.add("nested repositories, which are not compared", t.Found.Skipped, "repository")
	if t.Found.Left > 0 {
		d.add("to know", []string{plural(int64(t.Found.Left), "file") + " of the folder are not listed: no checkpoint would take them in"}, "")
	}
	return d
}

func changeTitle(k contents.ChangeKind) string {
	switch k {
	case contents.Remoded:
		return "executable or not"
	case contents.Retyped:
		return "something else"
	}
	return string(k)
}

func changeLine(c contents.Change) string {
	switch {
	case c.Kind == contents.Retyped || c.Kind == contents.Remoded:
		return fmt.Sprintf("%s: was %s, is %s", c.Path, c.From.Kind(), c.To.Kind())
	case c.Kind == contents.Modified && c.From.Kind() == contents.Nested:
		return fmt.Sprintf("%s: nested repository, at its commit %s, was at %s", c.Path, c.To.ID, c.From.ID)
	}
	return c.Path
}
