package report

import (
	"fmt"
	"io"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// Files is the document of the command files: every file of a home with what may be done with it.
type Files struct {
	Tool   Tool
	Inputs []evidence.Input
	List   *inventory.List
}

// FilesDoc is Files as JSON.
type FilesDoc struct {
	Schema   int       `json:"schema"`
	Tool     Tool      `json:"tool"`
	Kind     string    `json:"kind"` // "files"
	Inputs   []Input   `json:"inputs"`
	Complete bool      `json:"complete"` // every folder could be listed
	Notes    []string  `json:"notes"`
	Files    []FileDoc `json:"files"`
}

// FileDoc is one line of it: a file, or files of one kind that share a fate.
type FileDoc struct {
	Path      string  `json:"path"`
	PathB64   string  `json:"path_b64,omitempty"`
	What      string  `json:"what"`
	Profile   string  `json:"profile"`
	Files     int     `json:"files"`
	Bytes     int64   `json:"bytes"`
	Modified  float64 `json:"modified"`
	Judgement string  `json:"judgement"` // keep, may-go (when the condition of after holds) or unknown-keep
	After     *string `json:"after"`
	Why       string  `json:"why"`
	Travel    string  `json:"travel"` // with, optional or leave
}

// RenderFiles writes v in the format f.
func RenderFiles(w io.Writer, v *Files, f Format, o Options) error {
	switch f {
	case JSONLines:
		return eachLine(w, each(v.List.Lines, fileDoc))
	case Table, Markdown, JSON:
		m := FilesDoc{Schema: schemaNumber, Tool: v.Tool, Kind: "files", Complete: !v.List.Limited, Notes: texts(v.List.Notes),
			Inputs: allOf(v.Inputs, input), Files: allOf(v.List.Lines, fileDoc)}
		return v.document().render(w, f, o, m)
	}
	return fmt.Errorf("render files: unknown format %q (known: %s)", string(f), known())
}

func fileDoc(x inventory.Line) FileDoc {
	d := FileDoc{What: x.What, Profile: x.Profile, Files: x.Files, Bytes: x.Bytes, Modified: x.Modified, Judgement: string(x.Judgement),
		Why: shownText(x.Why), Travel: string(x.Travel)}
	d.Path, d.PathB64 = text(x.Path)
	d.After, _ = optionalText(x.After)
	return d
}

func (v *Files) document() document {
	var may int64
	lines := map[inventory.Judgement][]string{}
	for i := range v.List.Lines {
		x := &v.List.Lines[i]
		s := fmt.Sprintf("%s (%s, %s): %s", x.Path, x.What, plural(x.Bytes, "byte"), x.Why)
		if x.Files > 1 {
			s = fmt.Sprintf("%s (%s, %s with %s): %s", x.Path, x.What, plural(int64(x.Files), "file"), plural(x.Bytes, "byte"), x.Why)
		}
		if x.Judgement == inventory.MayGo {
			may += x.Bytes
			s += ". Only when " + x.After
		}
		lines[x.Judgement] = append(lines[x.Judgement], s)
	}
	d := document{word: "files", color: green, inputs: v.Inputs, rest: "none may be deleted on what is known"}
	switch n := int64(len(lines[inventory.MayGo])); {
	case n == 1:
		d.rest = "1 entry may be deleted, when what stands with it holds (" + plural(may, "byte") + "); everything else is kept"
	case n > 1:
		d.rest = Count(n) + " entries may be deleted, each when what stands with it holds (" + plural(may, "byte") + "); everything else is kept"
	}
	d.add("may be deleted, when what stands with it holds", lines[inventory.MayGo], "")
	d.add("keep", lines[inventory.Keep], "")
	d.add("not known: keep", lines[inventory.Unknown], "")
	d.add("notes", v.List.Notes, "")
	d.add("to know", []string{"nothing is deleted by this command, and nothing should be while the install runs",
		"a copy may go only where every message and session row in it is in the database too; dates and names alone prove nothing"}, "")
	return d
}
