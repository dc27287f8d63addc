package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/fix/salvage"
)

// Salvage is the document of the command salvage.
type Salvage struct {
	Tool     Tool
	Manifest *salvage.Manifest
}

// salvageDoc is Salvage as JSON.
type salvageDoc struct {
	Schema int    `json:"schema"`
	Tool   Tool   `json:"tool"`
	Kind   string `json:"kind"` // "salvage"
	*salvage.Manifest
}

// RenderSalvage writes s in the format f.
func RenderSalvage(w io.Writer, s *Salvage, f Format, o Options) error {
	switch f {
	case Table, Markdown, JSON, JSONLines:
		return s.document().render(w, f, o, salvageDoc{schemaNumber, s.Tool, "salvage", s.Manifest})
	}
	return fmt.Errorf("render salvage: unknown format %q (known: %s)", string(f), known())
}

func (s *Salvage) document() document {
	m, a := s.Manifest, &s.Manifest.Account
	d := document{word: "salvaged", color: green, rest: m.Output + "; nothing is known to be missing"}
	if !m.Complete {
		d.color, d.rest = yellow, m.Output+"; it is not all that there was, or not all as it was: see below"
	}
	var tables []string
	for _, t := range m.Tables {
		line := fmt.Sprintf("%s: %s", t.Name, plural(t.Rows, "row"))
		for _, way := range []struct {
			n    int64
			text string
		}{{t.Index, "put together out of indexes"}, {t.Shape, "from pages that nothing leads to"}, {t.Frame, "from older frames of a write-ahead log"}, {t.Torn, "of which a part is missing"}} {
			if way.n > 0 {
				line += fmt.Sprintf(", %s %s", Count(way.n), way.text)
			}
		}
		if t.Lost > 0 {
			line += fmt.Sprintf("; the source is broken at %s", plural(int64(t.Lost), "place"))
		}
		tables = append(tables, line)
	}
	d.add("tables", tables, "table")
	d.add("messages by id", []string{
		fmt.Sprintf("1 to %d: %s recovered, %s recovered from elsewhere, %s in part, %s deleted or never used, %s lost", a.HighWater,
			Count(idsOf(a.Recovered)), Count(idsOf(a.Elsewhere)), Count(idsOf(a.Torn)), Count(idsOf(a.Deleted)), Count(idsOf(a.Lost))),
		"how: " + a.How,
	}, "")
	if len(a.Lost) > 0 {
		d.add("lost", runsOf(a.Lost), "run")
	}
	var made, left []string
	for _, x := range m.Made {
		made = append(made, fmt.Sprintf("%s %s: %s", x.Table, x.Key, x.Why))
	}
	d.add("made", made, "row")
	for _, x := range m.Left {
		left = append(left, fmt.Sprintf("%s rowid %d (%s, by %s): %s", x.Table, x.RowID, x.Image, x.Found, x.Why))
	}
	d.add("not taken over as they are", left, "row")
	var images []string
	for _, i := range m.Images {
		images = append(images, strings.Join(append([]string{fmt.Sprintf("%s: %s, of which %s are in the new file because of it", i.Name, plural(i.Rows, "row"), Count(i.Taken))}, i.Notes...), "; "))
	}
	d.add("read", images, "image")
	d.add("notes", m.Notes, "note")
	d.add("proof", append(append([]string{}, m.Proved...), "sha256 "+m.SHA256, "every id and row: "+salvage.ManifestOf(m.Output)), "")
	return d
}

func idsOf(runs []salvage.Range) (n int64) {
	for _, r := range runs {
		n += r[1] - r[0] + 1
	}
	return n
}

func runsOf(runs []salvage.Range) []string {
	var out []string
	for _, r := range runs {
		if r[0] == r[1] {
			out = append(out, fmt.Sprint(r[0]))
		} else {
			out = append(out, fmt.Sprintf("%d to %d", r[0], r[1]))
		}
	}
	return out
}
