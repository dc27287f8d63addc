package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/dossier"
)

// Dossier is the document of the command issue: what the maintainers ask for, filled in.
type Dossier struct {
	Tool    Tool
	Inputs  []evidence.Input
	Verdict string // of the scan, in one line
	List    *dossier.Dossier
}

// DossierDoc is Dossier as JSON.
type DossierDoc struct {
	Schema   int              `json:"schema"`
	Tool     Tool             `json:"tool"`
	Kind     string           `json:"kind"` // "issue"
	Inputs   []Input          `json:"inputs"`
	Complete bool             `json:"complete"`
	Verdict  string           `json:"verdict"`
	Notes    []string         `json:"notes"`
	Sections []DossierSection `json:"sections"`
}

// DossierSection is a part of the list.
type DossierSection struct {
	Title string        `json:"title"`
	Store *string       `json:"store"` // null = all that was given
	Items []DossierItem `json:"items"`
}

// DossierItem is one thing that is asked for.
type DossierItem struct {
	Asked   string   `json:"asked"`
	State   string   `json:"state"` // filled, nothing, not-given, machine or by-hand
	Answers []string `json:"answers"`
	How     *string  `json:"how"`
}

// RenderDossier writes v in the format f. As JSON Lines it writes the sections.
func RenderDossier(w io.Writer, v *Dossier, f Format, o Options) error {
	switch f {
	case JSONLines:
		return eachLine(w, each(v.List.Sections, dossierSection))
	case Table, Markdown, JSON:
		m := DossierDoc{Schema: schemaNumber, Tool: v.Tool, Kind: "issue", Inputs: allOf(v.Inputs, input), Complete: !v.List.Limited,
			Verdict: shownText(v.Verdict), Notes: texts(v.List.Notes), Sections: allOf(v.List.Sections, dossierSection)}
		return v.document().render(w, f, o, m)
	}
	return fmt.Errorf("render dossier: unknown format %q (known: %s)", string(f), known())
}

func dossierSection(s dossier.Section) DossierSection {
	d := DossierSection{Title: s.Title, Items: allOf(s.Items, dossierItem)}
	d.Store, _ = optionalText(s.Store)
	return d
}

func dossierItem(x dossier.Item) DossierItem {
	d := DossierItem{Asked: shownText(x.Asked), State: string(x.State), Answers: make([]string, len(x.Answers))}
	for i, a := range x.Answers {
		d.Answers[i] = shownText(a)
	}
	d.How, _ = optionalText(x.How)
	return d
}

func (v *Dossier) document() document {
	l := v.List
	machine := l.Count(dossier.Machine) + l.Count(dossier.ByHand)
	d := document{word: "for the maintainers", color: green, inputs: v.Inputs, rest: plural(l.Count(dossier.Filled)+l.Count(dossier.Nothing), "item") + " of their list filled in from the files, " +
		plural(machine, "item") + " for you to add"}
	if l.Limited {
		d.color = yellow
	}
	d.add("verdict", []string{v.Verdict}, "")
	var todo, missing []string
	for i := range l.Sections {
		s := &l.Sections[i]
		var lines []string
		for _, x := range s.Items {
			switch x.State {
			case dossier.Machine, dossier.ByHand:
				todo = append(todo, x.Asked+": "+x.How)
			case dossier.NotGiven:
				missing = append(missing, x.Asked+howTail(x.How))
			case dossier.Nothing:
				lines = append(lines, x.Asked+": none")
			default:
				lines = append(lines, x.Asked+": "+x.Answers[0])
				if len(x.Answers) > 1 {
					lines[len(lines)-1] = x.Asked + ":"
					for _, a := range x.Answers {
						lines = append(lines, "· "+a)
					}
				}
			}
		}
		title := s.Title
		if s.Store != "" {
			title += ", " + s.Store
		}
		d.add(title, lines, "")
	}
	d.add("to add by hand, with the command that tells it", todo, "")
	d.add("not in this copy", missing, "")
	d.add("notes", slices.Clone(l.Notes), "")
	d.add("before you send it", []string{
		"no text of a message, no title and no prompt is in this; with --redact ids, names and paths are pseudonyms too, and that is how it should be posted in public",
		"say what you saw, when, and what you expected; add the version and the commit; send no state.db and no request dump to anybody",
		"for somebody who must look at the rows themselves: hermes-doctor bundle COPY --output FILE.zip",
	}, "")
	return d
}

func howTail(how string) string {
	if how == "" {
		return ""
	}
	return " (" + strings.TrimRight(how, ".") + ")"
}
